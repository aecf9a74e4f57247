//! Values that stand behind the name of a secret: `DB_PASSWORD=...`, `"apiKey": "..."`, `--token ...`.

use crate::{
    kind::Kind,
    names::{Named, named},
};

/// The longest value, in bytes.
const LONGEST: usize = 512;
/// The most blanks beside a sign of assignment.
const BLANKS: usize = 8;
/// What programs and texts put where a secret would be.
const NO_SECRETS: [&str; 16] = [
    "none",
    "null",
    "nil",
    "true",
    "false",
    "undefined",
    "string",
    "str",
    "required",
    "optional",
    "expected",
    "invalid",
    "missing",
    "unknown",
    "empty",
    "hidden",
];
/// Schemes of an `Authorization` header, behind which the secret stands.
const SCHEMES: [&str; 4] = ["bearer", "basic", "token", "digest"];

/// The place of a value that is assigned to the name that ends at `end` of `line` and began at `start`.
pub(crate) fn value(line: &[u8], start: usize, end: usize) -> Option<(usize, usize, Kind)> {
    let name = line.get(start..end)?;
    let mut at = skip(line, end, |byte| matches!(byte, b'"' | b'\'' | b'\\'), 4);
    // `settings["password"] = ...`, but not what stands behind a mark.
    at += usize::from(at > end && line.get(at) == Some(&b']'));
    let before_blanks = at;
    at = blanks(line, at);
    match line.get(at) {
        // A comparison is no assignment.
        Some(b'=') if line.get(at + 1) == Some(&b'=') => return None,
        Some(b'=' | b':') => {
            at += 1;
            // `:=` and `=>`.
            at += usize::from(matches!(line.get(at), Some(b'=' | b'>')));
        }
        // `--password VALUE`.
        Some(_) if name.starts_with(b"--") && at > before_blanks => at = before_blanks,
        Some(_) | None => return None,
    }
    let named = named(name)?;
    let after_sign = at;
    at = blanks(line, at);
    let mut found = Found::at(line, at, at > after_sign)?;
    let scheme = |found: &Found<'_>| {
        let word = std::str::from_utf8(found.value).unwrap_or_default().to_ascii_lowercase();
        SCHEMES.contains(&word.as_str())
    };
    if !found.quoted && scheme(&found) {
        // Whatever it looks like: nothing else stands there.
        found = Found { quoted: true, ..Found::at(line, blanks(line, found.end), false)? };
    } else if found.quoted
        && let Some(blank) = found.value.iter().position(|byte| *byte == b' ')
        && scheme(&Found { value: found.value.get(..blank)?, ..found })
    {
        let start = blanks(line, found.start + blank);
        found = Found { start, value: line.get(start..found.end)?, ..found };
    }
    is_secret(named, &found).then_some((found.start, found.end, kind(named)))
}

/// What is redacted of a text that is the whole value of a field with this name.
pub(crate) fn field(name: &[u8], value: &[u8]) -> Option<Kind> {
    let named = named(name)?;
    let found =
        Found { start: 0, end: value.len(), value, quoted: true, spaced: false, last: true, called: false };
    is_secret(named, &found).then_some(kind(named))
}

fn kind(named: Named) -> Kind {
    match named {
        Named::Password => Kind::Password,
        Named::Key => Kind::ApiKey,
        Named::Token => Kind::Token,
    }
}

/// A value as it stands in a line.
#[derive(Clone, Copy)]
struct Found<'a> {
    start: usize,
    end: usize,
    value: &'a [u8],
    quoted: bool,
    /// Whether there is a blank before it.
    spaced: bool,
    /// Whether nothing follows on its line.
    last: bool,
    /// Whether it is followed by a bracket, as only code is.
    called: bool,
}

impl<'a> Found<'a> {
    fn at(line: &'a [u8], at: usize, spaced: bool) -> Option<Self> {
        let escapes = skip(line, at, |byte| byte == b'\\', 3);
        let quote = line.get(escapes).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        let start = if quote.is_some() { escapes + 1 } else { at };
        let rest = line.get(start..)?;
        let within = rest.get(..LONGEST).unwrap_or(rest);
        let ends = |byte: &u8| match quote {
            Some(quote) => *byte == quote,
            None => byte.is_ascii_whitespace() || b"\"'`,;&<>(){}[]|\\".contains(byte),
        };
        let length = match (within.iter().position(ends), quote) {
            (Some(length), _) => length,
            // A quotation that was cut off ends at a blank.
            (None, Some(_)) => {
                within.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(within.len())
            }
            (None, None) if within.len() < rest.len() => return None,
            (None, None) => within.len(),
        };
        let mut value = within.get(..length)?;
        // The escapes of a quotation mark inside another quotation.
        while quote.is_some() && value.last() == Some(&b'\\') {
            value = value.get(..value.len() - 1)?;
        }
        let end = start + value.len();
        let after = line.get(start + length..).unwrap_or_default();
        let trimmed =
            after.iter().find(|byte| !byte.is_ascii_whitespace() && **byte != b',' && **byte != b';');
        Some(Self {
            start,
            end,
            value,
            quoted: quote.is_some(),
            spaced,
            last: trimmed.is_none(),
            called: matches!(after.first(), Some(b'(' | b'[')),
        })
    }
}

fn is_secret(named: Named, found: &Found<'_>) -> bool {
    let value = found.value;
    if value.len() < 4 || found.called || is_placeholder(value) || is_path(value) {
        return false;
    }
    let digits = value.iter().any(u8::is_ascii_digit);
    let letters = value.iter().any(u8::is_ascii_alphabetic);
    let is_data = found.quoted || !found.spaced;
    match named {
        Named::Password | Named::Key if is_data => found.quoted || !is_code(value),
        Named::Password | Named::Key => {
            (digits && letters && value.len() >= 8) || (found.last && value.len() >= 6 && !is_code(value))
        }
        Named::Token if is_data => value.len() >= 8 && ((digits && letters) || value.len() >= 20),
        Named::Token => value.len() >= 12 && digits && letters,
    }
}

/// A name of something else, as in `password = self.password`.
fn is_code(value: &[u8]) -> bool {
    let is_name = |part: &[u8]| {
        part.first().is_some_and(u8::is_ascii_alphabetic)
            && part.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
    };
    value.contains(&b'.') && value.split(|byte| *byte == b'.').all(is_name)
}

fn is_placeholder(value: &[u8]) -> bool {
    let word = std::str::from_utf8(value).unwrap_or_default();
    let same = value.first().is_some_and(|first| value.iter().all(|byte| byte == first));
    same || matches!(value.first(), Some(b'$' | b'<' | b'{' | b'%' | b'*'))
        || value.starts_with(b"[redacted")
        || value.starts_with(b"...")
        || NO_SECRETS.iter().any(|other| word.eq_ignore_ascii_case(other))
}

/// Whether it says where something is.
pub(crate) fn is_path(value: &[u8]) -> bool {
    [&b"/"[..], b"./", b"../", b"~/"].iter().any(|start| value.starts_with(start))
        && !value.iter().any(|byte| matches!(byte, b'+' | b'='))
}

fn blanks(line: &[u8], from: usize) -> usize {
    skip(line, from, |byte| matches!(byte, b' ' | b'\t'), BLANKS)
}

/// The first place from `from` on that does not satisfy this, at most `most` bytes further.
fn skip(line: &[u8], from: usize, is: impl Fn(u8) -> bool, most: usize) -> usize {
    let rest = line.get(from..).unwrap_or_default();
    from + rest.iter().take(most).take_while(|byte| is(**byte)).count()
}
