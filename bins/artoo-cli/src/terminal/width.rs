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

/// Cuts a text to at most `columns` behind a word, with an ellipsis if something is left out. A text without blanks, or whose last word is
/// long, is cut within a word.
pub(crate) fn clip_at_word(text: &str, columns: usize) -> String {
    let clipped = clip(text, columns);
    let is_within_a_word = |kept: &str| {
        let rest = text.get(kept.len()..).unwrap_or_default();
        !kept.ends_with(char::is_whitespace) && !rest.starts_with(char::is_whitespace)
    };
    let Some(kept) = clipped.strip_suffix('…').filter(|_| clipped != text) else { return clipped };
    let end = if is_within_a_word(kept) { kept.rfind(char::is_whitespace) } else { Some(kept.len()) };
    let words = end.and_then(|end| kept.get(..end)).map(str::trim_end);
    match words.filter(|words| width(words) * 2 >= columns) {
        Some(words) => format!("{words}…"),
        None => clipped,
    }
}

/// Breaks a text at blanks into lines of at most `columns`. A longer word is broken within.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    lines(text, columns, true)
}

/// The same, but a longer word stays whole: an address can still be copied.
pub(crate) fn wrap_whole_words(text: &str, columns: usize) -> Vec<String> {
    lines(text, columns, false)
}

fn lines(text: &str, columns: usize, breaks_words: bool) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for (at, word) in text.split(' ').enumerate() {
        if at > 0 {
            if width(&line) + 1 + width(word) <= columns {
                line.push(' ');
            } else {
                lines.push(std::mem::take(&mut line).trim_end().to_owned());
            }
        }
        for piece in word.graphemes(true) {
            if breaks_words && width(&line) + piece.width() > columns && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line.push_str(piece);
        }
    }
    lines.push(line.trim_end().to_owned());
    lines
}

/// A text behind `head`: wrapped at words, the further lines indented by `indent`. Behind a head that takes half of the width, all of
/// the text stands below it.
pub(crate) fn hanging(head: &str, text: &str, indent: usize, columns: usize) -> String {
    let used = width(head);
    let is_beside = used == 0 || used.saturating_mul(2) <= columns;
    let indent = indent.min(columns / 3);
    let room =
        if is_beside { columns.saturating_sub(indent.max(used)) } else { columns.saturating_sub(indent) };
    let blank = " ".repeat(indent);
    let mut out = String::new();
    if !is_beside {
        out.push_str(&format!("{}\n", head.trim_end()));
    }
    for (at, line) in wrap(text, room).iter().enumerate() {
        let before = if at == 0 && is_beside { head } else { blank.as_str() };
        out.push_str(format!("{before}{line}").trim_end());
        out.push('\n');
    }
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
    fn a_text_is_cut_behind_a_word() {
        let check =
            |text: &str, columns: usize, expected: &str| assert_eq!(clip_at_word(text, columns), expected);
        check("count the files", 15, "count the files");
        check("count the files", 12, "count the…");
        check("count the files", 10, "count the…");
        check("count the files", 9, "count…");
        check("a_very_long_name_first", 9, "a_very_l…");
        check("a very_long_name", 9, "a very_l…");
        check("数一数文件", 8, "数一数…");
    }

    #[test]
    fn a_text_is_broken_at_blanks() {
        assert_eq!(wrap("count the files in docs", 10), ["count the", "files in", "docs"]);
        assert_eq!(wrap("/a/very/long/path and", 8), ["/a/very/", "long/pat", "h and"]);
        assert_eq!(wrap("数一数文件", 4), ["数一", "数文", "件"]);
        assert_eq!(wrap("", 4), [""]);
        let address = "see http://127.0.0.1:11434/v1 now";
        assert_eq!(wrap_whole_words(address, 10), ["see", "http://127.0.0.1:11434/v1", "now"]);
        assert_eq!(wrap_whole_words("one two three", 7), ["one two", "three"]);
        assert_eq!(hanging("  loss  ", "one two three", 8, 24), "  loss  one two three\n");
        assert_eq!(hanging("loss  ", "one two three", 6, 18), "loss  one two\n      three\n");
        assert_eq!(hanging("a long name  ", "one two", 4, 20), "a long name\n    one two\n");
    }

    proptest::proptest! {
        #[test]
        fn no_letter_is_lost_and_each_line_fits(text in "[a-z数 ]{0,60}", columns in 2_usize..30) {
            let lines = wrap(&text, columns);
            proptest::prop_assert!(lines.iter().all(|line| width(line) <= columns));
            let letters = |text: &str| text.replace(' ', "");
            proptest::prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }
    }

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
