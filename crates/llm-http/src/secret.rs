//! `ApiKey`: a key that cannot be printed.

use std::fmt;

use artoo_llm_client::LlmError;
use artoo_redaction::Redactor;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An API key. Its `Debug`, `Display` and serialised forms are `[redacted]`; its memory is wiped when it is
/// dropped.
///
/// ```
/// use artoo_llm_http::ApiKey;
///
/// let key = ApiKey::new(" sk-secret\n")?;
/// assert_eq!(format!("{key} {key:?}"), "[redacted] [redacted]");
/// assert!(ApiKey::new("not\na key").is_err());
/// # Ok::<(), artoo_llm_client::LlmError>(())
/// ```
#[derive(Clone)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// A key of visible ASCII characters; surrounding whitespace (a pasted line end) is removed.
    ///
    /// # Errors
    ///
    /// [`LlmError::Configuration`] if it is empty or has other characters. The error does not quote it.
    pub fn new(key: impl Into<String>) -> Result<Self, LlmError> {
        let key = SecretString::from(key.into());
        let trimmed = key.expose_secret().trim();
        let reason = if trimmed.is_empty() {
            "the API key is empty"
        } else if !trimmed.bytes().all(|byte| byte.is_ascii_graphic()) {
            "the API key has characters that no key has (white space or letters outside ASCII)"
        } else {
            return Ok(Self(SecretString::from(trimmed)));
        };
        Err(LlmError::Configuration { reason: reason.to_owned() })
    }

    /// The header value `prefix` + key, marked so that HTTP libraries do not log it.
    pub(crate) fn header(&self, prefix: &str) -> Result<HeaderValue, LlmError> {
        let text = format!("{prefix}{}", self.0.expose_secret());
        let mut value = HeaderValue::from_str(&text).map_err(|_| LlmError::Configuration {
            reason: "the API key cannot be sent in a header".to_owned(),
        })?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// A redactor that removes this key (and anything that looks like one) from a server's messages.
    pub(crate) fn redaction(key: Option<&Self>) -> Redactor {
        key.map_or_else(Redactor::new, |key| Redactor::new().secret(key.0.expose_secret()))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

impl fmt::Display for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

impl Serialize for ApiKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("[redacted]")
    }
}

impl<'de> Deserialize<'de> for ApiKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_shows_nowhere() {
        let key = ApiKey::new("sk-canary-0123").unwrap();
        let json = serde_json::to_string(&key).unwrap();
        let header = format!("{:?}", key.header("Bearer ").unwrap());
        for shown in [format!("{key:?}"), format!("{key}"), json, header] {
            assert!(!shown.contains("canary"), "{shown}");
        }
        assert_eq!(key.header("Bearer ").unwrap().as_bytes(), b"Bearer sk-canary-0123");
    }

    #[test]
    fn bad_keys_are_refused_without_being_quoted() {
        for bad in ["", "  ", "canary key", "canary\u{e9}", "canary\r\nx-evil: 1"] {
            let error = ApiKey::new(bad).unwrap_err().to_string();
            assert!(!error.contains("canary"), "{error}");
        }
        assert!(serde_json::from_str::<ApiKey>("\"\"").is_err());
        assert!(serde_json::from_str::<ApiKey>("\"abc\"").is_ok());
    }
}
