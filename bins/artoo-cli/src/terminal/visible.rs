//! Exact rendering of text in questions: every character is visible, and different texts look different.
//!
//! Invisible characters are replaced by a picture or their number: control characters, blanks
//! other than U+0020, trailing blanks, and everything that Unicode calls ignorable. Some of
//! these are ordinary in Persian, in Indic scripts and in emoji, but the user who approves a
//! name must see that it is not the name it resembles.

use std::sync::LazyLock;

use regex::Regex;

use super::sanitize::visible;
use super::width;

/// Picture of a blank that would be invisible.
const BLANK: char = '\u{2420}';
/// Default ignorable characters, blanks, format characters, and code points without an assigned
/// character: private use, noncharacters, unassigned.
static INKLESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Other}]").ok());
/// Braille pattern without dots, drawn as nothing.
const NO_DOTS: char = '\u{2800}';

/// The whole text on one line.
pub(crate) fn exact(text: &str) -> String {
    pieces(text).collect()
}

/// The text on one line of about `columns`, and whether it was cut. A longer text keeps both ends, because
/// either may contain the dangerous part, and the number of characters between them.
pub(crate) fn exact_ends(text: &str, columns: usize) -> (String, bool) {
    let pieces: Vec<String> = pieces(text).collect();
    if pieces.iter().map(|piece| width(piece)).sum::<usize>() <= columns {
        return (pieces.concat(), false);
    }
    let fitting = |pieces: &mut dyn Iterator<Item = &String>| {
        let mut room = columns / 2;
        let fits = |piece: &&String| {
            let left = room.checked_sub(width(piece));
            room = left.unwrap_or_default();
            left.is_some()
        };
        pieces.take_while(fits).count()
    };
    let start = fitting(&mut pieces.iter());
    let end = pieces.len() - fitting(&mut pieces.iter().rev()).min(pieces.len() - start);
    let part = |range: std::ops::Range<usize>| pieces.get(range).unwrap_or_default().concat();
    let text = format!("{} … {} characters more … {}", part(0..start), end - start, part(end..pieces.len()));
    (text, true)
}

/// Each character as shown.
fn pieces(text: &str) -> impl Iterator<Item = String> + '_ {
    let without_blanks = text.trim_end_matches(' ').len();
    text.char_indices().map(move |(at, c)| {
        let is_escape = || text.get(at..).is_some_and(|rest| rest.starts_with("<U+"));
        match c {
            ' ' if at >= without_blanks => BLANK.to_string(),
            ' ' => ' '.to_string(),
            '<' if is_escape() => number(c),
            // These pictures stand for other characters here.
            '\u{2400}'..='\u{2426}' => number(c),
            c if c.is_control() => visible(c),
            c if leaves_no_ink(c) => number(c),
            c => c.to_string(),
        }
    })
}

fn number(c: char) -> String {
    format!("<U+{:04X}>", u32::from(c))
}

