//! The table of names that mark a value as secret.

/// What a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// `password`, `secret` and the like.
    Password,
    /// `api_key` and the like.
    Key,
    /// `token` and the like. Grammars, pages and lexers use these words, too. Also `STRIPE_KEY`, written as a
    /// variable.
    Token,
    /// `Cookie`: name-value pairs.
    Cookie,
}

/// Suffixes of names, in lower case, without dashes and underscores.
const ENDS: [(&str, Named); 47] = [
    ("password", Named::Password),
    ("passwords", Named::Password),
    ("passwd", Named::Password),
    ("passphrase", Named::Password),
    ("passcode", Named::Password),
    ("secret", Named::Password),
    ("secretkeybase", Named::Password),
    ("pwd", Named::Password),
    ("authorization", Named::Password),
    ("psk", Named::Password),
    ("presharedkey", Named::Password),
    ("keymaterial", Named::Password),
    ("requirepass", Named::Password),
    ("masterauth", Named::Password),
    ("redisauth", Named::Password),
    ("rediscliauth", Named::Password),
    ("userpass", Named::Password),
    ("storepass", Named::Password),
    ("keypass", Named::Password),
    ("remotepass", Named::Password),
    ("sshpass", Named::Password),
    ("dbpass", Named::Password),
    ("adminpass", Named::Password),
    ("rootpass", Named::Password),
    ("apikey", Named::Key),
    ("accesskey", Named::Key),
    ("secretkey", Named::Key),
    ("privatekey", Named::Key),
    ("signingkey", Named::Key),
    ("encryptionkey", Named::Key),
    ("accountkey", Named::Key),
    ("licensekey", Named::Key),
    ("masterkey", Named::Key),
    ("authkey", Named::Key),
    ("subscriptionkey", Named::Key),
    ("applicationkey", Named::Key),
    ("storagekey", Named::Key),
    ("keydata", Named::Key),
    ("unsealkey", Named::Key),
    ("token", Named::Token),
    ("credential", Named::Token),
    ("credentials", Named::Token),
    ("amzsignature", Named::Token),
    ("sessionid", Named::Token),
    ("sessid", Named::Token),
    ("cookie", Named::Cookie),
    ("cookies", Named::Cookie),
];
/// Whole names that are too short to match as suffixes.
const WHOLE: [(&str, Named); 4] =
    [("pass", Named::Password), ("auth", Named::Token), ("sig", Named::Token), ("jwt", Named::Token)];
/// Parts of a variable's name that say that its value is secret: `MY_SECRET_VALUE`.
const INSIDE: [&str; 4] = ["SECRET", "PASSWORD", "PASSWD", "PASSPHRASE"];
/// Parts that say that the value is something else.
const ABOUT: [&str; 35] = [
    "FILE",
    "PATH",
    "DIR",
    "URL",
    "URI",
    "HOST",
    "ENDPOINT",
    "NAME",
    "ID",
    "REF",
    "ARN",
    "TYPE",
    "LENGTH",
    "LEN",
    "SIZE",
    "COUNT",
    "MIN",
    "MAX",
    "LIMIT",
    "TTL",
    "AGE",
    "EXPIRY",
    "EXPIRES",
    "HASHERS",
    "VALIDATORS",
    "COMMAND",
    "STORE",
    "POLICY",
    "RESET",
    "ENABLED",
    "REQUIRED",
    "MODE",
    "MANAGER",
    "BACKEND",
    "PROVIDER",
];

/// The longest name, in bytes.
const LONGEST: usize = 128;

/// What the name says about its value, if anything. Case, dashes, underscores and blanks do not matter:
/// `DB_PASSWORD`, `clientSecret`, `API key`. `max_tokens` and `token_count` do not name secrets.
pub(crate) fn named(word: &[u8]) -> Option<Named> {
    if word.len() > LONGEST || word.len() < 3 {
        return None;
    }
    if !may_name(word) {
        return None;
    }
    let variable = is_variable(word);
    let mut folded = [0_u8; LONGEST];
    let mut length = 0;
    let letters = word.iter().filter(|byte| !matches!(byte, b'_' | b'-' | b' '));
    for (to, byte) in folded.iter_mut().zip(letters) {
        *to = byte.to_ascii_lowercase();
        length += 1;
    }
    let folded = folded.get(..length)?;
    let is = |(name, named): &(&str, Named)| (folded == name.as_bytes()).then_some(*named);
    let ends = |(name, named): &(&str, Named)| folded.ends_with(name.as_bytes()).then_some(*named);
    let part = |suffix: &[u8]| word.len() > suffix.len() && word.to_ascii_lowercase().ends_with(suffix);
    if let Some(named) = WHOLE.iter().find_map(is).or_else(|| ENDS.iter().find_map(ends)) {
        Some(named)
    } else if part(b"_pass") || part(b"-pass") || (variable && is_about_a_secret(word)) {
        Some(Named::Password)
    } else if (word.ends_with(b"_KEY") && word.len() > 4) || part(b"_auth") {
        Some(Named::Token)
    } else {
        None
    }
}

/// Cheap prefilter, run on every word: whether the word ends in the letters of a known name or is written as
/// a variable.
pub(crate) fn may_name(word: &[u8]) -> bool {
    let [.., before, last] = word else { return false };
    if (last.is_ascii_uppercase() || last.is_ascii_digit()) && is_variable(word) {
        return true;
    }
    let is_long = word.len() >= 7;
    match (before.to_ascii_lowercase(), last.to_ascii_lowercase()) {
        (b'r' | b'w' | b's', b'd') | (b'e', b't' | b'n' | b'y') | (b's', b'k' | b's') => true,
        (b'w', b't') | (b't', b'h') | (b'i', b'g' | b'e' | b'd') | (b'e', b's') => true,
        // English words have these endings, too.
        (b's' | b'd' | b'r', b'e') | (b'o', b'n') | (b'a', b'l') | (b't', b'a') | (b'l' | b'd', b's') => {
            is_long
        }
        _ => false,
    }
}

/// Whether the word is written like an environment variable: upper case, with an underscore.
fn is_variable(word: &[u8]) -> bool {
    word.contains(&b'_')
        && word.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}

fn is_about_a_secret(word: &[u8]) -> bool {
    let parts = || word.split(|byte| *byte == b'_');
    let is_in = |words: &[&str], part: &[u8]| words.iter().any(|word| word.as_bytes() == part);
    parts().any(|part| is_in(&INSIDE, part)) && !parts().any(|part| is_in(&ABOUT, part))
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
            ("API key", Some(Named::Key)),
            ("AWS_SECRET_ACCESS_KEY", Some(Named::Key)),
            ("GITHUB_TOKEN", Some(Named::Token)),
            ("STRIPE_KEY", Some(Named::Token)),
            ("MY_SECRET_VALUE", Some(Named::Password)),
            ("Set-Cookie", Some(Named::Cookie)),
            ("SECRET_FILE", None),
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

    #[test]
    fn no_name_is_lost_by_the_quick_look() {
        let names = ENDS.iter().chain(&WHOLE).map(|(name, _)| *name);
        assert!(names.chain(["_pass", "_key", "_auth"]).all(|name| may_name(name.as_bytes())));
    }
}
