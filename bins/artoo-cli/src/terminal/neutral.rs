//! Sanitizing of untrusted text from models, tools and files.
//!
//! Sanitized text cannot move the cursor, change colours or titles, hide text, or change the text direction.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Makes everything that acts on a terminal visible; line ends and tabs are kept.
pub(crate) fn neutral(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| acts(c) && c != '\n' && c != '\t') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' => out.push(c),
            // The line end of other systems (CRLF) becomes LF.
            '\r' if chars.peek() == Some(&'\n') => {}
            c if acts(c) => out.push_str(&visible(c)),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The same on one line: line ends, tabs and runs of blanks become one blank.
pub(crate) fn neutral_line(text: &str) -> String {
    let text = neutral(text);
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Escapes in JSON what acts on a terminal. serde_json already escapes characters below U+0020; the others
/// occur only in strings, where an escape means the same.
pub(crate) fn neutral_json(json: &str) -> Cow<'_, str> {
    if !json.chars().any(|c| acts(c) && c != '\n') {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if acts(c) && c != '\n' {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing into a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Whether a character acts on the terminal instead of being shown: control characters, line separators that
/// editors obey, and marks that reorder text. U+200E and U+200F only give a direction to a neighbour and are
/// part of ordinary Arabic and Hebrew, so they are kept.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// The visible form of a character: its Unicode control picture if there is one, else its number.
pub(super) fn visible(c: char) -> String {
    let picture = match c {
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)),
        '\u{7f}' => Some('\u{2421}'),
        _ => None,
    };
    picture.map_or_else(|| format!("<U+{:04X}>", u32::from(c)), String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_acts_survives() {
        let check = |text: &str, expected: &str| assert_eq!(neutral(text), expected, "{text:?}");
        check("plain 中文 العربية 👩‍👩‍👧", "plain 中文 العربية 👩‍👩‍👧");
        check("\x1b[31mred\x1b[0m", "␛[31mred␛[0m");
        check("\x1b]0;title\x07", "␛]0;title␇");
        check("\u{9b}31m", "<U+009B>31m");
        check("safe\rEVIL", "safe␍EVIL");
        check("dos\r\nline\n\ttab", "dos\nline\n\ttab");
        check("a\u{202e}b\u{2066}", "a<U+202E>b<U+2066>");
        check("back\x08space\x7f", "back␈space␡");
    }

    #[test]
    fn one_line_stays_one_line() {
        assert_eq!(neutral_line("  a\n\n b\tc\u{2028}d\r\n"), "a b c<U+2028>d");
    }

    #[test]
    fn json_means_the_same_afterwards() {
        let value = serde_json::json!({"text": "\x1b[1m \u{9b} \u{202e} \u{7f} \u{e0041} ok 中"});
        let text = value.to_string();
        let safe = neutral_json(&text);
        assert!(!safe.chars().any(acts), "{safe}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
    }
}
