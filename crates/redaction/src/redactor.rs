//! The redactor: removes secrets from a text.

use std::{borrow::Cow, sync::Arc};

use serde_json::Value;

use crate::{
    Stream, candidate,
    known_values::Values,
    learned_keys::{LearnedKeys, Parts},
    line,
    stream::LONGEST_LINE,
};

/// Removes secrets from texts.
///
/// It recognises the keys of well-known services, JSON Web Tokens, private keys, values assigned to
/// `password`, `API_KEY` and the like, and passwords in URLs; [`secret`](Self::secret) adds known values.
/// Hashes, ids and images in base64 stay. A text without a secret is returned unchanged. Redaction is
/// idempotent as long as no line is longer than 64 KiB: a longer line is processed in parts, which are cut at
/// other places the second time.
///
/// ```
/// use artoo_redaction::Redactor;
///
/// let redactor = Redactor::new().secret("hunter22");
/// assert_eq!(redactor.apply("cat notes; echo hunter22"), "cat notes; echo [redacted: secret]");
/// assert_eq!(redactor.apply("OPENAI_API_KEY=abc123 run"), "OPENAI_API_KEY=[redacted: api key] run");
/// assert_eq!(redactor.apply("unexpected token: identifier"), "unexpected token: identifier");
/// ```
#[derive(Clone, Default)]
pub struct Redactor {
    values: Arc<Values>,
    keys: Arc<LearnedKeys>,
}

impl Redactor {
    /// A redactor that only recognises forms.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also redacts this value wherever it occurs, including base64, percent-encoded and JSON-escaped. A
    /// value of less than [`SHORTEST_SECRET`](crate::SHORTEST_SECRET) characters is an ordinary word and is
    /// ignored, and so are the words of the marks; [`too_short`](crate::too_short) lists the variables
    /// concerned.
    #[must_use]
    pub fn secret(mut self, value: impl AsRef<str>) -> Self {
        Arc::make_mut(&mut self.values).add(value.as_ref());
        self
    }

    /// Also redacts every part of the private keys in the text of this file, wherever it occurs from now on: the
    /// lines in the middle of a key look like any data. All clones of the redactor learn it; a stream that was
    /// begun before does not.
    ///
    /// ```
    /// use artoo_redaction::Redactor;
    ///
    /// let key = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIFGoXBfQSrsM\nCE6MK5SHW9kTTWEB9EtQRKe58FDNM+gU\n-----END PRIVATE KEY-----\n";
    /// let redactor = Redactor::new();
    /// assert_eq!(redactor.apply("CE6MK5SHW9kTTWEB9EtQ"), "CE6MK5SHW9kTTWEB9EtQ");
    /// redactor.learn_private_keys(key.as_bytes());
    /// assert_eq!(redactor.apply("CE6MK5SHW9kTTWEB9EtQ"), "[redacted: private key]");
    /// ```
    pub fn learn_private_keys(&self, file: &[u8]) {
        self.keys.learn(file);
    }

    /// Changes whenever something is learned.
    pub(crate) fn learned(&self) -> usize {
        self.keys.count()
    }

    /// The text without secrets.
    pub fn apply<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.apply_to_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Cow::Owned(text),
                // Only whole characters are replaced, so this is never lossy.
                Err(broken) => Cow::Owned(String::from_utf8_lossy(broken.as_bytes()).into_owned()),
            },
        }
    }

    /// Like [`apply`](Self::apply), for bytes that need not be UTF-8.
    pub fn apply_to_bytes<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let has_part = |parts: Arc<Parts>| parts.are_in(text);
        if text.len() <= LONGEST_LINE
            && line::is_clean(text)
            && !self.values.is_in(text)
            && !self.keys.parts().is_some_and(has_part)
        {
            return Cow::Borrowed(text);
        }
        let mut out = Vec::with_capacity(text.len());
        let mut stream = self.stream();
        stream.push(text, &mut out);
        if stream.finish(&mut out) { Cow::Owned(out) } else { Cow::Borrowed(text) }
    }

    /// A redacting stream, for a text that arrives in pieces.
    pub fn stream(&self) -> Stream {
        Stream::new(Arc::clone(&self.values), self.keys.parts())
    }

    /// Redacts the value of a field with this name. If the name is that of a secret, the whole value is
    /// replaced.
    pub fn apply_to_field<'a>(&self, name: &str, text: &'a str) -> Cow<'a, str> {
        match candidate::field(name.as_bytes(), text.as_bytes()) {
            Some(kind) => Cow::Borrowed(kind.mark()),
            None => self.apply(text),
        }
    }

    /// Redacts every string inside `value`, including field names.
    pub fn apply_to_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(redacted) = self.apply(text) {
                    *text = redacted;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.apply_to_value(item)),
            Value::Object(fields) => {
                let old = std::mem::take(fields);
                fields.extend(old.into_iter().map(|(name, mut inner)| {
                    match &mut inner {
                        Value::String(text) => *text = self.apply_to_field(&name, text).into_owned(),
                        Value::Array(_) | Value::Object(_) => self.apply_to_value(&mut inner),
                        Value::Null | Value::Bool(_) | Value::Number(_) => {}
                    }
                    (self.apply(&name).into_owned(), inner)
                }));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The secrets themselves are not shown.
impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redactor").field("values", &self.values.len()).finish()
    }
}
