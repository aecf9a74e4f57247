//! Secrets assigned to a telling name: `DB_PASSWORD=...`, `"apiKey": "..."`, `<password>...</password>`.

use crate::{
    beside,
    found::{Found, is_name_again, skip},
    headers,
    kind::Kind,
    names::{Named, may_name, named},
    pairs,
};

/// The most blanks on either side of an assignment sign.
const BLANKS: usize = 32;
/// What may precede the quotes of a value: a constructor call, or the prefix of a string literal.
const AROUND: [&[u8]; 6] = [b"Some(", b"String::from(", b"SecretString::from(", b"b", b"r", b"u"];
/// Functions whose first argument is a name and whose second is its value.
const SETTERS: [&[u8]; 12] = [
    b"define",
    b"header",
    b"set",
    b"append",
    b"add",
    b"put",
    b"insert",
    b"setProperty",
    b"setenv",
    b"setItem",
    b"setRequestHeader",
    b"addHeader",
];

/// The span of the value assigned to the name at `start..end` of `line`.
pub(crate) fn value(line: &[u8], start: usize, end: usize) -> Option<(usize, usize, Kind)> {
    let name = line.get(start..end)?;
    // Nearly every word of every text returns here.
    if !may_name(name) && !is_of_others(name) {
        return None;
    }
    match sign(line, start, end)? {
        Sign::Value(_) if pairs::is_value(name) => pairs::value(line, start, end),
        Sign::Value(at) => {
            let named = named(name).or_else(|| of_two_words(line, start, end))?;
            if named == Named::Cookie {
                return headers::cookie(line, name, at);
            }
            if name.to_ascii_lowercase().ends_with(b"authorization") {
                return headers::authorization(line, at);
            }
            let found = until_end(line, start, end, at).or_else(|| first_of(line, at))?;
            (!is_name_again(name, found.value)).then(|| found.secret(named)).flatten()
        }
        Sign::Blank(at) => beside::value(line, start, end, at),
    }
}

/// Whether the word, no secret's name itself, may still precede a secret:
/// `{"name": "password", "value": ...}`, `Unseal Key 1: ...`.
fn is_of_others(word: &[u8]) -> bool {
    match word {
        [b'0'..=b'9'] | [b'0'..=b'9', b'0'..=b'9'] => true,
        [_, _] => word.eq_ignore_ascii_case(b"by"),
        _ => pairs::is_value(word),
    }
}

/// What follows a name.
enum Sign {
    /// An assignment sign. The value, or the blanks before it, starts at this offset.
    Value(usize),
    /// Blanks only.
    Blank(usize),
}

fn sign(line: &[u8], start: usize, end: usize) -> Option<Sign> {
    let name = line.get(start..end)?;
    let before = |back: usize| start.checked_sub(back).and_then(|at| line.get(at)).copied();
    let quotes = skip(line, end, |byte| matches!(byte, b'"' | b'\'' | b'\\'), 4);
    // Also skips the bracket of `settings["password"] = ...`, but not the one that closes a redaction mark.
    let closed = quotes + usize::from(quotes > end && line.get(quotes) == Some(&b']'));
    let at = blanks(line, closed);
    match line.get(at) {
        // A comparison is not an assignment.
        Some(b'=') if line.get(at + 1) == Some(&b'=') => None,
        // `${NAME:-VALUE}`.
        Some(b':') if before(1) == Some(b'{') && before(2) == Some(b'$') => {
            (line.get(at + 1) == Some(&b'-')).then_some(Sign::Value(at + 2))
        }
        // A psql variable: `PASSWORD :'name'`.
        Some(b':') if quotes == end && at > end && matches!(line.get(at + 1), Some(b'\'' | b'"')) => None,
        // `:=` and `=>`.
        Some(b'=' | b':') => {
            Some(Sign::Value(at + 1 + usize::from(matches!(line.get(at + 1), Some(b'=' | b'>')))))
        }
        // `<password>VALUE</password>`.
        Some(b'>') if at == end && before(1) == Some(b'<') => {
            let found = Found::at(line, at + 1, false)?;
            line.get(found.end..)?.starts_with(b"</").then_some(Sign::Value(at + 1))
        }
        // `define('DB_PASSWORD', 'VALUE')`, `setPassword("VALUE")`.
        Some(b',') if quotes > end => is_argument(line, start).then_some(Sign::Value(at + 1)),
        Some(b'(') if at == end && is_setter(name) => Some(Sign::Value(at + 1)),
        Some(_) if at > closed && quotes == end => Some(Sign::Blank(at)),
        Some(_) | None => None,
    }
}

