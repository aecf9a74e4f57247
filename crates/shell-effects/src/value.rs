//! The value of a word after expansion, as far as it is known.

use std::mem;

/// A word after expansion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Value {
    /// The whole text, if known.
    pub(super) text: Option<String>,
    /// The known prefix, if the rest is unknown.
    pub(super) prefix: String,
    /// The word as written.
    pub(super) source: String,
}

impl Value {
    pub(super) fn known(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { source: text.clone(), text: Some(text), prefix: String::new() }
    }

    /// An unknown value.
    pub(super) fn any(source: impl Into<String>) -> Self {
        Self { source: source.into(), ..Self::default() }
    }

    /// The same word with another text.
    pub(super) fn with(&self, text: impl Into<String>) -> Self {
        Self { source: self.source.clone(), text: Some(text.into()), prefix: String::new() }
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.text.as_deref() == Some(text)
    }

    /// The text, empty if unknown.
    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    pub(super) fn is_option(&self) -> bool {
        self.text().starts_with('-') && !self.is("-")
    }
}

/// A word under construction. It becomes several words if an unquoted variable contains blanks.
#[derive(Default)]
pub(super) struct Building {
    done: Vec<Value>,
    text: String,
    /// Whether something unknown follows the text.
    open: bool,
    /// Whether there is a word, even an empty one.
    there: bool,
    /// Whether it stays one word, whatever it contains.
    whole: bool,
}

impl Building {
    /// For the value of an assignment, or for a text.
    pub(super) fn whole() -> Self {
        Self { whole: true, ..Self::default() }
    }

    pub(super) fn push(&mut self, one: char) {
        self.there = true;
        if !self.open {
            self.text.push(one);
        }
    }

    pub(super) fn push_str(&mut self, text: &str) {
        text.chars().for_each(|one| self.push(one));
    }

    /// Quotes: the word exists even if it is empty.
    pub(super) fn quotes(&mut self) {
        self.there = true;
    }

    /// Appends something unknown.
    pub(super) fn gap(&mut self) {
        (self.there, self.open) = (true, true);
    }

    /// Appends the value of an unquoted variable: blanks end the word, and glob patterns are unknown.
    pub(super) fn split(&mut self, text: &str) {
        if self.whole {
            return self.push_str(text);
        }
        for (at, piece) in text.split([' ', '\t', '\n']).enumerate() {
            if at > 0 {
                self.end();
            }
            if piece.contains(['*', '?', '[']) {
                self.gap();
            }
            self.push_str(piece);
        }
    }

    fn end(&mut self) {
        let text = mem::take(&mut self.text);
        let open = mem::take(&mut self.open);
        if mem::take(&mut self.there) {
            let (text, prefix) = if open { (None, text) } else { (Some(text), String::new()) };
            self.done.push(Value { text, prefix, source: String::new() });
        }
    }

    /// The resulting words, with `source` as their spelling.
    pub(super) fn finish(mut self, source: &str) -> Vec<Value> {
        self.end();
        self.done.iter_mut().for_each(|value| value.source = source.to_owned());
        self.done
    }

    /// The single word, if nothing was split.
    pub(super) fn finish_one(self, source: &str) -> Value {
        self.finish(source).pop().unwrap_or_else(|| Value::any(source).with(""))
    }
}
