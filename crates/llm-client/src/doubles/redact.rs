//! Keeping secrets out of recordings.

use serde_json::Value;

/// What stands in a recording where a secret stood.
const MASK: &str = "[redacted]";

/// What is removed from a recorded session before it reaches a disk.
///
/// Always removed are the usual forms of keys (`sk-…`, `ghp_…`, `AKIA…`, JSON Web Tokens and others), what follows
/// `Bearer`, and values assigned to names such as `API_KEY` or `password`. [`secret`](Self::secret) adds values
/// known to be secret, and [`replace`](Self::replace) maps what differs from machine to machine, so that a
/// recording can be replayed elsewhere.
///
/// ```
/// use artoo_llm_client::doubles::Redaction;
///
/// let redaction = Redaction::new().secret("hunter2").replace("/home/me", "~");
/// assert_eq!(redaction.apply("cat /home/me/a; echo hunter2"), "cat ~/a; echo [redacted]");
/// assert_eq!(redaction.apply("OPENAI_API_KEY=abc123 run"), "OPENAI_API_KEY=[redacted] run");
/// ```
#[derive(Clone, Default)]
pub struct Redaction {
    /// What to replace by what, in order.
    replacements: Vec<(String, String)>,
}

impl Redaction {
    /// Only what is always removed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also removes this value wherever it occurs. Empty values are ignored.
    #[must_use]
    pub fn secret(self, value: impl Into<String>) -> Self {
        self.replace(value, MASK)
    }

    /// Also replaces `from` by `to`, for example a home folder by `~`. Earlier replacements come first.
    #[must_use]
    pub fn replace(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        let from = from.into();
        if !from.is_empty() {
            self.replacements.push((from, to.into()));
        }
        self
    }

    /// The text without secrets. Applying it twice changes nothing more.
    pub fn apply(&self, text: &str) -> String {
        let replaced =
            self.replacements.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        mask_known_forms(&replaced)
    }

    /// Applies to every string inside `value`, names of fields included.
    pub fn apply_to(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.apply(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.apply_to(item)),
            Value::Object(fields) => {
                let old = std::mem::take(fields);
                fields.extend(old.into_iter().map(|(name, mut inner)| {
                    self.apply_to(&mut inner);
                    (self.apply(&name), inner)
                }));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The secrets themselves are not shown.
impl std::fmt::Debug for Redaction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redaction").field("replacements", &self.replacements.len()).finish()
    }
}

/// Masks words that have the form of a key and words that stand where a key stands.
fn mask_known_forms(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut expects_secret = false;
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if end == 0 {
            // Between `API_KEY` and its value stand quotes, colons, equal signs and blanks, but no line end.
            expects_secret &= matches!(c, '=' | ':' | '"' | '\'' | ' ' | '\\');
            out.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            continue;
        }
        let word = rest.get(..end).unwrap_or_default();
        rest = rest.get(end..).unwrap_or_default();
        let bearer = word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic");
        let secret = expects_secret && word.len() >= 4 && !bearer;
        out.push_str(if secret || has_form_of_key(word) { MASK } else { word });
        let assigned =
            names_a_secret(word) && rest.trim_start_matches(['"', '\'', ' ', '\\']).starts_with(['=', ':']);
        expects_secret = assigned || (bearer && (expects_secret || word.starts_with('B')));
    }
    out
}

/// The characters of a key.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/')
}

fn has_form_of_key(word: &str) -> bool {
    const PREFIXES: [&str; 16] = [
        "sk-",
        "sk_",
        "pk_live",
        "rk_live",
        "ghp_",
        "gho_",
        "ghs_",
        "ghu_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "xoxp-",
        "AKIA",
        "AIza",
        "hf_",
        "eyJ",
    ];
    word.len() >= 16 && PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}

fn names_a_secret(word: &str) -> bool {
    const NAMES: [&str; 8] =
        ["api_key", "api-key", "apikey", "token", "secret", "password", "passwd", "authorization"];
    let lower = word.to_ascii_lowercase();
    // `max_tokens` and `token_count` are no secrets.
    NAMES.iter().any(|name| lower.ends_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn table() {
        let check =
            |text: &str, expected: &str| assert_eq!(Redaction::new().apply(text), expected, "{text:?}");
        check("", "");
        check("use sk-proj-0123456789abcdef now", "use [redacted] now");
        check("Authorization: Bearer abcdef.ghi", "Authorization: Bearer [redacted]");
        check("curl -H 'authorization: basic dXNlcjpw'", "curl -H 'authorization: basic [redacted]'");
        check(r#"{"api_key": "abcd1234"}"#, r#"{"api_key": "[redacted]"}"#);
        check(r#"{\"token\": \"abcd1234\"}"#, r#"{\"token\": \"[redacted]\"}"#);
        check("MY_SECRET='p4ss word'", "MY_SECRET='[redacted] word'");
        check("https://eyJhbGciOiJIUzI1NiJ9.eyJzdWIi", "https://eyJhbGciOiJIUzI1NiJ9.eyJzdWIi");
        check("t=eyJhbGciOiJIUzI1NiJ9.eyJzdWIi", "t=[redacted]");
        check("password:\nnext line", "password:\nnext line");
        check("max_tokens: 1024, the token count is 12345", "max_tokens: 1024, the token count is 12345");
        check("The basic idea is simple; bearer of news", "The basic idea is simple; bearer of news");
        check("密码 password=秘密abcd", "密码 password=秘密abcd");
    }

    #[test]
    fn the_debug_form_hides_secrets() {
        let redaction = Redaction::new().secret("hunter2");
        assert_eq!(format!("{redaction:?}"), "Redaction { replacements: 1 }");
    }

    proptest! {
        #[test]
        fn known_secrets_never_stay(before in ".*", after in ".*", secret in "[a-zA-Z0-9]{8,20}") {
            let redacted = Redaction::new().secret(secret.as_str()).apply(&format!("{before}{secret}{after}"));
            prop_assert!(!redacted.contains(&secret) || MASK.contains(&secret));
        }

        #[test]
        fn applying_twice_changes_nothing(text in "(sk-|token|=|: |Bearer |[a-z0-9]{1,18}|\"|\n|🙂)*") {
            let once = Redaction::new().apply(&text);
            prop_assert_eq!(Redaction::new().apply(&once), once.clone());
        }
    }
}
