//! Password hashes as in `shadow`, `htpasswd`, LDAP and databases. Content hashes carry no such mark and
//! stay.

use crate::forms::is_word;

/// Algorithm identifiers between two dollar signs.
const IDS: [&[u8]; 26] = [
    b"1",
    b"2",
    b"2a",
    b"2b",
    b"2x",
    b"2y",
    b"5",
    b"6",
    b"7",
    b"8",
    b"9",
    b"14",
    b"y",
    b"gy",
    b"sm3",
    b"apr1",
    b"md5",
    b"sha1",
    b"argon2i",
    b"argon2d",
    b"argon2id",
    b"scrypt",
    b"P",
    b"H",
    b"S",
    b"bcrypt-sha256",
];
/// Algorithm names before the first dollar sign.
const NAMES: [&[u8]; 12] = [
    b"pbkdf2_sha256",
    b"pbkdf2_sha1",
    b"pbkdf2_sha512",
    b"bcrypt_sha256",
    b"bcrypt",
    b"argon2",
    b"scrypt",
    b"sha1",
    b"md5",
    b"SCRAM-SHA-256",
    b"SCRAM-SHA-1",
    b"SCRAM-SHA-512",
];
/// Algorithm names in braces, as in LDAP.
const SCHEMES: [&[u8]; 12] = [
    b"SHA",
    b"SSHA",
    b"SHA256",
    b"SSHA256",
    b"SHA512",
    b"SSHA512",
    b"SMD5",
    b"PBKDF2",
    b"PBKDF2-SHA256",
    b"PBKDF2-SHA512",
    b"ARGON2",
    b"SHA384",
];
/// The longest hash, in bytes.
const LONGEST: usize = 512;
/// The least length after the name, in bytes. `$1$2` in a script is no hash.
const SHORTEST: usize = 22;

/// The end of the hash that starts with the `$`, `{` or `*` at `at`.
pub(crate) fn marked(line: &[u8], at: usize) -> Option<usize> {
    let rest = line.get(at..)?;
    match rest {
        [b'$', after @ ..] => {
            let name = before_sign(after, b'$')?;
            let body = after.get(name.len() + 1..)?;
            let length = IDS.contains(&name).then(|| length(body))?;
            (length >= SHORTEST).then_some(at + 2 + name.len() + length)
        }
        [b'{', after @ ..] => {
            let name = before_sign(after, b'}')?;
            let body = after.get(name.len() + 1..)?;
            let length = SCHEMES.contains(&name).then(|| length(body))?;
            (length >= SHORTEST).then_some(at + 2 + name.len() + length)
        }
        // MySQL: an asterisk and forty hexadecimal digits.
        [b'*', after @ ..] => {
            let digits =
                after.iter().take(41).take_while(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F')).count();
            let ends = after.get(digits).is_none_or(|byte| !is_word(*byte));
            (digits == 40 && ends).then_some(at + 1 + digits)
        }
        _ => None,
    }
}

/// The end of the hash that starts with the word at `at..end`: `pbkdf2_sha256$...`, or the two hashes of a
/// Windows dump.
pub(crate) fn named(line: &[u8], at: usize, end: usize) -> Option<usize> {
    let word = line.get(at..end)?;
    let after = line.get(end..)?;
    match after.first() {
        Some(b'$') if NAMES.contains(&word) => {
            let length = length(after);
            (length > SHORTEST).then_some(end + length)
        }
        Some(b':') if is_digest(word) => {
            let second = after.get(1..33).filter(|second| is_digest(second))?;
            after.get(1 + second.len()..)?.starts_with(b":::").then_some(end + 1 + second.len())
        }
        Some(_) | None => None,
    }
}

/// The hash of a line that is `NAME:REALM:HASH` as a whole.
pub(crate) fn of_realm(line: &[u8]) -> Option<(usize, usize)> {
    let end = line.trim_ascii_end().len();
    let start = end.checked_sub(32)?;
    let before = line.get(..start)?.strip_suffix(b":")?;
    let is_text =
        |part: &[u8]| !part.is_empty() && part.iter().all(|byte| is_word(*byte) || b" .@".contains(byte));
    let mut parts = before.split(|byte| *byte == b':');
    let both =
        parts.next().is_some_and(is_text) && parts.next().is_some_and(is_text) && parts.next().is_none();
    (both && is_digest(line.get(start..end)?)).then_some((start, end))
}

fn is_digest(text: &[u8]) -> bool {
    text.len() == 32 && text.iter().all(u8::is_ascii_hexdigit)
}

/// The name before this sign, which must be within a few bytes.
fn before_sign(text: &[u8], sign: u8) -> Option<&[u8]> {
    let within = text.get(..16).unwrap_or(text);
    text.get(..within.iter().position(|byte| *byte == sign)?)
}

fn length(body: &[u8]) -> usize {
    let belongs = |byte: &&u8| byte.is_ascii_alphanumeric() || b"./+=$,:_-".contains(*byte);
    let length = body.iter().take(LONGEST).take_while(belongs).count();
    // In `shadow` more fields of numbers follow, and a line may end in a full stop.
    let hash = body.get(..length).unwrap_or_default();
    let fields = hash.windows(2).position(|pair| pair == b"::").unwrap_or(length);
    let hash = hash.get(..fields).unwrap_or_default();
    let last_dollar = hash.iter().rposition(|byte| *byte == b'$').unwrap_or_default();
    let colon = hash.iter().skip(last_dollar).position(|byte| *byte == b':').map(|colon| last_dollar + colon);
    match colon {
        // SCRAM hashes have two keys with a colon between them.
        Some(colon) if !hash.get(..colon).is_some_and(|before| before.ends_with(b"=")) => colon,
        Some(_) | None => fields,
    }
}
