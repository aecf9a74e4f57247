//! Private keys: one line (in JSON), many lines, or what is left of them where an output was cut.

use crate::{kind::Kind, line};

/// With which the first and the last line of a key begin and end.
pub(crate) const DASHES: &[u8] = b"-----";
/// With which the keys of PuTTY begin.
const PUTTY: &[u8] = b"Private-Lines: ";
/// The most bytes of a line that are looked at for the rest of a key.
const LONGEST: usize = 32 * 1024;
/// The most lines without a first line that are held until the last one comes.
const HELD: usize = 128;

/// Where a stream is.
#[derive(Clone, Debug, Default)]
pub(crate) enum Place {
    /// Outside.
    #[default]
    Outside,
    /// Behind a first line, which is held: a text may talk of keys.
    Begun(Vec<u8>),
    /// Between the lines of a key, whose mark is written.
    Inside,
    /// Behind lines that may be the rest of a key whose first line is not there.
    Perhaps(Vec<Vec<u8>>),
    /// Behind more of those than a key has.
    Data,
}

impl Place {
    /// Takes a whole line, with its end. Whether something was taken out.
    pub(crate) fn line(&mut self, text: &[u8], before: Option<u8>, out: &mut Vec<u8>) -> bool {
        match std::mem::take(self) {
            Self::Outside => self.outside(text, before, out),
            Self::Begun(first) if is_beginning(text) || is_last(text) => {
                let mut first = first;
                first.truncate(start_of_first(&first));
                first.extend_from_slice(Kind::PrivateKey.mark().as_bytes());
                first.push(b'\n');
                line::mask(&first, None, out);
                self.inside(text, out);
                true
            }
            Self::Begun(first) => {
                let changed = line::mask(&first, None, out);
                self.outside(text, before, out) || changed
            }
            Self::Inside if is_body(text) || is_last(text) => {
                self.inside(text, out);
                true
            }
            Self::Inside => self.outside(text, before, out),
            Self::Perhaps(held) if is_last(text) => {
                drop(held);
                out.extend_from_slice(Kind::PrivateKey.mark().as_bytes());
                out.push(b'\n');
                self.inside(text, out);
                true
            }
            Self::Perhaps(mut held) if is_data(text, 1) => {
                held.push(text.to_vec());
                if held.len() <= HELD {
                    *self = Self::Perhaps(held);
                    return false;
                }
                *self = Self::Data;
                release(held, out)
            }
            Self::Perhaps(held) => {
                let changed = release(held, out);
                self.outside(text, before, out) || changed
            }
            Self::Data if is_data(text, 1) => {
                *self = Self::Data;
                line::mask(text, before, out)
            }
            Self::Data => self.outside(text, before, out),
        }
    }

    /// Nothing more comes.
    pub(crate) fn finish(self, out: &mut Vec<u8>) -> bool {
        match self {
            Self::Outside | Self::Inside | Self::Data => false,
            Self::Begun(first) => line::mask(&first, None, out),
            Self::Perhaps(held) => release(held, out),
        }
    }

    fn outside(&mut self, text: &[u8], before: Option<u8>, out: &mut Vec<u8>) -> bool {
        if is_first(text) {
            *self = Self::Begun(text.to_vec());
            false
        } else if is_data(text, 32) {
            *self = Self::Perhaps(vec![text.to_vec()]);
            false
        } else {
            line::mask(text, before, out)
        }
    }

    /// Leaves out a line of a key; what stands behind its last mark begins a line of its own.
    fn inside(&mut self, text: &[u8], out: &mut Vec<u8>) {
        let Some(end) = last_mark(text) else {
            *self = Self::Inside;
            return;
        };
        *self = Self::Outside;
        let rest = text.get(end..).unwrap_or_default();
        if !rest.trim_ascii().is_empty() {
            self.outside(rest, None, out);
        }
    }
}

