//! Secrets that quotation marks split: `"sk-ant-""api03-..."`, `'AKIA' + 'IOSF...'`, `ghp_"0123..."`.
//!
//! The parts are joined as a shell or a compiler would join them, and what is found in the joined line is
//! redacted with the marks between its parts.

use crate::{candidate::skip, kind::Kind, known_keys::is_word};

/// What languages write between two strings to join them; the longest first.
const OPERATORS: [&[u8]; 9] = [b"<>", b"++", b"||", b"..", b"+", b".", b"&", b"~", b"^"];
/// The most blanks on either side of an operator.
const BLANKS: usize = 8;
/// The most backslashes before a quotation mark within a string.
const ESCAPES: usize = 3;
/// The longest part before a blank, in bytes: the prefix of a key. Two strings with a blank between them are
/// two arguments more often than one string.
const LONGEST_PREFIX: usize = 16;
/// Prefixes of string literals.
const LITERALS: [&[u8]; 10] = [b"b", b"r", b"u", b"f", b"l", b"br", b"rb", b"fr", b"rf", b"u8"];
/// Letters behind an apostrophe that make no string of it: `it's`, `we'll`.
const CONTRACTION: usize = 2;

/// A line without what joins its strings.
pub(crate) struct JoinedLine {
    pub(crate) text: Vec<u8>,
    joints: Vec<Joint>,
}

/// What was left out of a line.
struct Joint {
    /// Where it was, in the joined text.
    at: usize,
    /// How many bytes of the line were left out up to here, this one included.
    removed: usize,
    is_blank: bool,
}

/// Joins the strings of a line; `None` if it has none to join.
pub(crate) fn joined(line: &[u8]) -> Option<JoinedLine> {
    let mut joined = JoinedLine { text: Vec::new(), joints: Vec::new() };
    let (mut done, mut at) = (0, 0);
    while let Some(quote) = memchr::memchr3(b'"', b'\'', b'`', line.get(at..)?).map(|found| at + found) {
        let start = quote - escapes_before(line, quote);
        let Some((end, is_blank)) = joint(line, start, quote) else {
            at = quote + 1;
            continue;
        };
        joined.text.extend_from_slice(line.get(done..start)?);
        let removed = joined.joints.last().map_or(0, |last| last.removed) + end - start;
        joined.joints.push(Joint { at: joined.text.len(), removed, is_blank });
        (done, at) = (end, end);
    }
    joined.text.extend_from_slice(line.get(done..)?);
    (!joined.joints.is_empty()).then_some(joined)
}

impl JoinedLine {
    /// The span in the line of a secret in the joined text, if it has more than one part.
    pub(crate) fn in_line(&self, start: usize, end: usize, kind: Kind) -> Option<(usize, usize)> {
        let first = self.joints.partition_point(|joint| joint.at <= start);
        let behind = self.joints.partition_point(|joint| joint.at < end);
        let within = self.joints.get(first..behind).filter(|joints| !joints.is_empty())?;
        let mut blank = within.iter().filter(|joint| joint.is_blank);
        if let Some(joint) = blank.next() {
            let is_key = matches!(kind, Kind::ApiKey | Kind::Token);
            if !is_key || joint.at - start > LONGEST_PREFIX || blank.next().is_some() {
                return None;
            }
        }
        let removed = |count: usize| {
            count.checked_sub(1).and_then(|last| self.joints.get(last)).map_or(0, |joint| joint.removed)
        };
        Some((start + removed(first), end + removed(behind)))
    }
}

