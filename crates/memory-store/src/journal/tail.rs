//! The end of a journal as last seen by a process, and reading what was appended since.

use super::entry::decode;
use super::examine::start;
use super::frame::{HEADER, Header};
use super::read::{Repair, read};
use super::scan::following;
use super::segment::Place;
use super::{Entry, JournalError, Notice, Position};

/// A process's position in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    position: Position,
    at: Option<Spot>,
}

/// A position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    /// The segment.
    first: u64,
    /// The file's identity: a change means that it was replaced.
    identity: u64,
    offset: u64,
}

impl Tail {
    /// At a position without a segment that contains it.
    pub(super) fn before_first(position: Position) -> Self {
        Self { position, at: None }
    }

    pub(super) fn at(first: u64, identity: u64, offset: u64, position: Position) -> Self {
        Self { position, at: Some(Spot { first, identity, offset }) }
    }

    /// The position.
    pub(crate) fn position(&self) -> Position {
        self.position
    }

    /// The segment to append to, and its length.
    pub(super) fn segment(&self) -> Option<(u64, u64)> {
        self.at.map(|spot| (spot.first, spot.offset))
    }

    /// The entries committed since, up to an event. If there are none, this only checks the length of one
    /// file and the name of the next.
    pub(crate) fn follow(&mut self, place: &Place, last: u64) -> Result<Vec<(u64, Entry)>, JournalError> {
        let mut entries = Vec::new();
        loop {
            match self.step(place, last, &mut entries)? {
                Step::On => {}
                Step::End => return Ok(entries),
                Step::Astray => {
                    let reading = read(place, self.position, Repair::No)?;
                    let gap = |notice: &Notice| {
                        matches!(
                            notice,
                            Notice::Missing { .. } | Notice::Diverged { .. } | Notice::Behind { .. }
                        )
                    };
                    if reading.notices.iter().any(gap) {
                        return Err(JournalError::Reload { seq: self.position.seq });
                    }
                    if reading.tail.position.seq <= last {
                        entries.extend(reading.entries);
                        *self = reading.tail;
                    }
                    return Ok(entries);
                }
            }
        }
    }

    fn step(&mut self, place: &Place, last: u64, into: &mut Vec<(u64, Entry)>) -> Result<Step, JournalError> {
        if let Some(spot) = self.at {
            let path = place.segment(spot.first);
            let stat = place.disk.stat(&path).map_err(JournalError::io("look at", &path))?;
            let Some(stat) = stat.filter(|stat| stat.identity == spot.identity && stat.len >= spot.offset)
            else {
                return Ok(Step::Astray);
            };
            if stat.len > spot.offset {
                let Some(bytes) = place.load(&path, spot.offset)? else { return Ok(Step::Astray) };
                let frames = following(&bytes, self.position, last);
                let mut offset = spot.offset;
                for frame in &frames {
                    // An unreadable entry was reported by the process that wrote or opened it.
                    into.extend(decode(frame).ok().flatten().map(|entry| (frame.seq, entry)));
                    self.position = frame.position();
                    offset = offset.saturating_add(frame.len() as u64);
                }
                self.at = Some(Spot { offset, ..spot });
                return Ok(match frames.is_empty() {
                    // No successor here: beyond the last, incomplete so far, or the file was replaced.
                    true if self.position.seq >= last => Step::End,
                    true => Step::Astray,
                    false => Step::On,
                });
            }
        }
        let first = self.position.seq.saturating_add(1);
        let path = place.segment(first);
        if self.at.is_some_and(|spot| spot.first == first) {
            return Ok(Step::End);
        }
        let Some(stat) = place.disk.stat(&path).map_err(JournalError::io("look at", &path))? else {
            return Ok(Step::End);
        };
        let header = place.load(&path, 0)?.and_then(|bytes| Header::decode(&bytes).ok());
        if header.map(|header| start(&header)) != Some(self.position) {
            return Ok(Step::Astray);
        }
        self.at = Some(Spot { first, identity: stat.identity, offset: HEADER as u64 });
        Ok(Step::On)
    }
}

enum Step {
    /// There may be more.
    On,
    /// There is nothing more.
    End,
    /// The files were replaced.
    Astray,
}