fn leaves_no_ink(c: char) -> bool {
    /// These format characters are drawn: they enclose the number that follows.
    fn is_drawn(c: char) -> bool {
        matches!(
            c,
            '\u{600}'
                ..='\u{605}'
                    | '\u{6dd}'
                    | '\u{70f}'
                    | '\u{890}'
                    | '\u{891}'
                    | '\u{8e2}'
                    | '\u{110bd}'
                    | '\u{110cd}'
        )
    }
    !c.is_ascii()
        && !is_drawn(c)
        // Without the pattern nothing but ASCII would be shown as it is.
        && (c == NO_DOTS
            || INKLESS.as_ref().is_none_or(|inkless| inkless.is_match(c.encode_utf8(&mut [0; 4]))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_not_seen_is_shown() {
        for (text, expected) in [
            ("rm -rf  a\tb", "rm -rf  a␉b"),
            ("  indented, 中文 العربية हिन्दी e\u{301}", "  indented, 中文 العربية हिन्दी e\u{301}"),
            ("end  ", "end␠␠"),
            ("\x1b[2J\r\n", "␛[2J␍␊"),
            ("\u{7f}\u{9b}31m", "␡<U+009B>31m"),
            ("a\u{200b}b\u{200d}c\u{200e}\u{200f}", "a<U+200B>b<U+200D>c<U+200E><U+200F>"),
            ("\u{202e}\u{2066}\u{2028}\u{2029}\u{feff}", "<U+202E><U+2066><U+2028><U+2029><U+FEFF>"),
            ("\u{ad}\u{a0}\u{3000}\u{2800}\u{3164}", "<U+00AD><U+00A0><U+3000><U+2800><U+3164>"),
            ("\u{e0041}\u{fe0f}\u{e0100}\u{e000}", "<U+E0041><U+FE0F><U+E0100><U+E000>"),
            ("␛ <U+202E> <b>", "<U+241B> <U+003C>U+202E> <b>"),
        ] {
            assert_eq!(exact(text), expected, "{text:?}");
        }
    }

    #[test]
    fn of_a_long_text_both_ends_are_shown_with_what_is_between() {
        assert_eq!(exact_ends("short", 5), ("short".to_owned(), false));
        assert_eq!(exact_ends("0123456789", 6), ("012 … 4 characters more … 789".to_owned(), true));
        let hidden = format!("ab\u{202e}{}", "中".repeat(9));
        assert_eq!(exact_ends(&hidden, 8), ("ab … 8 characters more … 中中".to_owned(), true));
        assert_eq!(exact_ends("abc", 0), (" … 3 characters more … ".to_owned(), true));
    }

    /// Recovers the text from its exact rendering.
    fn shown_by(shown: &str) -> String {
        let mut text = String::new();
        let mut rest = shown;
        while let Some(c) = rest.chars().next() {
            let escaped = rest.strip_prefix("<U+").and_then(|rest| rest.split_once('>'));
            let (was, after) = match escaped {
                Some((number, after)) => {
                    (char::from_u32(u32::from_str_radix(number, 16).unwrap()).unwrap(), after)
                }
                None => {
                    let was = match u32::from(c) {
                        0x2420 => ' ',
                        0x2421 => '\u{7f}',
                        picture @ 0x2400..=0x241f => char::from_u32(picture - 0x2400).unwrap(),
                        _ => c,
                    };
                    (was, &rest[c.len_utf8()..])
                }
            };
            text.push(was);
            rest = after;
        }
        text
    }

    proptest! {
        #[test]
        fn two_texts_that_differ_look_different(
            text in "([<U+2E0>]|[ \t\r\n]|[\u{2400}-\u{2426}]|[\u{200b}-\u{202e}]|[ab中]|\\PC|.){0,40}",
        ) {
            let shown = exact(&text);
            prop_assert_eq!(shown_by(&shown), text);
            prop_assert!(!shown.chars().any(|c| c.is_control() || leaves_no_ink(c)), "{}", shown);
            prop_assert!(!shown.ends_with(' '), "{}", shown);
        }

        #[test]
        fn nothing_is_left_out_that_is_not_counted(text in "[ab中\u{202e}\t]{0,60}", columns in 0usize..40) {
            let (shown, is_cut) = exact_ends(&text, columns);
            let between = shown.split(" … ").nth(1).and_then(|middle| middle.strip_suffix(" characters more"));
            let between: usize = between.map_or(0, |count| count.parse().unwrap());
            prop_assert_eq!(is_cut, between > 0);
            let ends: Vec<&str> = shown.split(" … ").collect();
            let ends = if is_cut { [ends[0], ends[2]].map(shown_by) } else { [shown_by(&shown), String::new()] };
            prop_assert_eq!(ends.iter().map(|end| end.chars().count()).sum::<usize>() + between, text.chars().count());
            prop_assert!(text.starts_with(&ends[0]) && text.ends_with(&ends[1]));
        }
    }
}
