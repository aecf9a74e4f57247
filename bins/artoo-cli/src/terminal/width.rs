//! Display width of text: a Chinese character takes two columns, a combining mark none.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The width of a text in columns.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Cuts a text to at most `columns`, with an ellipsis if something is left out. Grapheme clusters stay whole.
pub(crate) fn clip(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let Some(room) = columns.checked_sub(1) else { return String::new() };
    let mut out = String::new();
    let mut used = 0;
    for piece in text.graphemes(true) {
        let wide = piece.width();
        if used + wide > room {
            break;
        }
        out.push_str(piece);
        used += wide;
    }
    out.push('…');
    out
}

/// Pads the text with blanks to `columns`.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clipped_text_fits() {
        let check = |text: &str, columns: usize, expected: &str| {
            let clipped = clip(text, columns);
            assert_eq!(clipped, expected);
            assert!(width(&clipped) <= columns);
        };
        check("short", 10, "short");
        check("exactly", 7, "exactly");
        check("a bit longer", 7, "a bit …");
        check("数一数文件", 10, "数一数文件");
        check("数一数文件", 9, "数一数文…");
        check("数一数文件", 8, "数一数…");
        check("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…");
        check("👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…");
        check("x", 0, "");
        check("xy", 1, "…");
    }
}