fn release(held: Vec<Vec<u8>>, out: &mut Vec<u8>) -> bool {
    let mut changed = false;
    for text in held {
        changed |= line::mask(&text, None, out);
    }
    changed
}

/// The end of a key that begins at `at` and ends, or is cut off, on the same line.
pub(crate) fn within(line: &[u8], at: usize) -> Option<usize> {
    let header = header(line, at, b"-----BEGIN ")?;
    let rest = line.get(header..)?;
    let rest = rest.get(..LONGEST).unwrap_or(rest);
    // A dash belongs to a header like `Proc-Type`, several to the last mark.
    let dash = |at: usize| rest.get(at) == Some(&b'-') && rest.get(at + 1) != Some(&b'-');
    let belongs = |at: usize, byte: u8| is_base64(byte) || b"\\ ,:".contains(&byte) || dash(at);
    let body = rest.iter().enumerate().take_while(|(at, byte)| belongs(*at, **byte)).count();
    if let Some(end) = self::header(line, header + body, b"-----END ") {
        return Some(end);
    }
    let body = rest.get(..body)?;
    let letters = body.iter().filter(|byte| is_base64(**byte)).count();
    (letters >= 32).then_some(header + body.len())
}

/// Behind a mark like `-----BEGIN RSA PRIVATE KEY-----` at `at`.
fn header(line: &[u8], at: usize, mark: &[u8]) -> Option<usize> {
    let rest = line.get(at..)?.strip_prefix(mark)?;
    let name = rest.get(..find(rest.get(..64).unwrap_or(rest), DASHES)?)?;
    let is_private = name.ends_with(b"PRIVATE KEY") || name.ends_with(b"PRIVATE KEY BLOCK");
    is_private.then_some(at + mark.len() + name.len() + DASHES.len())
}

/// Whether there is a mark of a key in the text.
pub(crate) fn may_be_in(text: &[u8]) -> bool {
    find(text, DASHES).is_some() || find(text, PUTTY).is_some()
}

/// Whether a key begins with the next line.
fn is_first(text: &[u8]) -> bool {
    let trimmed = text.trim_ascii_end();
    trimmed.starts_with(PUTTY)
        || find(trimmed, b"-----BEGIN ").and_then(|at| header(trimmed, at, b"-----BEGIN "))
            == Some(trimmed.len())
            && !trimmed.is_empty()
}

fn start_of_first(first: &[u8]) -> usize {
    find(first, b"-----BEGIN ").or_else(|| find(first, PUTTY)).unwrap_or_default()
}

fn is_last(text: &[u8]) -> bool {
    last_mark(text).is_some()
}

fn last_mark(text: &[u8]) -> Option<usize> {
    let text = text.get(..256).unwrap_or(text);
    header(text, find(text, b"-----END ")?, b"-----END ")
}

/// Whether it may be the line behind the first one.
fn is_beginning(text: &[u8]) -> bool {
    is_data(text, 24) || (is_header(text) && !text.trim_ascii().is_empty())
}

fn is_body(text: &[u8]) -> bool {
    is_data(text, 1) || is_header(text)
}

/// What stands before the data: nothing, or how it is encrypted.
fn is_header(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.is_empty() || text.starts_with(b"Proc-Type:") || text.starts_with(b"DEK-Info:")
}

/// Whether it is one word in base64 with at least this many characters, behind what numbers or quotes lines.
fn is_data(text: &[u8], least: usize) -> bool {
    let text = text.trim_ascii();
    let from = text.iter().rposition(|byte| matches!(byte, b' ' | b'\t' | b':' | b'|' | b'>'));
    let word = text.get(from.map_or(0, |from| from + 1)..).unwrap_or_default();
    // A sentence ends in a word, too.
    let least = if from.is_some() { least.max(24) } else { least };
    word.len() >= least && word.len() <= 128 && word.iter().all(|byte| is_base64(*byte))
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part)
}