/// The value after the sign: quoted, first in a list, inside a constructor, or after a type.
fn first_of(line: &[u8], after_sign: usize) -> Option<Found<'_>> {
    let at = blanks(line, after_sign);
    let rest = line.get(at..)?;
    let is_quote = |at: usize| matches!(line.get(at), Some(b'"' | b'\''));
    if let Some(list) = rest.strip_prefix(b"[") {
        let within = list.get(..crate::found::LONGEST).unwrap_or(list);
        let mut quotes =
            within.iter().enumerate().filter(|(_, byte)| **byte == b'"').map(|(quote, _)| at + 1 + quote);
        return std::iter::from_fn(|| Some((quotes.next()?, quotes.next()?)))
            .filter_map(|(open, close)| Found::whole(line, open + 1, close))
            .find(|found| found.secret(Named::Password).is_some());
    }
    if let Some(around) = AROUND.iter().find(|around| rest.starts_with(around) && is_quote(at + around.len()))
    {
        return Found::at(line, at + around.len(), false);
    }
    // `password: &str = "VALUE"`.
    let of_type = skip(line, at, |byte| byte.is_ascii_alphanumeric() || b"&<>' ?".contains(&byte), 32);
    let behind = blanks(line, of_type + 1);
    if of_type > at
        && line.get(of_type) == Some(&b'=')
        && is_quote(behind)
        && line.get(of_type - 1) == Some(&b' ')
    {
        return Found::at(line, behind, true);
    }
    Found::at(line, at, at > after_sign)
}

/// The rest of the line after `psk=` or `passphrase=`. Such values contain blanks, and wireless configuration
/// files do not quote them.
fn until_end(line: &[u8], start: usize, end: usize, at: usize) -> Option<Found<'_>> {
    let name = line.get(start..end)?;
    let is_one = name.eq_ignore_ascii_case(b"psk") || name.eq_ignore_ascii_case(b"passphrase");
    let begins =
        start <= BLANKS && line.get(..start)?.trim_ascii().is_empty() && line.get(end) == Some(&b'=');
    if !is_one || !begins {
        return None;
    }
    let stop = line.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(line.len());
    let value = line.get(at..stop)?;
    let is_plain = value.iter().all(|byte| byte.is_ascii_alphanumeric() || b" _.!?-".contains(byte));
    Found::whole(line, at, stop).filter(|_| is_plain && value.len() <= 64)
}

/// What two words name together: `API key: VALUE`, `Unseal Key 1: VALUE`.
fn of_two_words(line: &[u8], start: usize, end: usize) -> Option<Named> {
    let number = end - start <= 2 && line.get(start..end)?.iter().all(u8::is_ascii_digit);
    let (start, end) = if number { (start.checked_sub(4)?, start.checked_sub(1)?) } else { (start, end) };
    if !line.get(start..end)?.eq_ignore_ascii_case(b"key") {
        return None;
    }
    let before = line.get(..start)?.strip_suffix(b" ")?;
    let first = before.iter().rev().take(16).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    named(line.get(before.len() - first..end)?).filter(|_| first > 0)
}

/// Whether the quoted name at `start` is the first argument of a setter function.
fn is_argument(line: &[u8], start: usize) -> bool {
    let before = line.get(start.saturating_sub(32)..start).unwrap_or_default();
    let Some(before) = before.strip_suffix(b"'").or_else(|| before.strip_suffix(b"\"")) else { return false };
    let Some(before) = before.trim_ascii_end().strip_suffix(b"(") else { return false };
    SETTERS.iter().any(|setter| before.ends_with(setter))
}

/// `setPassword`, `set_password`, and SQL's `PASSWORD(...)`.
fn is_setter(name: &[u8]) -> bool {
    name.starts_with(b"set") || name == b"PASSWORD"
}

/// The first offset at or after `from` that is not a blank.
pub(crate) fn blanks(line: &[u8], from: usize) -> usize {
    skip(line, from, |byte| matches!(byte, b' ' | b'\t'), BLANKS)
}
