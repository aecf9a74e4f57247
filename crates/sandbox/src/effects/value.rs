//! What a word becomes when the command runs, as far as that is known.

/// A word after expansion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Value {
    /// All of it, where it is known.
    pub(super) text: Option<String>,
    /// What it begins with.
    pub(super) prefix: String,
    /// What it ends with.
    pub(super) suffix: String,
    /// Whether it may become several words or none, each of them anything.
    pub(super) splits: bool,
    /// Whether it may become several words, each with this beginning and end.
    pub(super) many: bool,
    /// Whether it is a figure.
    pub(super) number: bool,
    /// How it was written.
    pub(super) source: String,
}

impl Value {
    pub(super) fn known(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { source: text.clone(), text: Some(text), ..Self::default() }
    }

    /// Anything at all.
    pub(super) fn any(source: impl Into<String>) -> Self {
        Self { source: source.into(), splits: true, ..Self::default() }
    }

    /// The path of a file that `find`, `xargs` or a pattern names: one word that may be anything.
    pub(super) fn one(source: impl Into<String>) -> Self {
        Self { source: source.into(), ..Self::default() }
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.text.as_deref() == Some(text)
    }

    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Whether a program may take it for an option.
    pub(super) fn may_be_option(&self) -> bool {
        match &self.text {
            Some(text) => text.starts_with('-') && text != "-",
            None => !self.number && (self.splits || self.prefix.is_empty() || self.prefix.starts_with('-')),
        }
    }

    /// Whether it may become exactly this word.
    pub(super) fn may_be(&self, text: &str) -> bool {
        match &self.text {
            Some(own) => own == text,
            None => {
                !self.number
                    && (self.splits || (text.starts_with(&self.prefix) && text.ends_with(&self.suffix)))
            }
        }
    }
}
