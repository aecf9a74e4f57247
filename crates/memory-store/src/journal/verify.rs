//! Verifies every byte of a journal against its checksums, hashes and links.

use std::path::PathBuf;

use super::entry::decode;
use super::examine::{Flaw, Health, Known, anchor, examine};
use super::frame::{FORMAT, Header, NoHeader};
use super::segment::Place;
use super::{JournalError, Position};

/// The result of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The number of segments.
    pub segments: usize,
    /// The number of events, including erased ones.
    pub events: u64,
    /// The number of erased events.
    pub erased: u64,
    /// Where the journal ends.
    pub head: Position,
    /// Known losses that were reported.
    pub breaks: Vec<Break>,
    /// The first inconsistency.
    pub wrong: Option<Wrong>,
}

/// A place where the chain restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Break {
    /// The last event before it.
    pub after: u64,
    /// The first event after it. If its number is the next one, the number of lost events is unknown.
    pub before: u64,
}

/// An inconsistency.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}, byte {offset}: {what}", path.display())]
pub struct Wrong {
    /// The file.
    pub path: PathBuf,
    /// The offset.
    pub offset: u64,
    /// What is wrong there.
    pub what: String,
}

/// Verifies all segments, whether or not a snapshot covers them.
pub(crate) fn verify(place: &Place) -> Result<Verified, JournalError> {
    let segments: Vec<u64> = place.segments()?.into_iter().collect();
    let mut verified = Verified {
        segments: 0,
        events: 0,
        erased: 0,
        head: Position::START,
        breaks: Vec::new(),
        wrong: None,
    };
    let mut before = None;
    for (index, first) in segments.iter().copied().enumerate() {
        let path = place.segment(first);
        let Some(bytes) = place.load(&path, 0)? else { continue };
        if let Err(NoHeader::Newer(found)) = Header::decode(&bytes) {
            return Err(JournalError::Newer { path, found, newest: FORMAT });
        }
        let next = segments.get(index + 1).copied();
        let found = examine(&bytes, &Known { first, before, told: 0, next });
        verified.segments += 1;
        let mut wrong = |offset: usize, what: String| {
            let first = Wrong { path: path.clone(), offset: offset as u64, what };
            verified.wrong.get_or_insert(first);
        };
        // The owner may be in the middle of a write.
        let torn = matches!(found.health, Health::Torn(_));
        for flaw in found.flaws.iter().filter(|_| !torn) {
            match flaw {
                Flaw::Bytes { at, .. } => wrong(at.start, format!("{} bytes are no event", at.len())),
                Flaw::Hole { lost } => {
                    wrong(0, format!("events {} to {} are not there", lost.start(), lost.end()))
                }
                Flaw::Unlinked { at, seq } => {
                    wrong(*at, format!("event {seq} does not follow the one before it"))
                }
            }
        }
        for found in &found.frames {
            let frame = &found.frame;
            if !frame.payload_holds() {
                wrong(found.at, format!("event {} is not what its hash says", frame.seq));
            } else if decode(frame).is_err() {
                wrong(found.at, format!("event {} means nothing to this artoo", frame.seq));
            }
            verified.erased += u64::from(frame.payload.is_empty());
        }
        verified.events += found.frames.len() as u64;
        if let (Some(Position { seq: after, .. }), None) = (before, anchor(&found.header)) {
            verified.breaks.push(Break { after, before: first });
        }
        before = Some(found.end);
        verified.head = found.end;
    }
    Ok(verified)
}
