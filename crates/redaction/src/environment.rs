//! Which variables of an environment hold secrets.

use crate::{forms::password_of_url, found::is_path};

/// Parts of a variable's name that give a secret away.
const PARTS: [&str; 7] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL"];
/// Ends of such a name.
const ENDS: [&str; 3] = ["PASS", "_PAT", "_AUTH"];
/// Shorter values are ordinary words.
const SHORTEST: usize = 8;

/// The values that must not be on record: those of variables with a telling name, and the passwords inside of addresses.
///
/// Values of less than eight characters are no secrets (local servers take any word for a key), and neither are paths, numbers
/// and addresses: `SSH_KEY_FILE` and `TOKEN_URL` say where something is.
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
    variables.into_iter().filter_map(|(name, value)| {
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
        (found.chars().count() >= SHORTEST && !is_number).then_some(found)
    })
}

fn tells(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    PARTS.iter().any(|part| name.contains(part)) || ENDS.iter().any(|end| name.ends_with(end))
}
