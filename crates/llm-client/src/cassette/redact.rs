//! Redaction of recorded sessions.

use artoo_redaction::Redactor;
use serde_json::Value;

/// Removes from a recorded session, before it reaches a disk, secrets, by a [`Redactor`], and
/// machine-specific text, so that a recording can be replayed elsewhere.
/// ```
/// use artoo_llm_client::cassette::Redaction;
/// use artoo_redaction::Redactor;
///
/// let redaction = Redaction::new(Redactor::new().secret("hunter22")).replace("/home/me", "~");
/// assert_eq!(redaction.apply("cat /home/me/a; echo hunter22"), "cat ~/a; echo [redacted: secret]");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    redactor: Redactor,
    /// Replacement pairs, in order.
    replacements: Vec<(String, String)>,
}

impl Redaction {
    /// Removes only secrets.
    pub fn new(redactor: Redactor) -> Self {
        Self { redactor, replacements: Vec::new() }
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

    /// The text as recorded.
    pub fn apply(&self, text: &str) -> String {
        self.replaced(self.redactor.apply(text).into_owned())
    }

    /// Applies to every string inside `value`, including field names.
    pub fn apply_to(&self, value: &mut Value) {
        self.redactor.apply_to_value(value);
        self.replace_in(value);
    }

    fn replaced(&self, text: String) -> String {
        self.replacements.iter().fold(text, |text, (from, to)| text.replace(from, to))
    }

    fn replace_in(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.replaced(std::mem::take(text)),
            Value::Array(items) => items.iter_mut().for_each(|item| self.replace_in(item)),
            Value::Object(fields) => {
                let old = std::mem::take(fields);
                fields.extend(old.into_iter().map(|(name, mut inner)| {
                    self.replace_in(&mut inner);
                    (self.replaced(name), inner)
                }));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
