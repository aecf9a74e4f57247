//! Payload of a journal frame: a salt and an encoded entry.

use artoo_mkct_memory::Event;
use uuid::Uuid;

use super::frame::{Frame, MOST_PAYLOAD};
use super::{Entry, JournalError};
use crate::wire::{Line, Record, WireError};

const SALT: usize = 16;

/// A payload that no release writes.
pub(super) struct Unreadable;

/// Encodes an entry as a payload after its salt.
pub(crate) fn encode(entry: &Entry) -> Result<Vec<u8>, JournalError> {
    let line = match entry {
        Entry::Event(event) => Line::Event(Record::from(event)),
        Entry::Snapshot { seq, hash } => Line::Snapshot { seq: *seq, hash: *hash },
    };
    let bytes = postcard::to_stdvec(&line).unwrap_or_default();
    let most = MOST_PAYLOAD - SALT;
    if bytes.is_empty() || bytes.len() > most {
        return Err(JournalError::TooLong { bytes: bytes.len(), most });
    }
    Ok(bytes)
}

/// Whether bytes from another process are a valid entry.
pub(crate) fn is_line(bytes: &[u8]) -> bool {
    bytes.len() <= MOST_PAYLOAD - SALT && parse(bytes).is_ok()
}

/// Prefixes a random salt: without it a short text could be guessed from its hash, which stays when the text
/// is erased.
pub(super) fn salted(line: &[u8]) -> Vec<u8> {
    let mut payload = Vec::with_capacity(SALT + line.len());
    payload.extend_from_slice(Uuid::new_v4().as_bytes());
    payload.extend_from_slice(line);
    payload
}

/// The entry of a frame; `None` if it was erased.
pub(super) fn decode(frame: &Frame<'_>) -> Result<Option<Entry>, Unreadable> {
    if frame.payload.is_empty() {
        return Ok(None);
    }
    parse(frame.payload.get(SALT..).ok_or(Unreadable)?).map(Some)
}

fn parse(line: &[u8]) -> Result<Entry, Unreadable> {
    Ok(match postcard::from_bytes(line).map_err(|_| Unreadable)? {
        Line::Event(record) => Entry::Event(Event::try_from(record).map_err(|WireError { .. }| Unreadable)?),
        Line::Snapshot { seq, hash } => Entry::Snapshot { seq, hash },
    })
}
