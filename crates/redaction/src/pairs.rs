//! Secrets in a value field whose name is in a sibling field: `{"name": "password", "value": "..."}`.

use crate::{
    assigned::blanks,
    forms::is_word,
    found::{Found, is_name_again, skip},
    kind::Kind,
    names::{Named, named},
};

/// Fields that hold a name.
const NAMES: [&[u8]; 10] =
    [b"name", b"Name", b"key", b"Key", b"type", b"id", b"field", b"Field", b"property", b"variable"];
/// Fields that hold a value.
const VALUES: [&[u8]; 3] = [b"value", b"Value", b"VALUE"];
/// The largest distance between the two fields, in bytes.
const WITHIN: usize = 256;

/// Whether a field with this name holds the value for a sibling field.
pub(crate) fn is_value(name: &[u8]) -> bool {
    VALUES.contains(&name)
}

/// The span of the value of the field named at `start..end`, if its group names a secret.
pub(crate) fn value(line: &[u8], start: usize, end: usize) -> Option<(usize, usize, Kind)> {
    let found = quoted(line, end)?;
    let (name, named) = name_of_group(line, start, found.end)?;
    (!is_name_again(name, found.value)).then(|| found.secret(named)).flatten()
}

/// The name given by a field in the surrounding group, or the name of the group itself.
fn name_of_group(line: &[u8], start: usize, end: usize) -> Option<(&[u8], Named)> {
    let from = start.saturating_sub(WITHIN);
    let before = line.get(from..start)?;
    let opens = before.iter().rposition(|byte| matches!(byte, b'{' | b'}' | b'<' | b'>')).map(|at| from + at);
    let after = line.get(end..)?;
    let after = after.get(..WITHIN).unwrap_or(after);
    let closes =
        end + after.iter().position(|byte| matches!(byte, b'{' | b'}' | b'<' | b'>')).unwrap_or(after.len());
    let group = opens.map_or(from, |at| at + 1)..closes;
    let own = || {
        let before = line.get(..opens.filter(|at| line.get(*at) == Some(&b'{'))?)?;
        let before = before.get(before.len().saturating_sub(WITHIN)..)?;
        let before = before.trim_ascii_end().strip_suffix(b":")?.trim_ascii_end();
        let before = before.strip_suffix(b"\"").unwrap_or(before).trim_ascii_end();
        let length = before.iter().rev().take_while(|byte| is_word(**byte)).count();
        let name = before.get(before.len() - length..)?;
        Some((name, named(name)?))
    };
    in_group(line, group).or_else(own)
}

/// The value of a field in this range that holds a name.
fn in_group(line: &[u8], group: std::ops::Range<usize>) -> Option<(&[u8], Named)> {
    let mut at = group.start;
    while at < group.end {
        let word = skip(line, at, is_word, WITHIN);
        if NAMES.contains(&line.get(at..word)?)
            && let Some(found) = quoted(line, word)
            && found.end <= group.end
            && let Some(named) = named(found.value)
        {
            return Some((found.value, named));
        }
        at = word + 1;
    }
    None
}

/// The quoted text assigned to the word that ends at `end`.
fn quoted(line: &[u8], end: usize) -> Option<Found<'_>> {
    let at = blanks(line, skip(line, end, |byte| matches!(byte, b'"' | b'\'' | b'\\'), 4));
    let assigned = matches!(line.get(at), Some(b':' | b'='));
    Found::at(line, blanks(line, at + 1), true).filter(|found| assigned && found.quoted)
}
