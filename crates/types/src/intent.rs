//! Whether two intents are the same in other words' order, case or marks.

use std::collections::BTreeSet;

/// Whether both name the same words, whatever their order, case and marks.
///
/// ```
/// assert!(artoo_types::same_intent("Count the files in docs", "in docs: count the files"));
/// ```
/// An intent of marks alone is the same as none but itself.
pub fn same_intent(one: &str, other: &str) -> bool {
    let (ones, others) = (words(one), words(other));
    one == other || (!ones.is_empty() && ones == others)
}

/// The marks that stand within a name or a number, as in `a.txt`, `docs/2025` and `*.md`, are kept: they tell files apart.
fn words(intent: &str) -> BTreeSet<String> {
    intent
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '/' | '_' | '-' | '*' | '~'))
        .map(|word| word.trim_end_matches(['.', '/', '-']).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_decide_and_not_how_they_are_put() {
        let table = [
            ("Count the files in docs", "count the files in docs.", true),
            ("Count the files in docs", "In docs, count the files", true),
            ("Count the files in docs", "In \u{201c}docs/\u{201d}: count the files!", true),
            ("Count the files in docs", "Count all files in docs", false),
            ("\u{6570}\u{6587}\u{4ef6}", "\u{6570}\u{6587}\u{4ef6}\u{3002}", true),
            ("Count the files in docs", "Count the files in logs", false),
            ("Count the files in docs", "Count the folders in docs", false),
            ("Count the files in docs", "Count the files not in docs", false),
            ("Count the files in docs", "Count the files in docs/2025", false),
            ("Read a.txt", "Read b.txt", false),
            ("Find *.md", "Find md", false),
            ("?", "!", false),
            ("?", "?", true),
        ];
        for (one, other, same) in table {
            assert_eq!((same_intent(one, other), same_intent(other, one)), (same, same), "{one} / {other}");
        }
    }
}
