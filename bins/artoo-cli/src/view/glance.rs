//! One-line preview of a longer text.

use crate::terminal::neutral_line;

/// The first non-blank line, and the number of further ones.
pub(super) fn glance(text: &str) -> String {
    let mut lines = text.lines().map(neutral_line).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else { return "nothing".to_owned() };
    match lines.count() {
        0 => first,
        1 => format!("{first} (and 1 more line)"),
        more => format!("{first} (and {more} more lines)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_says_something() {
        assert_eq!(glance(""), "nothing");
        assert_eq!(glance("\n  7\n"), "7");
        assert_eq!(glance("a\nb"), "a (and 1 more line)");
        assert_eq!(glance("a\n\nb\nc"), "a (and 2 more lines)");
    }
}
