//! Private keys: on one line (in JSON), on many lines, or partly cut off.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;

use crate::{key_structure, kind::Kind, known_keys::is_base64, line};

/// The dashes around the first and the last line of a key.
pub(crate) const DASHES: &[u8] = b"-----";
/// The first line of a PuTTY key.
const PUTTY: &[u8] = b"Private-Lines: ";
/// The name of OpenVPN's shared static key.
const OPENVPN: &[u8] = b"OpenVPN Static key V1";
/// The shortest base64 word that may be the first line of a key, in characters.
const SHORTEST_FIRST: usize = 24;
/// The shortest last line of a key without a sign at its end, in characters. A word may be shorter.
const SHORTEST_LAST: usize = 16;
/// The shortest base64 word that is a full line of a key, in characters.
const SHORTEST_FULL: usize = 44;
/// The most bytes of a line that are scanned for the rest of a key.
const LONGEST: usize = 32 * 1024;
/// The most lines of a possible key without a first line that are held until its last line.
const HELD: usize = 128;

/// The longest mark, in bytes.
const LONGEST_MARK: usize = 80;
/// The most bytes of a line that are scanned for its end mark.
const LAST_WITHIN: usize = 256;

/// Position of a stream relative to a key. Held lines are already masked, and decisions are based on their
/// masked form, so redacting the output again gives the same result.
#[derive(Clone, Debug, Default)]
pub(crate) enum Place {
    /// Outside a key.
    #[default]
    Outside,
    /// After first lines, which are held, as the text may merely mention keys; and where in them the first one starts.
    Begun(Held, usize),
    /// Inside a key whose redaction mark is already written.
    Inside,
    /// After lines that may belong to a key whose first line is missing.
    Perhaps(Vec<Held>),
    /// After more such lines than a key has.
    Data,
}

/// A masked line that is held back.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    text: Vec<u8>,
    changed: bool,
}

impl Held {
    fn of(line: &[u8], before: Option<u8>) -> Self {
        let mut text = Vec::with_capacity(line.len());
        let changed = line::mask(line, before, &mut text);
        Self { text, changed }
    }

    fn release(self, out: &mut Vec<u8>) -> bool {
        out.extend_from_slice(&self.text);
        self.changed
    }
}

impl Place {
    /// Takes a whole line, including its line ending. Returns whether anything was redacted.
    pub(crate) fn line(&mut self, text: &[u8], before: Option<u8>, out: &mut Vec<u8>) -> bool {
        let line = Held::of(text, before);
        let is = |test: fn(&[u8]) -> bool| test(&line.text);
        match std::mem::take(self) {
            Self::Outside => self.outside(line, out),
            Self::Begun(first, start)
                if is_beginning(text) || is(is_beginning) || is(is_last) || is(is_masked) =>
            {
                let mut first = first.text;
                first.truncate(start);
                first.extend_from_slice(Kind::PrivateKey.mark().as_bytes());
                first.push(b'\n');
                line::mask(&first, None, out);
                self.inside(&line.text, out);
                true
            }
            // One first line after another: what follows the second one follows the first one as well.
            Self::Begun(mut first, start)
                if start_of_key(&line.text) == Some(0) && first.text.len() <= LONGEST =>
            {
                first.text.extend_from_slice(&line.text);
                first.changed |= line.changed;
                *self = Self::Begun(first, start);
                false
            }
            Self::Begun(first, _) => {
                let changed = first.release(out);
                self.outside(line, out) || changed
            }
            Self::Inside if is_body(text) || is(is_body) || is(is_last) || is(is_masked) => {
                self.inside(&line.text, out);
                true
            }
            Self::Inside => self.outside(line, out),
            Self::Perhaps(held) if is(is_last) => {
                drop(held);
                out.extend_from_slice(Kind::PrivateKey.mark().as_bytes());
                out.push(b'\n');
                self.inside(&line.text, out);
                true
            }
            Self::Perhaps(mut held) if is_data(&line.text, 1) => {
                held.push(line);
                if held.len() <= HELD {
                    *self = Self::Perhaps(held);
                    return false;
                }
                *self = Self::Data;
                release(held, out)
            }
            Self::Perhaps(held) => {
                let changed = release_parts(held, out);
                self.outside(line, out) || changed
            }
            Self::Data if is_data(&line.text, 1) => {
                *self = Self::Data;
                line.release(out)
            }
            Self::Data => self.outside(line, out),
        }
    }

