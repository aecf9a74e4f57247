//! Recognisers for keys and tokens: known prefixes, JSON Web Tokens, bearer tokens, passwords in URLs.

use crate::{
    found::is_placeholder,
    kind::Kind,
    prefixes::{Of, WRAPPED_KEYS, beginning_with},
};

/// Longer words are data: an image in base64 may start with any prefix.
const LONGEST: usize = 512;
/// The longest JSON Web Token, in bytes.
const LONGEST_TOKEN: usize = 16 * 1024;
/// The longest user name and password in a URL, in bytes.
const LONGEST_LOGIN: usize = 512;

/// The end and kind of the key that starts at `at`, if there is one.
pub(crate) fn key(line: &[u8], at: usize) -> Option<(usize, Kind)> {
    let rest = line.get(at..)?;
    // Most words return here; this runs for every line of a journal.
    let [first, second, ..] = rest else { return None };
    let prefixes = beginning_with(*first);
    if prefixes.is_empty() && *first != b'L' {
        return None;
    }
    if let Some(length) = json_web_token(rest) {
        return Some((at + length, Kind::Token));
    }
    if *first == b'L' && WRAPPED_KEYS.iter().any(|prefix| rest.starts_with(prefix.as_bytes())) {
        let length = rest.iter().take(LONGEST_TOKEN).take_while(|byte| is_base64(**byte)).count();
        return Some((at + length, Kind::PrivateKey));
    }
    let begins = |prefix: &str| {
        prefix.as_bytes().starts_with(&[*first, *second]) && rest.starts_with(prefix.as_bytes())
    };
    // Several prefixes may start alike, such as `sk_` and `s.`, so each one is tried.
    prefixes.iter().filter(|(prefix, ..)| begins(prefix)).find_map(|(prefix, of, least)| {
        let length = length_of(rest.get(prefix.len()..)?, *of, *least)?;
        let kind = if prefix.starts_with("ya29") { Kind::Token } else { Kind::ApiKey };
        Some((at + prefix.len() + length, kind))
    })
}

/// The length of a key's body of this class, or `None` if the text is not one.
fn length_of(body: &[u8], of: Of, least: usize) -> Option<usize> {
    let belongs = |byte: &&u8| match of {
        Of::Words | Of::WordsWithDigit => is_word(**byte),
        Of::Letters | Of::Mixed => byte.is_ascii_alphanumeric(),
        Of::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        Of::Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        Of::Dotted => is_word(**byte) || **byte == b'.',
        Of::Base64 => is_base64(**byte) || is_word(**byte),
    };
    let length = body.iter().take(LONGEST + 1).take_while(belongs).count();
    let has = |is: fn(&u8) -> bool| body.iter().take(length).any(is);
    let ends = || body.get(length).is_none_or(|byte| !is_word(*byte));
    let fits = match of {
        Of::Words | Of::Dotted | Of::Base64 => true,
        Of::WordsWithDigit => has(u8::is_ascii_digit),
        Of::Letters => !matches!(body.get(length), Some(b'_')),
        Of::Mixed => {
            has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && ends()
        }
        Of::Capitals => length <= 16 && ends(),
        Of::Hex => length == least && ends(),
    };
    (fits && length >= least && length <= LONGEST).then_some(length)
}

/// The length of the JSON Web Token at the start of the text: a header, a payload and usually a signature.
fn json_web_token(text: &[u8]) -> Option<usize> {
    let part =
        |from: usize| text.iter().skip(from).take(LONGEST_TOKEN).take_while(|byte| is_word(**byte)).count();
    if !text.starts_with(b"eyJ") {
        return None;
    }
    let header = part(0);
    let is_dot = |at: usize| text.get(at) == Some(&b'.');
    if header < 10 || !is_dot(header) || !text.get(header + 1..)?.starts_with(b"eyJ") {
        return None;
    }
    let payload = header + 1 + part(header + 1);
    let end = if is_dot(payload) { payload + 1 + part(payload + 1) } else { payload };
    (end <= LONGEST_TOKEN).then_some(end)
}

/// The token after a `Bearer` at `at`, outside of a header: long and with digits, unlike English words.
pub(crate) fn bearer(line: &[u8], at: usize) -> Option<(usize, usize)> {
    let word = line.get(at..at + 7).filter(|word| matches!(word.first(), Some(b'B' | b'b')))?;
    if !word.eq_ignore_ascii_case(b"bearer ") {
        return None;
    }
    let start = at + 7;
    let rest = line.get(start..)?;
    let belongs = |byte: &&u8| is_word(**byte) || matches!(byte, b'.' | b'+' | b'/' | b'=' | b'~');
    let length = rest.iter().take(LONGEST_TOKEN).take_while(belongs).count();
    let digits = rest.iter().take(length).any(u8::is_ascii_digit);
    (length >= 16 && digits).then_some((start, start + length))
}

/// The span of the password in a URL whose `://` is at `at`: `https://NAME:PASSWORD@HOST`, or a long user
/// name alone.
pub(crate) fn password_of_url(line: &[u8], at: usize) -> Option<(usize, usize)> {
    let start = at + 3;
    let rest = line.get(start..)?;
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/?#\"'<>`\\".contains(byte);
    let within = rest.get(..LONGEST_LOGIN).unwrap_or(rest);
    let authority = within.get(..within.iter().position(ends).unwrap_or(within.len()))?;
    let login = authority.get(..authority.iter().rposition(|byte| *byte == b'@')?)?;
    let (from, least) = match login.iter().position(|byte| *byte == b':') {
        Some(colon) => (colon + 1, 1),
        None => (0, 20),
    };
    let secret = login.get(from..)?;
    (secret.len() >= least && !is_placeholder(secret)).then_some((start + from, start + login.len()))
}

/// Whether the byte is a base64 character.
pub(crate) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether the byte may be part of a key or a name.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
