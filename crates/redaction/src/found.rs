//! A value beside a name: where it ends, and whether it is a secret or a word of code, a placeholder or a
//! path.

use crate::{
    kind::Kind,
    names::{Named, named},
};

/// The longest value, in bytes.
pub(crate) const LONGEST: usize = 512;
/// What programs and documentation put in place of a secret.
const NO_SECRETS: [&str; 19] = [
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
    "never",
    "redacted",
    "value",
];
/// Prefixes of placeholders that name the secret to fill in: `YOUR_API_KEY`.
const WHOSE: [&str; 10] =
    ["your", "my", "the", "some", "new", "old", "current", "confirm", "enter", "insert"];
/// Prefixes of references to a place where the secret is stored.
const REFERENCES: [&str; 9] =
    ["op://", "vault:", "file:", "env:", "arn:", "ssm:", "keyring:", "sops:", "ref+"];

/// A candidate value in a line.
#[derive(Clone, Copy)]
pub(crate) struct Found<'a> {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) value: &'a [u8],
    pub(crate) quoted: bool,
    /// Whether a blank precedes it.
    spaced: bool,
    /// Whether it is the last thing on its line.
    last: bool,
    /// Whether a bracket follows it, which happens only in code.
    called: bool,
}

impl<'a> Found<'a> {
    /// The value that begins at `at`.
    pub(crate) fn at(line: &'a [u8], at: usize, spaced: bool) -> Option<Self> {
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
            // A truncated quotation ends at a blank.
            (None, Some(_)) => {
                within.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(within.len())
            }
            (None, None) if within.len() < rest.len() => return None,
            (None, None) => within.len(),
        };
        let mut value = within.get(..length)?;
        // Escapes of a quotation mark inside another quotation.
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

    /// The value at `start..end`, where the form allows nothing but a value.
    pub(crate) fn whole(line: &'a [u8], start: usize, end: usize) -> Option<Self> {
        let value = line.get(start..end)?;
        Some(Self { start, end, value, quoted: true, spaced: false, last: true, called: false })
    }

    /// Its span and kind, if it is a secret under such a name.
    pub(crate) fn secret(&self, named: Named) -> Option<(usize, usize, Kind)> {
        self.is_secret(named).then_some((self.start, self.end, kind(named)))
    }

    fn is_secret(&self, named: Named) -> bool {
        let value = self.value;
        if value.len() < 4 || self.called || is_placeholder(value) || is_path(value) {
            return false;
        }
        // A YAML tag.
        if !self.quoted && self.spaced && value.starts_with(b"!") {
            return false;
        }
        let digits = value.iter().any(u8::is_ascii_digit);
        let letters = value.iter().any(u8::is_ascii_alphabetic);
        let is_data = self.quoted || !self.spaced;
        match named {
            Named::Password | Named::Key if is_data => self.quoted || !is_code(value),
            Named::Password | Named::Key => {
                (digits && letters && value.len() >= 8) || (self.last && value.len() >= 6 && !is_code(value))
            }
            Named::Token if is_data => value.len() >= 8 && ((digits && letters) || value.len() >= 20),
            Named::Token => value.len() >= 12 && digits && letters,
            Named::Cookie => is_cookie(value),
        }
    }
}

/// The kind of mark for a value under such a name.
pub(crate) fn kind(named: Named) -> Kind {
    match named {
        Named::Password => Kind::Password,
        Named::Key => Kind::ApiKey,
        Named::Token | Named::Cookie => Kind::Token,
    }
}

/// The kind of secret if `value` is the whole value of a field with this name.
pub(crate) fn field(name: &[u8], value: &[u8]) -> Option<Kind> {
    let named = named(name)?;
    if is_name_again(name, value) {
        return None;
    }
    Found::whole(value, 0, value.len())?.secret(named).map(|(.., kind)| kind)
}

/// Whether the value repeats the name, as a label or a variable: `"newPassword": "New password"`,
/// `api_key=api_key`.
pub(crate) fn is_name_again(name: &[u8], value: &[u8]) -> bool {
    value.len() <= 2 * name.len() && folded(name) == folded(value)
}

/// Whether it is a placeholder for a secret.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    let same = value.first().is_some_and(|first| value.iter().all(|byte| byte == first));
    same || matches!(value.first(), Some(b'$' | b'<' | b'{' | b'%' | b'*'))
        || value.starts_with(b"[redacted")
        || value.starts_with(b"...")
        || REFERENCES.iter().any(|start| value.starts_with(start.as_bytes()))
        || is_word_of_no_secret(value)
}

/// Whether it is a word that programs put in place of a secret, or a request for one.
pub(crate) fn is_word_of_no_secret(value: &[u8]) -> bool {
    if value.len() > 32 {
        return false;
    }
    let word = folded(value);
    let word = word.as_str();
    let whose = |start: &&str| word.strip_prefix(*start).filter(|rest| !rest.is_empty());
    let rest = WHOSE.iter().find_map(whose).unwrap_or(word);
    let rest = rest.strip_suffix("here").unwrap_or(rest);
    NO_SECRETS.contains(&rest)
        || matches!(
            rest,
            "password"
                | "passwd"
                | "passphrase"
                | "secret"
                | "token"
                | "apikey"
                | "accesstoken"
                | "secretkey"
        )
}

/// Lower-cases the text and drops all but letters and digits.
fn folded(text: &[u8]) -> String {
    text.iter()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect()
}

/// A dotted identifier, as in `password = self.password`.
fn is_code(value: &[u8]) -> bool {
    let is_name = |part: &[u8]| {
        part.first().is_some_and(u8::is_ascii_alphabetic)
            && part.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
    };
    value.contains(&b'.') && value.split(|byte| *byte == b'.').all(is_name)
}

/// `NAME=VALUE; NAME=VALUE` with at least one long value.
fn is_cookie(value: &[u8]) -> bool {
    let of_pair = |pair: &[u8]| {
        let value = pair.iter().position(|byte| *byte == b'=').and_then(|at| pair.get(at + 1..));
        value.is_some_and(|value| value.len() >= 8 && !is_placeholder(value) && !value.contains(&b' '))
    };
    value.split(|byte| *byte == b';').any(|pair| of_pair(pair.trim_ascii()))
}

/// Whether it is a file path.
pub(crate) fn is_path(value: &[u8]) -> bool {
    [&b"/"[..], b"./", b"../", b"~/"].iter().any(|start| value.starts_with(start))
        && !value.iter().any(|byte| matches!(byte, b'+' | b'='))
}

/// The first offset from `from` on whose byte does not satisfy `is`, at most `most` bytes further.
pub(crate) fn skip(line: &[u8], from: usize, is: impl Fn(u8) -> bool, most: usize) -> usize {
    let rest = line.get(from..).unwrap_or_default();
    from + rest.iter().take(most).take_while(|byte| is(**byte)).count()
}
