//! HTTP headers whose value is secret: `Authorization`, `Cookie`, `Set-Cookie`.

use crate::{
    assigned::blanks,
    found::{Found, LONGEST, is_placeholder},
    kind::Kind,
    names::Named,
};

/// Schemes followed by a single secret word.
const OF_ONE_WORD: [&[u8]; 11] = [
    b"bearer",
    b"basic",
    b"token",
    b"apikey",
    b"api-key",
    b"geniekey",
    b"negotiate",
    b"ntlm",
    b"bot",
    b"splunk",
    b"key",
];
/// Schemes followed by fields, all of which are redacted.
const OF_FIELDS: [&[u8]; 7] =
    [b"digest", b"aws4-hmac-sha256", b"hawk", b"signature", b"oauth", b"sharedkey", b"sharedaccesssignature"];

/// The span of the secret in the `Authorization` value after the sign at `at`.
pub(crate) fn authorization(line: &[u8], at: usize) -> Option<(usize, usize, Kind)> {
    let spaced = blanks(line, at);
    let found = Found::at(line, spaced, spaced > at)?;
    let start = found.start;
    let within = line.get(start..)?;
    let within = within.get(..4 * LONGEST).unwrap_or(within);
    let word = within.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    let scheme = within.get(..word)?.to_ascii_lowercase();
    let behind = blanks(line, start + word);
    if behind > start + word && OF_FIELDS.contains(&scheme.as_slice()) {
        // Up to the end of the quotation or the line: the fields have quotes of their own.
        let open = line.get(start.checked_sub(1)?).copied().filter(|_| found.quoted);
        let ends = |byte: &u8| matches!(byte, b'\r' | b'\n') || Some(*byte) == open;
        let length = within.iter().position(ends).unwrap_or(within.len());
        return secret(line, behind, start + length);
    }
    if behind > start + word && OF_ONE_WORD.contains(&scheme.as_slice()) {
        let one = Found::at(line, behind, false)?;
        // `Token token="..."`.
        let value =
            one.value.strip_prefix(b"token=").map_or(Some(one), |_| Found::at(line, one.start + 6, false))?;
        let end = if found.quoted { value.end.min(found.end.max(value.start)) } else { value.end };
        return secret(line, value.start, end);
    }
    found.secret(Named::Password)
}

/// The span of the secret in the value after the sign at `at`: all of a `Cookie`, or the first value of a
/// `Set-Cookie`.
pub(crate) fn cookie(line: &[u8], name: &[u8], at: usize) -> Option<(usize, usize, Kind)> {
    let at = blanks(line, at);
    let quote = line.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    let start = at + usize::from(quote.is_some());
    let rest = line.get(start..)?;
    let within = rest.get(..8 * LONGEST).unwrap_or(rest);
    let sets = name.len() >= 10 && name.to_ascii_lowercase().starts_with(b"set");
    let ends = |byte: &u8| {
        matches!(byte, b'\r' | b'\n' | b'"' | b'\'' | b'`' | b'\\' | b']') || (sets && *byte == b';')
    };
    let length = within.iter().position(ends).unwrap_or(within.len());
    let value = within.get(..length)?;
    let name = value.iter().position(|byte| *byte == b'=').filter(|_| sets).map_or(0, |sign| sign + 1);
    Found::whole(line, start, start + length)?.secret(Named::Cookie)?;
    Some((start + name, start + value.trim_ascii_end().len(), Kind::Token))
}

fn secret(line: &[u8], start: usize, end: usize) -> Option<(usize, usize, Kind)> {
    let value = line.get(start..end)?;
    (value.len() >= 4 && !is_placeholder(value)).then_some((start, end, Kind::Password))
}
