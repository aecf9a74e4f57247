//! Redaction of lines in context: secrets that the lines around them name.
//!
//! Each decision about the next line is based on the redacted form of the lines before it, so redacting the
//! output again gives the same result.

use crate::{
    blocks::Block,
    forms::is_word,
    kind::Kind,
    line,
    manifest::{self, Manifest},
    names,
};

/// The longest line that is looked at in context, in bytes. A longer line is neither a table row nor a field.
const LONGEST: usize = 8 * 1024;
/// The most passes over one line.
const MOST_LOOKS: usize = 64;

/// State of the lines so far.
#[derive(Debug, Default)]
pub(crate) struct Context {
    manifest: Manifest,
    block: Block,
}

impl Context {
    /// Redacts whole lines into `out`. Returns whether anything was redacted.
    pub(crate) fn lines(&mut self, text: &[u8], out: &mut Vec<u8>) -> bool {
        let mut changed = false;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            if line.len() > LONGEST {
                changed |= std::mem::take(self).finish(out);
                out.extend_from_slice(line);
                continue;
            }
            let Self { manifest, block } = self;
            manifest.line(line, &mut |line, is_data| changed |= released(block, line, is_data, out));
        }
        changed
    }

    /// Ends the text and releases the lines still held.
    pub(crate) fn finish(self, out: &mut Vec<u8>) -> bool {
        let Self { manifest, mut block } = self;
        let mut changed = false;
        manifest.finish(&mut |line, is_data| changed |= released(&mut block, line, is_data, out));
        changed
    }
}

/// Whether the text may hold a secret that another line names.
pub(crate) fn may_be_in(text: &[u8]) -> bool {
    let has_lines = memchr::memchr(b'\n', text).is_some_and(|end| end + 1 < text.len());
    let names = |word: &[u8]| names::named(word).is_some() || word.eq_ignore_ascii_case(b"key");
    has_lines && text.split(|byte| !is_word(*byte)).any(names)
}

fn released(block: &mut Block, line: &[u8], is_data: bool, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let changed =
        settle(line, |line| block.secret(line).or_else(|| manifest::value(line).filter(|_| is_data)), out);
    *block = std::mem::take(block).after(out.get(start..).unwrap_or_default());
    changed
}

/// Writes the line without the secrets that `secret` finds, and repeats until it finds none: a mark changes
/// the word boundaries beside it.
fn settle(line: &[u8], secret: impl Fn(&[u8]) -> Option<(usize, usize, Kind)>, out: &mut Vec<u8>) -> bool {
    let Some(first) = secret(line) else {
        out.extend_from_slice(line);
        return false;
    };
    let (mut line, mut found) = (line.to_vec(), first);
    for _ in 0..MOST_LOOKS {
        let (start, end, kind) = found;
        let mut masked = Vec::with_capacity(line.len() + kind.mark().len());
        masked.extend_from_slice(line.get(..start).unwrap_or_default());
        masked.extend_from_slice(kind.mark().as_bytes());
        masked.extend_from_slice(line.get(end..).unwrap_or_default());
        line.clear();
        line::mask(&masked, None, &mut line);
        match secret(&line) {
            Some(next) => found = next,
            None => {
                out.extend_from_slice(&line);
                return true;
            }
        }
    }
    out.extend_from_slice(Kind::Secret.mark().as_bytes());
    out.extend(line.last().filter(|byte| **byte == b'\n'));
    true
}
