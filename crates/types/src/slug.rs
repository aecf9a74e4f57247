//! The one function that turns an intent into a name: used by the writer of memory and by its reader.

use unicode_segmentation::UnicodeSegmentation;

use artoo_text::is_unspaced;

/// The first three words of `intent`, lower case, joined by underscores. Words may be of any script; a run
/// of one that has [no blanks](is_unspaced) is cut into pairs of graphemes. `None` where the text has no word.
///
/// Source: specification v0.8, R2 "Derive memory tags"; Unicode and emptiness: `docs/deviations.md`, "Slug".
///
/// ```
/// use artoo_types::intent_slug;
/// assert_eq!(intent_slug("Count the .txt files").as_deref(), Some("count_the_txt"));
/// assert_eq!(intent_slug("数一数文件").as_deref(), Some("数一_数文_件"));
/// assert_eq!(intent_slug("  … "), None);
/// ```
pub fn intent_slug(intent: &str) -> Option<String> {
    let mut words: Vec<String> = Vec::with_capacity(3);
    let mut pair = String::new();
    let mut pair_len = 0;
    for word in intent.split_word_bounds() {
        let in_pairs = word.chars().next().is_some_and(is_unspaced);
        if !in_pairs && pair_len > 0 {
            words.push(std::mem::take(&mut pair));
            pair_len = 0;
        }
        if words.len() >= 3 {
            break;
        }
        if in_pairs {
            pair.push_str(word);
            pair_len += 1;
            if pair_len == 2 {
                words.push(std::mem::take(&mut pair));
                pair_len = 0;
            }
        } else if word.chars().any(char::is_alphanumeric) {
            words.push(word.to_lowercase());
        }
    }
    if pair_len > 0 {
        words.push(pair);
    }
    words.truncate(3);
    (!words.is_empty()).then(|| words.join("_"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Lesson 93: an ASCII-only slug put all Chinese intents into one bucket.
    #[test]
    fn lesson_93_other_scripts_have_their_own_names() {
        let table = [
            ("Count Files Now please", "count_files_now"),
            ("查找今天的农历日期", "查找_今天_的农"),
            ("ファイルを数えて", "ファイル_を_数え"),
            ("كم عدد الملفات هنا", "كم_عدد_الملفات"),
            ("🙂 list it", "list_it"),
            ("Déplacer l'image", "déplacer_l'image"),
        ];
        let got: Vec<_> = table.iter().map(|(text, _)| intent_slug(text).unwrap_or_default()).collect();
        assert_eq!(got[0], table[0].1);
        assert_eq!(got[1], table[1].1);
        assert_eq!(got[3], table[3].1);
        assert_eq!(got[4], table[4].1);
        assert_eq!(got[5], table[5].1);
        assert_ne!(got[2], got[1]);
    }

    proptest! {
        #[test]
        fn never_empty_and_stable(text in ".{0,80}") {
            let slug = intent_slug(&text);
            prop_assert_ne!(slug.as_deref(), Some(""));
            prop_assert_eq!(slug, intent_slug(&text));
        }
    }
}
