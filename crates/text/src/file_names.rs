//! Recognises file names in text.

/// Words whose last part looks like the name of a file, with the folders before it, in their order and without the marks around them: a
/// stem, a dot, an ending of at most five letters and digits with a letter in it. `1.5GB` and `e.g` are none.
///
/// ```
/// use artoo_text::file_paths;
///
/// let paths: Vec<&str> = file_paths("Copy `docs/notes.txt` (1.5GB, i.e. all of it) to b.md.").collect();
/// assert_eq!(paths, ["docs/notes.txt", "b.md"]);
/// assert!(file_paths("Copy ./a.txt to ../b.txt and /c.txt").eq(["a.txt", "../b.txt", "/c.txt"]));
/// assert_eq!(file_paths("Rename 'May (1).pdf' to \"old scan.pdf\"").next(), None);
/// ```
pub fn file_paths(text: &str) -> impl Iterator<Item = &str> {
    let quotes = |c: char| {
        matches!(c, '"' | '\'' | '`' | ',' | ';' | ':' | '(' | ')' | '[' | ']' | '!' | '?' | '*' | '.')
    };
    let names = text.split_whitespace().map(move |word| (word, with_dots(word, word.trim_matches(quotes))));
    names.filter(|(word, path)| !is_cut(word, path)).map(|(_, path)| path).filter(|path| {
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

/// A path with the dots before its first slash, which are no marks: of `./a.txt` the path is `a.txt`, and not `/a.txt`.
fn with_dots<'a>(word: &'a str, path: &'a str) -> &'a str {
    let at = word.find(path).unwrap_or_default();
    let before = word.get(..at).unwrap_or_default();
    match path.strip_prefix('/') {
        Some(_) if before.ends_with("..") => word.get(at - 2..at + path.len()).unwrap_or(path),
        Some(below) if before.ends_with('.') => below,
        Some(_) | None => path,
    }
}

/// Whether a name is the end of one with blanks: the quotation that ends with it begins in an earlier word, or a bracket in it is
/// not opened in it.
fn is_cut(word: &str, name: &str) -> bool {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
    let (before, after) = word.split_once(name).unwrap_or_default();
    let opens = name.matches(['(', '[']).count();
    (after.contains(is_quote) && !before.contains(is_quote)) || name.matches([')', ']']).count() > opens
}

/// The last components of [`file_paths`].
pub fn file_names(text: &str) -> impl Iterator<Item = &str> {
    file_paths(text).map(last_part)
}

/// Whether a name or path stands for many files and is none itself: it has a wildcard, or a placeholder in brackets, or one that
/// only repeats letters, four or more in all (`YYYY-MM-DD_n.jpg`, `IMG_NNNN.png`).
///
/// ```
/// use artoo_text::is_name_pattern;
///
/// assert!(["*.txt", "<name>.md", "{a,b}.rs", "out/JJJJ-MM-TT.csv", "YYYYMMDD.log"].into_iter().all(is_name_pattern));
/// assert!(!["a.txt", "www.html", "MM.txt", "book.md", "Mississippi.txt"].into_iter().any(is_name_pattern));
/// ```
pub fn is_name_pattern(path: &str) -> bool {
    let only_repeats = |part: &str| {
        let before = std::iter::once(None).chain(part.chars().map(Some));
        let after = part.chars().skip(1).map(Some).chain([None]);
        part.chars().zip(before.zip(after)).all(|(c, beside)| beside.0 == Some(c) || beside.1 == Some(c))
    };
    let is_placeholder =
        |part: &str| part.chars().count() >= 4 && part.chars().all(char::is_alphabetic) && only_repeats(part);
    path.contains(['*', '?', '[', '{', '<', '>'])
        || path.split(|c: char| !c.is_alphanumeric()).any(is_placeholder)
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
