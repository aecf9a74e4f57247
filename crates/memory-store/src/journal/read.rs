//! Reads a journal from a position on, and repairs it if the reader owns it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::entry::decode;
use super::examine::{Examined, Flaw, Health, Known, examine, start};
use super::frame::{FORMAT, HEADER, Header, NoHeader};
use super::segment::Place;
use super::{Entry, JournalError, Notice, Position, Tail};

/// The result of reading a journal.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The entries after the requested position, by sequence number. Erased ones are missing.
    pub(crate) entries: Vec<(u64, Entry)>,
    /// The end of the journal, from which to continue.
    pub(crate) tail: Tail,
    pub(crate) notices: Vec<Notice>,
}

/// Whether the reader owns the journal and may repair it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repair {
    /// It does: a torn end is truncated, a damaged segment is copied aside and repaired.
    Yes,
    /// Another process may be writing.
    No,
}

/// Maximum attempts: a segment may be removed before a reader opens it; then the list of segments is read
/// again.
const TRIES: usize = 4;

/// Reads everything after a position.
pub(crate) fn read(place: &Place, from: Position, repair: Repair) -> Result<Reading, JournalError> {
    for _ in 0..TRIES {
        if let Some(reading) = read_once(place, from, repair)? {
            return Ok(reading);
        }
    }
    Err(JournalError::Reload { seq: from.seq })
}

fn read_once(place: &Place, from: Position, repair: Repair) -> Result<Option<Reading>, JournalError> {
    let segments = needed(&place.segments()?, from);
    let mut reading = Reading { entries: Vec::new(), tail: Tail::before_first(from), notices: Vec::new() };
    let (mut before, mut told) = (None, 0);
    for (index, first) in segments.iter().copied().enumerate() {
        let path = place.segment(first);
        let stat = place.disk.stat(&path).map_err(JournalError::io("look at", &path))?;
        let (Some(stat), Some(bytes)) = (stat, place.load(&path, 0)?) else { return Ok(None) };
        if let Err(NoHeader::Newer(found)) = Header::decode(&bytes) {
            return Err(JournalError::Newer { path, found, newest: FORMAT });
        }
        let next = segments.get(index + 1).copied();
        let found = examine(&bytes, &Known { first, before, told, next });
        if index == 0 {
            reading.notices.extend(joint(&found, from, &path));
        }
        let copy = match (repair, found.health) {
            (Repair::Yes, Health::Damaged) => Some(place.set_aside(&path)?),
            (Repair::Yes | Repair::No, _) => None,
        };
        reading.take(&found, from, &path);
        reading.tell(&found, &path, copy, repair);
        reading.tail = match (repair, found.health) {
            (Repair::Yes, Health::Torn(length)) => cut(place, first, length, found.end)?,
            (Repair::Yes, Health::Damaged) => split(place, first, &found)?,
            (_, Health::Torn(_) | Health::Damaged) => {
                let offset = found.frames.last().map_or(HEADER, |last| last.at + last.frame.len());
                Tail::at(first, stat.identity, offset as u64, found.end)
            }
            (_, Health::Whole) => Tail::at(first, stat.identity, bytes.len() as u64, found.end),
        };
        told = match found.flaws.last() {
            Some(Flaw::Bytes { lost: Some(lost), .. }) => *lost.end(),
            Some(Flaw::Bytes { .. } | Flaw::Hole { .. } | Flaw::Unlinked { .. }) | None => 0,
        };
        before = Some(found.end);
    }
    if reading.tail.position().seq < from.seq {
        if !segments.is_empty() {
            let head = reading.tail.position().seq;
            reading.notices.push(Notice::Behind { head, from: from.seq });
        }
        reading.tail = Tail::before_first(from);
    }
    Ok(Some(reading))
}

/// The segments that may contain entries after a position, or the event at it.
fn needed(segments: &BTreeSet<u64>, from: Position) -> Vec<u64> {
    let start = segments.range(..=from.seq.saturating_add(1)).next_back().copied().unwrap_or(0);
    segments.range(start..).copied().collect()
}

