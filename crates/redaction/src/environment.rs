//! Which environment variables hold secrets.

use crate::{
    candidate::{is_path, is_word_of_no_secret},
    known_keys::password_of_url,
    known_values::SHORTEST_SECRET,
    secret_names::named,
};

/// Parts of variable names that mark a secret.
const PARTS: [&str; 7] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL"];
/// Suffixes of variable names that mark a secret.
const ENDS: [&str; 3] = ["PASS", "_PAT", "_AUTH"];
/// The values that must not be recorded: those of variables with a telling name, and passwords inside URLs.
///
/// Values of less than eight characters do not count (local servers accept any word as a key), and neither do
/// paths, numbers and URLs: `SSH_KEY_FILE` and `TOKEN_URL` only name a location.
///
/// ```
/// use artoo_redaction::secrets_of;
/// let found: Vec<_> = secrets_of([
///     ("OPENAI_API_KEY", "canary-in-a-coal-mine"),
///     ("DATABASE_URL", "postgres://ada:enchantress@db/x"),
///     ("SSH_KEY_FILE", "/home/ada/.ssh/id"),
///     ("LANG", "en_GB.UTF-8"),
/// ]).collect();
/// assert_eq!(found, ["canary-in-a-coal-mine", "enchantress"]);
/// ```
pub fn secrets_of<'a>(
    variables: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> impl Iterator<Item = &'a str> {
    let values = variables.into_iter().filter_map(|(name, value)| secret_of(name, value));
    values.filter(|value| value.chars().count() >= SHORTEST_SECRET)
}

/// The names of variables whose secrets are too short to be redacted wherever they occur. Such a secret stays
/// in records unless the text beside it marks it as one. `KEYBOARD=us` and `OLD_KEY=none` hold no secret.
///
/// ```
/// use artoo_redaction::too_short;
/// let found: Vec<_> = too_short([("LM_KEY", "x"), ("DB_PASSWORD", "correcthorse"), ("API_TOKEN", "")]).collect();
/// assert_eq!(found, ["LM_KEY"]);
/// ```
pub fn too_short<'a>(
    variables: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> impl Iterator<Item = &'a str> {
    let is_short = |value: &str| {
        !value.is_empty()
            && value.chars().count() < SHORTEST_SECRET
            && !is_word_of_no_secret(value.as_bytes())
    };
    let is_one = |name: &str, value: &str| value.contains("://") || named(name.as_bytes()).is_some();
    let ones = variables.into_iter().filter(move |(name, value)| is_one(name, value));
    ones.filter_map(move |(name, value)| secret_of(name, value).filter(|value| is_short(value)).map(|_| name))
}

/// The secret in a variable, whatever its length.
fn secret_of<'a>(name: &str, value: &'a str) -> Option<&'a str> {
    let value = value.trim();
    let found = match value.find("://") {
        Some(at) => {
            let (start, end) = password_of_url(value.as_bytes(), at)?;
            value.get(start..end)?
        }
        None if tells(name) && !is_path(value.as_bytes()) => value,
        None => return None,
    };
    let is_number = found.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (!is_number).then_some(found)
}

/// Whether a field or variable of this name holds a secret, whatever its value is.
///
/// ```
/// use artoo_redaction::names_a_secret;
/// assert!(names_a_secret("HUB_TOKEN") && names_a_secret("Authorization") && names_a_secret("X-Api-Key"));
/// assert!(!names_a_secret("LANG"));
/// ```
pub fn names_a_secret(name: &str) -> bool {
    tells(name) || named(name.as_bytes()).is_some()
}

fn tells(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    PARTS.iter().any(|part| name.contains(part)) || ENDS.iter().any(|end| name.ends_with(end))
}