    /// Ends the text and releases the lines still held.
    pub(crate) fn finish(self, out: &mut Vec<u8>) -> bool {
        match self {
            Self::Outside | Self::Inside | Self::Data => false,
            Self::Begun(first, _) => first.release(out),
            Self::Perhaps(held) => release_parts(held, out),
        }
    }

    fn outside(&mut self, line: Held, out: &mut Vec<u8>) -> bool {
        if let Some(start) = start_of_key(&line.text) {
            *self = Self::Begun(line, start);
            false
        } else if let Some(start) = start_of_data(&line.text) {
            masked_from(line, start, out);
            *self = Self::Inside;
            true
        } else if is_data(&line.text, 32) {
            *self = Self::Perhaps(vec![line]);
            false
        } else {
            line.release(out)
        }
    }

    /// Drops a line of a key. Text after its end mark starts a line of its own.
    fn inside(&mut self, text: &[u8], out: &mut Vec<u8>) {
        let Some(end) = last_mark(text) else {
            *self = Self::Inside;
            return;
        };
        *self = Self::Outside;
        let rest = text.get(end..).unwrap_or_default();
        if !rest.trim_ascii().is_empty() {
            self.outside(Held::of(rest, None), out);
        }
    }
}

fn release(held: Vec<Held>, out: &mut Vec<u8>) -> bool {
    let mut changed = false;
    for line in held {
        changed |= line.release(out);
    }
    changed
}

/// The data of each private key in the text of a file, without line breaks.
pub(crate) fn bodies(file: &[u8]) -> Vec<Vec<u8>> {
    let mut bodies = Vec::new();
    let mut body: Option<Vec<u8>> = None;
    for line in file.split(|byte| *byte == b'\n') {
        if start_of_key(line).is_some() {
            bodies.extend(body.replace(Vec::new()));
        } else if let Some(data) = &mut body {
            if is_data(line, 1) {
                data.extend_from_slice(line.trim_ascii());
            } else if !is_header(line) {
                bodies.extend(body.take());
            }
        }
    }
    bodies.extend(body);
    bodies
}

/// Releases lines of data, without those that are part of a private key by their structure.
fn release_parts(held: Vec<Held>, out: &mut Vec<u8>) -> bool {
    let mut changed = false;
    let mut full: Vec<Held> = Vec::new();
    for line in held {
        if is_full(&line.text) {
            full.push(line);
            continue;
        }
        let is_part = is_part_of_key(&full);
        changed |= release_full(std::mem::take(&mut full), is_part, out);
        changed |= (is_part && is_last_of_data(&line.text)) || release_start(line, out);
    }
    let is_part = is_part_of_key(&full);
    release_full(full, is_part, out) || changed
}

/// Releases a line, without the key that starts in it: alone it would be known by its beginning.
fn release_start(line: Held, out: &mut Vec<u8>) -> bool {
    let Some(start) = start_of_data(&line.text) else { return line.release(out) };
    masked_from(line, start, out);
    true
}

/// Puts out a line up to `start`, and the mark of a private key in place of the rest.
fn masked_from(line: Held, start: usize, out: &mut Vec<u8>) {
    let mut before = line.text;
    before.truncate(start);
    before.extend_from_slice(Kind::PrivateKey.mark().as_bytes());
    before.push(b'\n');
    line::mask(&before, None, out);
}

/// Releases full lines of data, or a mark in their place.
fn release_full(full: Vec<Held>, is_part: bool, out: &mut Vec<u8>) -> bool {
    let Some(first) = full.first().filter(|_| is_part) else { return release(full, out) };
    let mut masked = data_at_end(&first.text).0.to_vec();
    masked.extend_from_slice(Kind::PrivateKey.mark().as_bytes());
    masked.push(b'\n');
    line::mask(&masked, None, out);
    true
}

/// Whether lines of data are part of a private key. A line with a redaction mark in it is not decoded.
fn is_part_of_key(full: &[Held]) -> bool {
    let words = full.iter().map(|line| line.text.get(data_at_end(&line.text).0.len()..).unwrap_or_default());
    let words: Vec<_> = words.map(<[u8]>::trim_ascii).collect();
    let is_plain = |word: &&[u8]| word.iter().all(|byte| is_base64(*byte));
    words
        .chunk_by(|one, other| is_plain(one) == is_plain(other))
        .any(|words| key_structure::is_part(&words.concat()))
}