/// A notice about the position where the reader continues.
fn joint(found: &Examined<'_>, from: Position, path: &Path) -> Option<Notice> {
    let begin = start(&found.header);
    if begin.seq > from.seq {
        // A break is known if it says that it continues from here.
        let known = found.header.after_break && begin.chain == from.chain;
        let lost = from.seq.saturating_add(1)..=begin.seq;
        return (!known).then(|| Notice::Missing { path: path.to_owned(), lost });
    }
    let mut there = found.frames.iter().map(|found| found.frame.position()).chain([begin]);
    let there = there.find(|position| position.seq == from.seq);
    there.is_some_and(|there| there.chain != from.chain).then_some(Notice::Diverged { seq: from.seq })
}

impl Reading {
    fn take(&mut self, found: &Examined<'_>, from: Position, path: &Path) {
        for frame in found.frames.iter().map(|found| found.frame).filter(|frame| frame.seq > from.seq) {
            match decode(&frame) {
                Ok(entry) => self.entries.extend(entry.map(|entry| (frame.seq, entry))),
                Err(_) => self.notices.push(Notice::Unreadable { path: path.to_owned(), seq: frame.seq }),
            }
        }
    }

    fn tell(&mut self, found: &Examined<'_>, path: &Path, copy: Option<PathBuf>, repair: Repair) {
        let path = path.to_owned();
        self.notices.extend(found.flaws.iter().filter_map(|flaw| match (flaw, found.health) {
            // Another process may be writing it.
            (Flaw::Bytes { .. }, Health::Torn(_)) if repair == Repair::No => None,
            (Flaw::Bytes { at, .. }, Health::Torn(offset)) => {
                let bytes = at.end.saturating_sub(offset) as u64;
                Some(Notice::Torn { path: path.clone(), offset: offset as u64, bytes })
            }
            (Flaw::Bytes { at, lost }, Health::Whole | Health::Damaged) => Some(Notice::Damaged {
                path: path.clone(),
                offset: at.start as u64,
                bytes: at.len() as u64,
                lost: lost.clone(),
                copy: copy.clone(),
            }),
            (Flaw::Hole { lost }, _) => Some(Notice::Missing { path: path.clone(), lost: lost.clone() }),
            (Flaw::Unlinked { at, seq }, _) => Some(Notice::Unlinked {
                path: path.clone(),
                offset: *at as u64,
                seq: *seq,
                copy: copy.clone(),
            }),
        }));
    }
}

/// Truncates the remains of an incomplete write. A segment without a complete header is removed.
fn cut(place: &Place, first: u64, length: usize, end: Position) -> Result<Tail, JournalError> {
    if length < HEADER {
        place.remove(first)?;
        return Ok(Tail::before_first(end));
    }
    let path = place.segment(first);
    let file = place.disk.open(&path).map_err(JournalError::io("open", &path))?;
    file.truncate(length as u64).map_err(JournalError::io("cut", &path))?;
    file.sync().map_err(JournalError::io("sync", &path))?;
    tail_of(place, first, length as u64, end)
}

/// Replaces a damaged segment by its readable parts, in as many segments as it has breaks. The last one is
/// created first: at each moment all readable frames exist somewhere, and duplicates are superseded by the
/// later segment.
fn split(place: &Place, first: u64, found: &Examined<'_>) -> Result<Tail, JournalError> {
    let mut tail = None;
    for (header, range) in found.parts.iter().rev() {
        let mut bytes = Vec::new();
        for found in found.frames.get(range.clone()).unwrap_or_default() {
            found.frame.encode(&mut bytes);
        }
        place.put(*header, &bytes)?;
        tail = tail.or(Some((header.first, (HEADER + bytes.len()) as u64)));
    }
    if !found.parts.iter().any(|(header, _)| header.first == first) {
        place.remove(first)?;
    }
    let (last, length) = tail.unwrap_or((first, HEADER as u64));
    tail_of(place, last, length, found.end)
}

fn tail_of(place: &Place, first: u64, length: u64, end: Position) -> Result<Tail, JournalError> {
    let path = place.segment(first);
    let stat = place.disk.stat(&path).map_err(JournalError::io("look at", &path))?;
    Ok(stat.map_or(Tail::before_first(end), |stat| Tail::at(first, stat.identity, length, end)))
}
