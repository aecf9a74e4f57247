//! Wrapping of text at words.

use super::width;

/// The lines of a text, each at most `columns` wide. Only a word that is wider stays whole: an address can still be copied.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words() {
        let check = |text: &str, columns: usize, expected: &[&str]| {
            assert_eq!(wrapped(text, columns), expected, "{text:?} in {columns}");
        };
        check("one two three", 7, &["one two", "three"]);
        check("one two three", 80, &["one two three"]);
        check(" one  two ", 3, &["one", "two"]);
        check("see http://127.0.0.1:11434/v1 now", 10, &["see", "http://127.0.0.1:11434/v1", "now"]);
        check("数一 数文", 5, &["数一", "数文"]);
        check("", 5, &[]);
    }
}
