//! Tokenises text into words, and compares texts by the words they share.

use artoo_text::is_unspaced;

/// The words and numbers of a text in order, in lower case: `1,204` is one number, `v1.2` one word, and each
/// character of a script without blanks is a word.
pub(crate) fn words(text: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let after_digit = word.ends_with(|last: char| last.is_ascii_digit());
        let before_digit = characters.peek().is_some_and(char::is_ascii_digit);
        if c.is_alphanumeric() && is_unspaced(c) {
            words.extend([std::mem::take(&mut word), c.to_string()]);
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        } else if c == '.' && after_digit && before_digit {
            word.push(c);
        } else if !(c == ',' && after_digit && before_digit) {
            words.push(std::mem::take(&mut word));
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// The distinct [`words`], without single letters.
pub(crate) fn distinctive(text: &str) -> Vec<String> {
    let mut words = words(text);
    words.retain(|word| !matches!(word.as_bytes(), [letter] if letter.is_ascii_alphabetic()));
    words.sort();
    words.dedup();
    words
}

/// Whether the words of `part` occur consecutively in `whole`. An empty `part` does not.
pub(crate) fn follow(whole: &[String], part: &[String]) -> bool {
    !part.is_empty() && whole.windows(part.len()).any(|window| window == part)
}

/// The number of `sought` words that are among `found`.
pub(crate) fn shared(found: &[String], sought: &[String]) -> usize {
    sought.iter().filter(|word| found.contains(word)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_word() {
        assert_eq!(words("It has 1,204 lines; v1.2."), ["it", "has", "1204", "lines", "v1.2"]);
        assert_eq!(words("docs/a3.txt 文件3"), ["docs", "a3", "txt", "文", "件", "3"]);
        assert_eq!(words("3, 4"), ["3", "4"]);
        assert_eq!(words(" \n"), [""; 0]);
        assert_eq!(distinctive("The output of the 3 files, files"), ["3", "files", "of", "output", "the"]);
    }

    #[test]
    fn a_part_stands_as_a_whole() {
        let whole = words("13 files of a3.txt");
        assert!(follow(&whole, &words("a3.txt")));
        for part in ["3", "files a3", ""] {
            assert!(!follow(&whole, &words(part)), "{part}");
        }
    }
}
