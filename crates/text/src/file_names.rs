//! Recognises file names in text.

/// Words whose last part looks like the name of a file, with the folders before it, in their order and without the marks around them: a
/// stem, a dot, an ending of at most five letters and digits with a letter in it. `1.5GB` and `e.g` are none.
///
/// ```
/// use artoo_text::file_paths;
///
/// let paths: Vec<&str> = file_paths("Copy `docs/notes.txt` (1.5GB, i.e. all of it) to b.md.").collect();
/// assert_eq!(paths, ["docs/notes.txt", "b.md"]);
/// ```
pub fn file_paths(text: &str) -> impl Iterator<Item = &str> {
    let quotes = |c: char| {
        matches!(c, '"' | '\'' | '`' | ',' | ';' | ':' | '(' | ')' | '[' | ']' | '!' | '?' | '*' | '.')
    };
    text.split_whitespace().map(move |word| word.trim_matches(quotes)).filter(|path| {
        let Some((stem, ending)) = last_part(path).rsplit_once('.') else { return false };
        let is_ending = ending.chars().all(char::is_alphanumeric)
            && ending.chars().any(char::is_alphabetic)
            && ending.chars().count() <= 5;
        // `e.g` is not a file; `1.5GB` is a number with its unit.
        let is_abbreviation = ending.chars().count() == 1 && stem.chars().count() == 1;
        let is_figure = stem.chars().all(|c| c.is_ascii_digit() || c == ',');
        is_ending && !is_abbreviation && !is_figure
    })
}

/// The last components of [`file_paths`].
pub fn file_names(text: &str) -> impl Iterator<Item = &str> {
    file_paths(text).map(last_part)
}

/// A word without surrounding punctuation. A leading dot belongs to the word: `.env`.
pub fn without_marks(word: &str) -> &str {
    let edges = |c: char| matches!(c, '"' | '\'' | '`' | ',' | ';' | ':' | '(' | ')' | '!' | '?');
    word.trim_matches(edges).trim_end_matches('.')
}

/// The part after the last slash.
pub fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