/// The end of what joins two parts of a word, from `start` on, and whether it is a blank alone. The first
/// quotation mark is at `quote`.
fn joint(line: &[u8], start: usize, quote: usize) -> Option<(usize, bool)> {
    let before = *line.get(start.checked_sub(1)?)?;
    let after = line.get(quote + 1..)?;
    if !is_part(before) && !matches!(before, b'=' | b':') {
        return None;
    }
    // Another string follows.
    if let Some((end, between)) = next_string(line, quote + 1)
        && is_part(*line.get(end)?)
    {
        // `=""` is an empty string, and `:` ends the name of a field.
        let is_name = matches!(before, b'=' | b':');
        return (!is_name || between == Junction::Operator).then_some((end, between == Junction::Blank));
    }
    // The string begins or ends within a word.
    if !is_word(before) || !after.first().is_some_and(|byte| is_word(*byte)) {
        return None;
    }
    let word = line.get(..start)?;
    let length = word.iter().rev().take_while(|byte| is_word(**byte)).count();
    let word = word.get(start - length..)?;
    let is_literal = LITERALS.iter().any(|literal| word.eq_ignore_ascii_case(literal));
    let is_contraction = || {
        let letters = after.iter().take_while(|byte| is_word(**byte)).count();
        line.get(quote) == Some(&b'\'') && (letters <= CONTRACTION || length <= CONTRACTION)
    };
    (!is_literal && !is_contraction()).then_some((quote + 1, false))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Junction {
    Nothing,
    Blank,
    Operator,
}

/// Where the next string begins, behind its quotation mark, and what is between it and the string that ends
/// at `from`.
fn next_string(line: &[u8], from: usize) -> Option<(usize, Junction)> {
    let blanks = |at: usize| skip(line, at, |byte| matches!(byte, b' ' | b'\t'), BLANKS);
    let sign = blanks(from);
    let operator =
        line.get(sign..).and_then(|rest| OPERATORS.iter().find(|operator| rest.starts_with(operator)));
    let (at, between) = match operator {
        Some(operator) => (blanks(sign + operator.len()), Junction::Operator),
        None if sign > from => (sign, Junction::Blank),
        None => (from, Junction::Nothing),
    };
    let quote = skip(line, at, |byte| byte == b'\\', ESCAPES);
    matches!(line.get(quote), Some(b'"' | b'\'' | b'`')).then_some((quote + 1, between))
}

fn escapes_before(line: &[u8], quote: usize) -> usize {
    let before = line.get(..quote).unwrap_or_default();
    before.iter().rev().take(ESCAPES).take_while(|byte| **byte == b'\\').count()
}

/// Whether a key may have this byte at the end of one of its parts.
fn is_part(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'.' | b'+' | b'/' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_joined_as_a_compiler_joins_them() {
        for (line, expected) in [
            (r#"k = "ab" + "cd""#, Some(r#"k = "abcd""#)),
            (r#"k = "ab""cd" 'ef'"#, Some(r#"k = "abcdef'"#)),
            (r#"'ab' || 'cd' . "ef""#, Some(r#"'abcdef""#)),
            (r#"ab"cd"ef"#, Some("abcdef")),
            (r#"{\"a\": \"b\"\"c\"}"#, Some(r#"{\"a\": \"bc\"}"#)),
            (r#""a:" + "b""#, Some(r#""a:b""#)),
            (r#"b"ab" "c, d""#, Some(r#"b"abc, d""#)),
            (r#"["ab", "cd"]"#, None),
            (r#"{"a":"b"}"#, None),
            (r#"x=""y""#, None),
            ("it's the user's", None),
            (r#"f("ab") + g("cd")"#, None),
            (r#""ab " + " cd""#, None),
            ("", None),
        ] {
            let joined = joined(line.as_bytes()).map(|joined| String::from_utf8(joined.text).unwrap());
            assert_eq!(joined.as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn a_span_goes_from_the_first_part_to_the_last() {
        let line = br#"k = "ab" + "cd""ef" + x"#;
        let joined = joined(line).unwrap();
        let at = |start: usize, end: usize| {
            let (start, end) = joined.in_line(start, end, Kind::Password)?;
            std::str::from_utf8(&line[start..end]).ok()
        };
        assert_eq!(at(5, 11), Some(r#"ab" + "cd""ef"#));
        assert_eq!(at(7, 10), Some(r#"cd""e"#));
        assert_eq!(at(5, 7), None, "one part");
        assert_eq!(at(0, 3), None);
    }
}
