//! Redaction of a single line.

use crate::{
    assignment, command_flags, context, key_prefixes, key_shapes,
    kind::Kind,
    known_keys,
    known_keys::is_word,
    password_files, password_hashes, pem, sentence,
    split_strings::{self, JoinedLine},
};

/// The most passes over one line: each pass leaves fewer words that are not marks.
const MOST_LOOKS: usize = 16;

/// Writes the line to `out` without its secrets. Returns whether there was one. `before` is the byte before
/// the line.
///
/// Each position is examined once for what may start there, and each lookahead is bounded.
///
/// A mark changes the word boundaries beside it, so a line with one is scanned again until nothing changes:
/// redacting the output again then changes nothing. A line that does not settle is malicious and is replaced
/// as a whole.
pub(crate) fn mask(line: &[u8], before: Option<u8>, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    mask_once(line, before, out);
    if out.get(start..) == Some(line) {
        return false;
    }
    for _ in 0..MOST_LOOKS {
        let masked = out.split_off(start);
        mask_once(&masked, before, out);
        if out.get(start..) == Some(&masked) {
            return true;
        }
    }
    out.truncate(start);
    out.extend_from_slice(Kind::Secret.mark().as_bytes());
    out.extend(line.last().filter(|byte| **byte == b'\n'));
    true
}

/// Whether the text contains no secret. Most texts are clean, and this check writes nothing.
pub(crate) fn is_clean(text: &[u8]) -> bool {
    !pem::may_be_in(text)
        && !context::may_be_in(text)
        && !text.split_inclusive(|byte| *byte == b'\n').any(has_secret)
}

/// Redacts the line between the PEM marks. The marks stay, so that a second pass still sees where a key
/// begins and ends.
fn mask_once(line: &[u8], before: Option<u8>, out: &mut Vec<u8>) {
    let (mut done, mut before) = (0, before);
    while let Some(mark) = pem::mark(line, done) {
        mask_between(line.get(done..mark.start).unwrap_or_default(), before, out);
        let key = pem::within(line, &mark);
        match key {
            Some(_) => out.extend_from_slice(Kind::PrivateKey.mark().as_bytes()),
            None => out.extend_from_slice(line.get(mark.start..mark.end).unwrap_or_default()),
        }
        (done, before) = (key.unwrap_or(mark.end), None);
    }
    mask_between(line.get(done..).unwrap_or_default(), before, out);
}

fn mask_between(line: &[u8], before: Option<u8>, out: &mut Vec<u8>) {
    let joined = split_strings::joined(line);
    let split = joined.as_ref().map_or_else(Vec::new, |joined| split_secrets(joined, before));
    if !split.is_empty() {
        // The others are found in the next pass.
        return write_masked(line, split.into_iter(), out);
    }
    let mut done = 0;
    let secrets = std::iter::from_fn(|| {
        let (start, end, kind) = next(line, before, done)?;
        done = end;
        Some((start, end, kind))
    });
    write_masked(line, secrets, out);
}

fn write_masked(line: &[u8], secrets: impl Iterator<Item = (usize, usize, Kind)>, out: &mut Vec<u8>) {
    let mut done = 0;
    for (start, end, kind) in secrets {
        out.extend_from_slice(line.get(done..start).unwrap_or_default());
        out.extend_from_slice(kind.mark().as_bytes());
        done = end;
    }
    out.extend_from_slice(line.get(done..).unwrap_or_default());
}

/// The secrets of several parts, as spans of the line.
fn split_secrets(joined: &JoinedLine, before: Option<u8>) -> Vec<(usize, usize, Kind)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some((start, end, kind)) = next(&joined.text, before, at) {
        found.extend(joined.in_line(start, end, kind).map(|(start, end)| (start, end, kind)));
        at = end;
    }
    found
}

/// Whether a line of a clean text has a secret.
fn has_secret(line: &[u8]) -> bool {
    next(line, None, 0).is_some()
        || split_strings::joined(line).is_some_and(|joined| !split_secrets(&joined, None).is_empty())
}

/// The first secret that starts at or after `from`.
fn next(line: &[u8], before: Option<u8>, from: usize) -> Option<(usize, usize, Kind)> {
    if from == 0
        && before.is_none()
        && let Some(found) = password_files::secret(line)
    {
        return Some(found);
    }
    let mut at = from;
    while let Some(byte) = line.get(at).copied() {
        let found = match byte {
            b':' if line.get(at..).is_some_and(|rest| rest.starts_with(b"://")) => {
                let login =
                    known_keys::password_of_url(line, at).map(|(start, end)| (start, end, Kind::Password));
                login.or_else(|| key_shapes::webhook(line, at).map(|(start, end)| (start, end, Kind::ApiKey)))
            }
            b'$' | b'{' | b'*' => password_hashes::marked(line, at).map(|end| (at, end, Kind::Password)),
            // A Windows flag.
            b'/' => command_flags::password(line, at).map(|(start, end)| (start, end, Kind::Password)),
            _ if is_word(byte) => {
                let previous = if at == 0 { before } else { line.get(at - 1).copied() };
                let end = at + word_length(line.get(at..).unwrap_or_default());
                let found = if previous.is_some_and(is_word) { None } else { word(line, at, end) };
                if found.is_none() {
                    at = end;
                    continue;
                }
                found
            }
            // The first bytes of Arabic, Japanese and Chinese words.
            0xd9 | 0xe3 | 0xe5 => sentence::value_in_script(line, at),
            _ => None,
        };
        match found {
            Some((start, end, kind)) if end > start && start >= from => return Some((start, end, kind)),
            Some(_) | None => at += 1,
        }
    }
    None
}

/// The length of the word at the start of the text, at least one. Dashes belong to it, except those of a PEM
/// mark.
fn word_length(text: &[u8]) -> usize {
    let mut dashes = 0;
    for (at, byte) in text.iter().enumerate() {
        if !is_word(*byte) {
            return at.max(1);
        }
        dashes = if *byte == b'-' { dashes + 1 } else { 0 };
        if dashes == pem::DASHES.len() && at + 1 > dashes {
            return at + 1 - dashes;
        }
    }
    text.len()
}

/// A secret that is the word at `at..end`, or follows it.
fn word(line: &[u8], at: usize, end: usize) -> Option<(usize, usize, Kind)> {
    // In a string literal a line may end in `\n`; that `n` is not part of the word.
    let escaped =
        at > 0 && line.get(at - 1) == Some(&b'\\') && matches!(line.get(at), Some(b'n' | b't' | b'r'));
    let starts = [Some(at), escaped.then_some(at + 1)];
    // Most words are too short; this runs for every line of a journal.
    let may_be_a_key =
        end - at >= key_prefixes::SHORTEST || matches!(line.get(end), Some(b'.' | b'+' | b'/'));
    for start in starts.into_iter().flatten() {
        if let Some((end, kind)) = may_be_a_key.then(|| known_keys::key(line, start)).flatten() {
            return Some((start, end, kind));
        }
        if let Some((start, end)) = known_keys::bearer(line, start) {
            return Some((start, end, Kind::Token));
        }
    }
    if let Some((start, end, kind)) = key_shapes::shape(line, at, end) {
        return Some((start, end, kind));
    }
    let password = match line.get(at) {
        Some(b'-') => command_flags::password(line, at),
        Some(_) | None => command_flags::of_user(line, at, end),
    };
    let password = password.or_else(|| password_hashes::named(line, at, end).map(|end| (at, end)));
    match password {
        Some((start, end)) => Some((start, end, Kind::Password)),
        None => assignment::value(line, at, end).or_else(|| sentence::value(line, end)),
    }
}
