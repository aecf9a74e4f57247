//! Two ways to cut a text into words.

/// The runs of letters and digits.
///
/// ```
/// use artoo_text::alphanumeric_words;
/// assert!(alphanumeric_words("It's in docs/a.txt").eq(["It", "s", "in", "docs", "a", "txt"]));
/// ```
pub fn alphanumeric_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// What stands between blanks, without the marks around it. Marks within a word stay.
///
/// ```
/// use artoo_text::spaced_words;
/// assert!(spaced_words("It's in “docs/a.txt”, -- isn't it?").eq(["It's", "in", "docs/a.txt", "isn't", "it"]));
/// ```
pub fn spaced_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.filter(|word| !word.is_empty())
}