/// Whether it may be the shorter line at the end of data: four characters stand for three bytes.
fn is_last_of_data(text: &[u8]) -> bool {
    let (_, length) = data_at_end(text);
    length % 4 == 0 && (length >= SHORTEST_LAST || text.trim_ascii_end().ends_with(b"="))
}

/// Whether it is a full line of data, and not a hash in hexadecimal digits.
fn is_full(text: &[u8]) -> bool {
    is_data(text, SHORTEST_FULL)
        && !text.trim_ascii_end().iter().rev().take(SHORTEST_FULL).all(u8::is_ascii_hexdigit)
}

/// A mark like `-----BEGIN RSA PRIVATE KEY-----`.
pub(crate) struct Mark {
    /// Where it begins.
    pub(crate) start: usize,
    /// Where it ends.
    pub(crate) end: usize,
    begins: bool,
}

/// The first mark of a line from `from` on.
pub(crate) fn mark(line: &[u8], from: usize) -> Option<Mark> {
    let mut at = from;
    loop {
        at += find(line.get(at..)?, DASHES)?;
        if let Some(mark) = mark_at(line, at) {
            return Some(mark);
        }
        at += 1;
    }
}

/// The mark that starts at `start`. Its name is a few short words in capitals; a longer word may be a secret.
fn mark_at(line: &[u8], start: usize) -> Option<Mark> {
    let rest = line.get(start..)?;
    let rest = rest.get(..LONGEST_MARK).unwrap_or(rest).strip_prefix(DASHES)?;
    let (begins, rest) = match rest.strip_prefix(b"BEGIN ") {
        Some(rest) => (true, rest),
        None => (false, rest.strip_prefix(b"END ")?),
    };
    let name = rest.get(..find(rest, DASHES)?)?;
    let is_private = name.ends_with(b"PRIVATE KEY") || name.ends_with(b"PRIVATE KEY BLOCK");
    let is_short = |word: &[u8]| {
        word.len() <= 12 && word.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    let is_mark = name == OPENVPN || (is_private && name.split(|byte| *byte == b' ').all(is_short));
    let before = if begins { b"-----BEGIN ".len() } else { b"-----END ".len() };
    is_mark.then_some(Mark { start, end: start + before + name.len() + DASHES.len(), begins })
}

/// The end of the key that this mark begins, if the key ends, or is cut off, on the same line.
pub(crate) fn within(line: &[u8], mark: &Mark) -> Option<usize> {
    if !mark.begins {
        return None;
    }
    let rest = line.get(mark.end..)?;
    let rest = rest.get(..LONGEST).unwrap_or(rest);
    // A single dash belongs to a header such as `Proc-Type`; several are the end mark.
    let dash = |at: usize| rest.get(at) == Some(&b'-') && rest.get(at + 1) != Some(&b'-');
    let belongs = |at: usize, byte: u8| is_base64(byte) || b"\\ ,:".contains(&byte) || dash(at);
    let body = rest.iter().enumerate().take_while(|(at, byte)| belongs(*at, **byte)).count();
    if let Some(last) = mark_at(line, mark.end + body).filter(|last| !last.begins) {
        return Some(last.end);
    }
    let body = rest.get(..body)?;
    let letters = body.iter().filter(|byte| is_base64(**byte)).count();
    (letters >= 32).then_some(mark.end + body.len())
}

/// Where the last unfinished key of a part of a line starts; a few trailing dashes may be the start of one.
/// Never the very start of the part.
pub(crate) fn last_start(part: &[u8]) -> Option<usize> {
    const BEGIN: &[u8] = b"-----BEGIN ";
    let begun = part.windows(BEGIN.len()).rposition(|window| window == BEGIN).filter(|start| {
        let mut marks = std::iter::successors(mark(part, *start), |last| mark(part, last.end));
        marks.all(|mark| mark.begins)
    });
    let beginnings = || (1..BEGIN.len()).rev().filter_map(|length| BEGIN.get(..length));
    let begins = || beginnings().find(|start| part.ends_with(start)).map(|start| part.len() - start.len());
    begun.or_else(begins).filter(|start| *start > 0)
}

/// Whether the text may contain a PEM mark.
pub(crate) fn may_be_in(text: &[u8]) -> bool {
    // Without SIMD there is no searcher, and every text is examined closely.
    static SOUGHT: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new([DASHES, PUTTY]));
    SOUGHT.as_ref().is_none_or(|sought| sought.find(text).is_some())
        || memchr::memchr_iter(b'\n', text)
            .chain([text.len()])
            .any(|end| may_be_data(text.get(..end).unwrap_or_default()))
}

