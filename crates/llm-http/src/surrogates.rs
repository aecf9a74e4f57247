//! Halves of a surrogate pair, which some servers put into two events: joined, or replaced by U+FFFD.
//!
//! A server that cuts its text by UTF-16 units sends `"\ud83d"` in one event and `"\ude00"` in the next. Neither is
//! valid JSON alone, and neither half has a place in a Rust string. So a half is read as a placeholder, and the
//! placeholders of the assembled text are joined at its end.

use std::ops::RangeInclusive;

use serde_json::Value;

/// Reads JSON that may contain halves, and knows whether there were any.
#[derive(Debug, Default)]
pub(crate) struct Halves {
    seen: bool,
}

/// The code units that are half a character.
const HALVES: RangeInclusive<u32> = 0xD800..=0xDFFF;
/// The first of them that is a second half.
const SECOND: u32 = 0xDC00;
/// The placeholder of the first of them, in the private use area. A text is only searched for placeholders if some
/// were made.
const PLACE: u32 = 0x10_F000;

impl Halves {
    /// Parses JSON; a lone half of a surrogate pair becomes a placeholder.
    pub(crate) fn parse(&mut self, text: &str) -> serde_json::Result<Value> {
        let error = match serde_json::from_str(text) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let Some(text) = marked(text) else { return Err(error) };
        let value = serde_json::from_str(&text)?;
        self.seen = true;
        Ok(value)
    }

    /// The text with the halves joined; a half that stayed alone becomes U+FFFD.
    pub(crate) fn join(&self, text: String) -> String {
        if !self.seen || !text.contains(|c| half(c).is_some()) {
            return text;
        }
        let mut out = String::with_capacity(text.len());
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            out.push(match half(c) {
                None => c,
                Some(unit) => match chars.peek().copied().and_then(half).and_then(|next| pair(unit, next)) {
                    Some(whole) => {
                        chars.next();
                        whole
                    }
                    None => char::REPLACEMENT_CHARACTER,
                },
            });
        }
        out
    }
}

/// The half that a character stands for.
fn half(c: char) -> Option<u32> {
    let unit = u32::from(c).checked_sub(PLACE)?.checked_add(*HALVES.start())?;
    HALVES.contains(&unit).then_some(unit)
}

/// The character of two halves, if they are a first and a second one.
fn pair(first: u32, second: u32) -> Option<char> {
    if first >= SECOND || second < SECOND {
        return None;
    }
    char::from_u32(0x1_0000 + ((first - HALVES.start()) << 10) + (second - SECOND))
}

/// The text with each escape of a lone half replaced by its placeholder; `None` if there is none.
fn marked(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let taken = match unit(escape).filter(|unit| HALVES.contains(unit)) {
            // Any other escape, or the backslash alone at the end. What follows it is not a new escape.
            None => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
            Some(first) => match escape.get(ESCAPE..).and_then(unit).and_then(|second| pair(first, second)) {
                Some(_) => 2 * ESCAPE,
                None => {
                    out.push(char::from_u32(PLACE + first - HALVES.start())?);
                    rest = escape.get(ESCAPE..)?;
                    continue;
                }
            },
        };
        let (escape, after) = escape.split_at_checked(taken)?;
        out.push_str(escape);
        rest = after;
    }
    out.push_str(rest);
    (out != text).then_some(out)
}

/// The length of `\uXXXX`.
const ESCAPE: usize = 6;

/// The code unit of the escape at the start of `text`, if it is one of four hexadecimal digits.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    // `from_str_radix` takes a sign as well.
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(pieces: &[&str]) -> String {
        let mut halves = Halves::default();
        let texts = pieces.iter().map(|piece| halves.parse(piece).unwrap().as_str().unwrap().to_owned());
        let text = texts.collect::<Vec<_>>().concat();
        halves.join(text)
    }

    #[test]
    fn halves_are_joined_or_replaced() {
        assert_eq!(read(&[r#""a\ud83d""#, r#""\ude00b""#]), "a😀b");
        assert_eq!(read(&[r#""\ud83d\ude00""#]), "😀");
        assert_eq!(read(&[r#""a\uD83D b\uDE00""#]), "a\u{fffd} b\u{fffd}");
        assert_eq!(read(&[r#""\ude00\ud83d""#]), "\u{fffd}\u{fffd}");
        assert_eq!(read(&[r#""\ud83d""#, r#""\ud83d""#, r#""\ude00""#]), "\u{fffd}😀");
        assert_eq!(read(&[r#""\\ud83d \u00e4""#]), "\\ud83d ä", "an escaped backslash is no escape");
        assert_eq!(read(&["\"\u{10f000}\""]), "\u{10f000}", "private use stays where nothing was replaced");
        for broken in ["{\"a\": \"\\ud83d", "\"\\u\"", "\\", "\"\\ud83", "nonsense"] {
            assert!(Halves::default().parse(broken).is_err(), "{broken}");
        }
    }

    proptest! {
        /// However a text is cut by UTF-16 units, it is read whole.
        #[test]
        fn any_cut_by_units_is_joined(text in "[a-z🙂😀文\\\\\"]{0,12}", cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4)) {
            let units: Vec<u16> = text.encode_utf16().collect();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(units.len() + 1)).chain([0, units.len()]).collect();
            cuts.sort_unstable();
            let pieces: Vec<String> = cuts.windows(2).map(|cut| {
                let escaped: String = units[cut[0]..cut[1]].iter().map(|unit| format!("\\u{unit:04x}")).collect();
                format!("\"{escaped}\"")
            }).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            prop_assert_eq!(read(&pieces), text);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "(\\\\|u|d83d|de00|\"|[a-z]|🙂){0,12}") {
            let mut halves = Halves::default();
            if let Ok(value) = halves.parse(&format!("\"{text}\"")) {
                let _ = halves.join(value.to_string());
            }
            prop_assert_eq!(halves.parse("{\"a\": 1}").unwrap(), json!({"a": 1}));
        }
    }
}
