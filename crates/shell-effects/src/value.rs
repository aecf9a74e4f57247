//! What a word becomes when the command runs, as far as that is known.

use std::mem;

/// A word after expansion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Value {
    /// All of it, where it is known.
    pub(super) text: Option<String>,
    /// What it begins with, where the rest is not known.
    pub(super) prefix: String,
    /// How it was written.
    pub(super) source: String,
}

impl Value {
    pub(super) fn known(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { source: text.clone(), text: Some(text), prefix: String::new() }
    }

    /// Anything at all.
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

    /// Its text, empty where it is not known.
    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    pub(super) fn is_option(&self) -> bool {
        self.text().starts_with('-') && !self.is("-")
    }
}

/// A word while it is read. It becomes several where an unquoted variable holds blanks.
#[derive(Default)]
pub(super) struct Building {
    done: Vec<Value>,
    text: String,
    /// Whether something follows the text that nobody knows.
    open: bool,
    /// Whether there is a word, even an empty one.
    there: bool,
    /// Whether it stays one word, whatever it holds.
    whole: bool,
}

impl Building {
    /// The value of an assignment, or a text.
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

    /// Quotes stand here: the word is there, even if it is empty.
    pub(super) fn quotes(&mut self) {
        self.there = true;
    }

    /// Something that nobody knows comes here.
    pub(super) fn gap(&mut self) {
        (self.there, self.open) = (true, true);
    }

    /// The value of an unquoted variable: blanks end the word, and patterns are not known.
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

    /// The words, written like this.
    pub(super) fn finish(mut self, source: &str) -> Vec<Value> {
        self.end();
        self.done.iter_mut().for_each(|value| value.source = source.to_owned());
        self.done
    }

    /// The one word that it is where nothing is split.
    pub(super) fn finish_one(self, source: &str) -> Value {
        self.finish(source).pop().unwrap_or_else(|| Value::any(source).with(""))
    }
}