/// Whether the last line of the text may be the first one of a key, or one from the middle of it.
fn may_be_data(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let length = text.iter().rev().take(LONGEST).take_while(|byte| is_base64(**byte)).count();
    let word = text.get(text.len() - length..).unwrap_or_default();
    let is_first = word.starts_with(&[key_structure::SEQUENCE]) || word.starts_with(key_structure::OPENSSH);
    length >= SHORTEST_FIRST && (is_first || is_full(word))
}

/// Where a key starts in a line that its data follow.
fn start_of_key(text: &[u8]) -> Option<usize> {
    let trimmed = text.trim_ascii_end();
    if trimmed.starts_with(PUTTY) {
        return Some(0);
    }
    let from = trimmed.len().saturating_sub(LONGEST_MARK);
    let mut marks = std::iter::successors(mark(trimmed, from), |last| mark(trimmed, last.end));
    marks.find(|mark| mark.begins && mark.end == trimmed.len()).map(|mark| mark.start)
}

/// Where key data start in a line that ends with them.
fn start_of_data(text: &[u8]) -> Option<usize> {
    let trimmed = text.trim_ascii_start();
    let start = text.len() - trimmed.len() + data_at_end(text).0.len();
    let data = text.get(start..)?;
    (is_data(text, SHORTEST_FIRST) && key_structure::begins(data)).then_some(start)
}

fn is_last(text: &[u8]) -> bool {
    last_mark(text).is_some()
}

/// The end of the first end mark.
fn last_mark(text: &[u8]) -> Option<usize> {
    let text = text.get(..LAST_WITHIN).unwrap_or(text);
    let mut marks = std::iter::successors(mark(text, 0), |last| mark(text, last.end));
    marks.find(|mark| !mark.begins).map(|mark| mark.end)
}

/// Whether it may be the line after the first line of a key.
fn is_beginning(text: &[u8]) -> bool {
    is_data(text, 24) || (is_header(text) && !text.trim_ascii().is_empty())
}

fn is_body(text: &[u8]) -> bool {
    is_data(text, 1) || is_header(text)
}

/// Whether a learned key was redacted there, and nothing else was in the line but what is left of its data.
fn is_masked(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let rest = text.strip_prefix(Kind::PrivateKey.mark().as_bytes());
    rest.is_some_and(|rest| rest.iter().all(|byte| is_base64(*byte)))
}

/// Whether it is a line before the data: blank, or an encryption header.
fn is_header(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.is_empty() || text.starts_with(b"Proc-Type:") || text.starts_with(b"DEK-Info:")
}

/// Whether it is one base64 word of at least `least` characters, optionally after a line number or quote
/// prefix.
fn is_data(text: &[u8], least: usize) -> bool {
    let (before, length) = data_at_end(text);
    // A sentence ends in a word, too.
    let least = if before.is_empty() { least } else { least.max(24) };
    let may_end = before.last().is_none_or(|byte| matches!(byte, b' ' | b'\t' | b':' | b'|' | b'>'));
    may_end && length >= least && length <= 128
}

/// The text before the base64 word at the end of a line, and the length of that word. A redaction mark inside
/// the word counts as one character.
fn data_at_end(text: &[u8]) -> (&[u8], usize) {
    let (mut rest, mut length) = (text.trim_ascii(), 0);
    loop {
        if let Some(before) = without_mark(rest) {
            (rest, length) = (before, length + 1);
        } else if let Some((_, before)) = rest.split_last().filter(|(byte, _)| is_base64(**byte)) {
            (rest, length) = (before, length + 1);
        } else {
            return (rest, length);
        }
    }
}

/// The text before the redaction mark at its end. A private key's mark does not count: no key continues after
/// it.
fn without_mark(text: &[u8]) -> Option<&[u8]> {
    if text.last() != Some(&b']') {
        return None;
    }
    let mut kinds = Kind::ALL.into_iter().filter(|kind| *kind != Kind::PrivateKey);
    kinds.find_map(|kind| text.strip_suffix(kind.mark().as_bytes()))
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part)
}
