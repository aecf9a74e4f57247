//! Names after which a secret stands.

/// How surely a name means that its value is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// `password`, `secret` and the like.
    Password,
    /// `api_key` and the like.
    Key,
    /// `token` and the like: grammars, pages and lexers have those, too. So is `STRIPE_KEY`, as variables are written.
    Token,
}

const PASSWORDS: [&str; 7] =
    ["password", "passwd", "passphrase", "secret", "pwd", "authorization", "userpass"];
const KEYS: [&str; 10] = [
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "accountkey",
    "licensekey",
    "masterkey",
    "authkey",
];
const TOKENS: [&str; 3] = ["token", "credential", "credentials"];

/// The longest name, in bytes.
const LONGEST: usize = 128;

/// What the name says, if it says anything. Case, dashes and underscores do not matter: `DB_PASSWORD`, `clientSecret`.
/// `max_tokens` and `token_count` name no secret.
pub(crate) fn named(word: &[u8]) -> Option<Named> {
    if word.len() > LONGEST || word.len() < 3 {
        return None;
    }
    let folded: String = word
        .iter()
        .filter(|byte| !matches!(byte, b'_' | b'-'))
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect();
    let ends = |names: &[&str]| names.iter().any(|name| folded.ends_with(name));
    let pass = |suffix: &[u8]| word.len() > suffix.len() && word.to_ascii_lowercase().ends_with(suffix);
    if ends(&PASSWORDS) || folded == "pass" || pass(b"_pass") || pass(b"-pass") {
        Some(Named::Password)
    } else if ends(&KEYS) {
        Some(Named::Key)
    } else if ends(&TOKENS) || (word.ends_with(b"_KEY") && word.len() > 4) {
        Some(Named::Token)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (word, expected) in [
            ("DB_PASSWORD", Some(Named::Password)),
            ("clientSecret", Some(Named::Password)),
            ("SMTP_PASS", Some(Named::Password)),
            ("--password", Some(Named::Password)),
            ("X-Api-Key", Some(Named::Key)),
            ("AWS_SECRET_ACCESS_KEY", Some(Named::Key)),
            ("GITHUB_TOKEN", Some(Named::Token)),
            ("STRIPE_KEY", Some(Named::Token)),
            ("max_tokens", None),
            ("token_count", None),
            ("compass", None),
            ("primary_key", None),
            ("key", None),
            ("PATH", None),
        ] {
            assert_eq!(named(word.as_bytes()), expected, "{word}");
        }
    }
}
