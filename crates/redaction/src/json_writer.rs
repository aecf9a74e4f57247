//! JSON serialisation that redacts secrets.
//!
//! Strings are redacted while they are written: building a value tree for each message would cost more than
//! the rest of the journal together.

use std::{
    borrow::Cow,
    collections::HashSet,
    io::{self, Write},
};

use serde::Serialize;
use serde_json::{
    Serializer,
    ser::{CharEscape, CompactFormatter, Formatter},
};

use crate::{Redactor, secret_names};

/// Shorter strings are never secrets, whatever the field is called.
const SHORTEST: usize = 4;
/// How many short strings are cached. Field names, enum values and ids repeat constantly.
const REMEMBERED: usize = 1024;
/// The longest string that is cached, in bytes.
const SHORT: usize = 40;

/// Writes values as one line of JSON, without secrets.
///
/// ```
/// use artoo_redaction::{JsonWriter, Redactor};
///
/// let mut writer = JsonWriter::new(Redactor::new());
/// let mut line = Vec::new();
/// let value = serde_json::json!({"say": "my key is AKIAIOSFODNN7EXAMPLE", "password": "apple"});
/// writer.write(&value, &mut line)?;
/// let expected = r#"{"say":"my key is [redacted: api key]","password":"[redacted: password]"}"#;
/// assert_eq!(String::from_utf8(line)?, expected);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JsonWriter {
    redactor: Redactor,
    clean: Remembered,
    /// Field names that do not name secrets.
    plain: Remembered,
    /// What the redactor had learned when the strings were cached.
    learned: usize,
}

impl JsonWriter {
    /// A writer that redacts with `redactor`.
    pub fn new(redactor: Redactor) -> Self {
        let learned = redactor.learned();
        Self { redactor, clean: Remembered::default(), plain: Remembered::default(), learned }
    }

    /// Appends the value to `out`.
    ///
    /// # Errors If the value cannot be represented as JSON.
    pub fn write(&mut self, value: &impl Serialize, out: &mut Vec<u8>) -> io::Result<()> {
        let learned = self.redactor.learned();
        if learned != std::mem::replace(&mut self.learned, learned) {
            self.clean = Remembered::default();
        }
        let redacting = Redacting {
            redactor: &self.redactor,
            clean: &mut self.clean,
            plain: &mut self.plain,
            text: String::new(),
            name: String::new(),
            is_name: false,
            has_name: false,
            names_a_secret: false,
        };
        value.serialize(&mut Serializer::with_formatter(out, redacting))?;
        Ok(())
    }
}

/// A bounded cache of short strings.
#[derive(Debug, Default)]
struct Remembered(HashSet<Box<str>>);

impl Remembered {
    fn has(&self, text: &str) -> bool {
        text.len() <= SHORT && self.0.contains(text)
    }

    fn add(&mut self, text: &str) {
        if text.len() > SHORT || self.0.contains(text) {
            return;
        }
        if self.0.len() >= REMEMBERED {
            self.0.clear();
        }
        self.0.insert(text.into());
    }
}

/// A JSON formatter that buffers each string and redacts it as a whole.
struct Redacting<'a> {
    redactor: &'a Redactor,
    clean: &'a mut Remembered,
    plain: &'a mut Remembered,
    text: String,
    /// The name of the current field, and whether the current string is that name or its value.
    name: String,
    is_name: bool,
    has_name: bool,
    /// Whether the field name names a secret.
    names_a_secret: bool,
}

impl Redacting<'_> {
    fn redacted(&mut self) -> Cow<'_, str> {
        let value_of = !self.is_name && std::mem::take(&mut self.has_name);
        if self.text.len() < SHORTEST {
            return Cow::Borrowed(&self.text);
        }
        if value_of && self.names_a_secret {
            return self.redactor.apply_to_field(&self.name, &self.text);
        }
        if self.clean.has(&self.text) {
            return Cow::Borrowed(&self.text);
        }
        let redacted = self.redactor.apply(&self.text);
        if matches!(redacted, Cow::Borrowed(_)) {
            self.clean.add(&self.text);
        }
        redacted
    }
}

impl Formatter for Redacting<'_> {
    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.is_name = true;
        CompactFormatter.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.has_name = true;
        CompactFormatter.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.has_name = false;
        CompactFormatter.end_object_value(writer)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.has_name = false;
        CompactFormatter.begin_array(writer)
    }

    fn begin_string<W: ?Sized + Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.text.clear();
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, _writer: &mut W, text: &str) -> io::Result<()> {
        self.text.push_str(text);
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
        let written = self.redacted().serialize(&mut Serializer::with_formatter(writer, CompactFormatter));
        if std::mem::take(&mut self.is_name) {
            std::mem::swap(&mut self.name, &mut self.text);
            self.names_a_secret =
                !self.plain.has(&self.name) && secret_names::named(self.name.as_bytes()).is_some();
            if !self.names_a_secret {
                self.plain.add(&self.name);
            }
        }
        Ok(written?)
    }
}
