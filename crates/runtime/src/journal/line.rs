//! One envelope as one line, without secrets.
//!
//! Strings are redacted while the line is written: a tree of values of every message would cost more than all the rest of
//! the journal.

use std::{
    collections::HashSet,
    io::{self, Write},
};

use artoo_llm_client::doubles::Redaction;
use artoo_types::Envelope;
use serde::Serialize as _;
use serde_json::{
    Serializer,
    ser::{CharEscape, CompactFormatter, Formatter},
};

/// No secret is shorter (see [`crate::Builder::secret`]), and no form of a key is.
const SHORTEST: usize = 8;
/// Short strings without a secret that are remembered: names of fields and values of enums come again and again.
const REMEMBERED: usize = 1024;
/// The longest of them in bytes.
const SHORT: usize = 32;

/// Writes lines.
pub(super) struct LineWriter {
    redaction: Redaction,
    clean: HashSet<Box<str>>,
    line: Vec<u8>,
}

impl LineWriter {
    /// One that takes these secrets out.
    pub(super) fn new(redaction: Redaction) -> Self {
        Self { redaction, clean: HashSet::new(), line: Vec::new() }
    }

    /// The line, with its end.
    pub(super) fn line(&mut self, envelope: &Envelope) -> io::Result<&[u8]> {
        self.line.clear();
        let redacting = Redacting { redaction: &self.redaction, clean: &mut self.clean, text: String::new() };
        envelope.serialize(&mut Serializer::with_formatter(&mut self.line, redacting))?;
        self.line.push(b'\n');
        Ok(&self.line)
    }
}

/// Holds each string back until it is whole.
struct Redacting<'a> {
    redaction: &'a Redaction,
    clean: &'a mut HashSet<Box<str>>,
    text: String,
}

impl Redacting<'_> {
    fn is_known(&self) -> bool {
        self.text.len() < SHORTEST || (self.text.len() <= SHORT && self.clean.contains(self.text.as_str()))
    }
}

impl Formatter for Redacting<'_> {
    fn begin_string<W: ?Sized + Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.text.clear();
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        _writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        self.text.push_str(fragment);
        Ok(())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        _writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        self.text.push(match escape {
            CharEscape::Quote => '"',
            CharEscape::ReverseSolidus => '\\',
            CharEscape::Solidus => '/',
            CharEscape::Backspace => '\u{8}',
            CharEscape::FormFeed => '\u{c}',
            CharEscape::LineFeed => '\n',
            CharEscape::CarriageReturn => '\r',
            CharEscape::Tab => '\t',
            CharEscape::AsciiControl(byte) => char::from(byte),
        });
        Ok(())
    }

    fn end_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let redacted = if self.is_known() { None } else { Some(self.redaction.apply(&self.text)) };
        let text = redacted.as_ref().unwrap_or(&self.text);
        if redacted.is_some() && *text == self.text && text.len() <= SHORT && self.clean.len() < REMEMBERED {
            self.clean.insert(text.as_str().into());
        }
        text.serialize(&mut Serializer::with_formatter(writer, CompactFormatter))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use artoo_types::{Message, Role, RunId, Warning};
    use proptest::prelude::*;

    use super::*;

    fn envelope(text: &str) -> Envelope {
        let at = chrono::DateTime::parse_from_rfc3339("2026-01-01T00:00:00Z").unwrap();
        let message = Arc::new(Message::from(Warning { role: Role::Planner, message: text.to_owned() }));
        Envelope { seq: 1, run_id: RunId::OPERATOR, at, elapsed_ms: 0, from: Role::Planner, message }
    }

    /// The same by way of a tree of values.
    fn by_the_tree(envelope: &Envelope, redaction: &Redaction) -> String {
        let mut value = serde_json::to_value(envelope).unwrap();
        redaction.apply_to(&mut value);
        value.to_string() + "\n"
    }

    proptest! {
        #[test]
        fn a_line_is_what_the_redacted_value_would_be(
            texts in prop::collection::vec("(hunter2!\"\n|sk-0123456789abcdef|token=|\n|\\PC|[a-z]{1,9}|[\\x00-\\x1f]|\"|\\\\){0,8}", 1..4),
        ) {
            let redaction = Redaction::new().secret("hunter2!\"\n");
            let mut writer = LineWriter::new(redaction.clone());
            for text in texts {
                let envelope = envelope(&text);
                let line = std::str::from_utf8(writer.line(&envelope).unwrap()).unwrap().to_owned();
                prop_assert_eq!(line, by_the_tree(&envelope, &redaction));
            }
        }
    }
}
