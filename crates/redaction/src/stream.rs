//! Redaction of a text that arrives in pieces.

use std::sync::Arc;

use crate::{
    context::Context,
    known_values::Values,
    learned_keys::Parts,
    pem::{self, Place},
};

/// The most bytes of a line that are buffered. Longer lines are processed in parts.
pub(crate) const LONGEST_LINE: usize = 64 * 1024;
/// How far before the end of a part to look for a field separator to cut at.
const CUT_WITHIN: usize = 8 * 1024;

/// Redacts a text that arrives in pieces. The output does not depend on how the text is split. A line is
/// buffered until it is complete.
///
/// ```
/// use artoo_redaction::Redactor;
///
/// let redactor = Redactor::new();
/// let mut stream = redactor.stream();
/// let mut out = Vec::new();
/// stream.push(b"it is ghp_0123456789", &mut out);
/// stream.push(b"abcdefghij now\n", &mut out);
/// assert!(stream.finish(&mut out));
/// assert_eq!(out, b"it is [redacted: api key] now\n");
/// ```
pub struct Stream {
    values: Arc<Values>,
    keys: Option<Arc<Parts>>,
    /// A possible beginning of a known value.
    held: Vec<u8>,
    /// The line so far.
    line: Vec<u8>,
    /// The byte before the line, if the line is a part of a longer one.
    before: Option<u8>,
    place: Place,
    context: Context,
    /// Lines with private keys and single-line secrets already masked.
    masked: Vec<u8>,
    changed: bool,
}

impl Stream {
    pub(crate) fn new(values: Arc<Values>, keys: Option<Arc<Parts>>) -> Self {
        Self {
            values,
            keys,
            held: Vec::new(),
            line: Vec::new(),
            before: None,
            place: Place::default(),
            context: Context::default(),
            masked: Vec::new(),
            changed: false,
        }
    }

    /// Takes a piece and appends to `out` what is settled.
    pub fn push(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        self.take(piece, true, out);
    }

    /// Appends the rest to `out`. Returns whether anything was redacted in the whole text.
    pub fn finish(mut self, out: &mut Vec<u8>) -> bool {
        self.take(b"", false, out);
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.line(&line, self.before, out);
        }
        let mut masked = Vec::new();
        self.changed |= self.place.finish(&mut masked);
        self.changed |= self.context.lines(&masked, out);
        self.context.finish(out) || self.changed
    }

    fn take(&mut self, piece: &[u8], more: bool, out: &mut Vec<u8>) {
        if self.values.len() == 0 {
            self.lines(piece, out);
            return;
        }
        let mut text = std::mem::take(&mut self.held);
        text.extend_from_slice(piece);
        let mut masked = Vec::with_capacity(text.len());
        let done = self.values.mask(&text, more, &mut masked, &mut self.changed);
        self.held = text.split_off(done);
        self.lines(&masked, out);
    }

    fn lines(&mut self, text: &[u8], out: &mut Vec<u8>) {
        for part in text.split_inclusive(|byte| *byte == b'\n') {
            let mut part = part;
            while self.line.len() + part.len() > LONGEST_LINE {
                let (now, later) = part.split_at(LONGEST_LINE - self.line.len());
                self.line.extend_from_slice(now);
                part = later;
                self.cut(out);
            }
            if part.last() != Some(&b'\n') {
                self.line.extend_from_slice(part);
            } else if self.line.is_empty() {
                let before = self.before.take();
                self.line(part, before, out);
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(part);
                let before = self.before.take();
                self.line(&line, before, out);
                line.clear();
                self.line = line;
            }
        }
    }

    /// Processes the first part of a long line, cut after a field separator near its end.
    fn cut(&mut self, out: &mut Vec<u8>) {
        let from = self.line.len().saturating_sub(CUT_WITHIN);
        let near = self.line.get(from..).unwrap_or_default();
        let between = |byte: &u8| matches!(byte, b',' | b';' | b'{' | b'}' | b'\t' | b'&');
        let blank = |byte: &u8| *byte == b' ';
        let end = near.iter().rposition(between).or_else(|| near.iter().rposition(blank));
        // Not within a key that has started there.
        let end = pem::last_start(near).or(end.map(|end| end + 1)).map_or(self.line.len(), |end| from + end);
        let rest = self.line.split_off(end);
        let part = std::mem::replace(&mut self.line, rest);
        self.line(&part, self.before, out);
        self.before = part.last().copied();
    }

    fn line(&mut self, line: &[u8], before: Option<u8>, out: &mut Vec<u8>) {
        self.masked.clear();
        let mut known = Vec::new();
        let line = match &self.keys {
            Some(keys) if keys.mask(line, &mut known) => {
                self.changed = true;
                known.as_slice()
            }
            Some(_) | None => line,
        };
        self.changed |= self.place.line(line, before, &mut self.masked);
        self.changed |= self.context.lines(&self.masked, out);
    }
}

/// Does not show the buffered text.
impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("changed", &self.changed).finish_non_exhaustive()
    }
}
