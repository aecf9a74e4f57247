//! Examines one segment: its flaws, and how to repair it. Pure.

use std::ops::{Range, RangeInclusive};

use super::Position;
use super::frame::{HEADER, Header};
use super::scan::{Found, Scan, scan};

/// Known facts about a segment before it is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// The number in its file name.
    pub(super) first: u64,
    /// The end of the previous segment, if that was read.
    pub(super) before: Option<Position>,
    /// The last event already reported as lost.
    pub(super) told: u64,
    /// The first number of the next segment; `None` for the last one.
    pub(super) next: Option<u64>,
}

/// An examined segment.
#[derive(Debug)]
pub(super) struct Examined<'a> {
    /// Its header, or what it must have been.
    pub(super) header: Header,
    pub(super) frames: Vec<Found<'a>>,
    pub(super) health: Health,
    /// The flaws, in order.
    pub(super) flaws: Vec<Flaw>,
    /// The head of the journal after it.
    pub(super) end: Position,
    /// The parts to split it into if damaged: the header of each, and its frames.
    pub(super) parts: Vec<(Header, Range<usize>)>,
}

/// The health of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    Whole,
    /// The last write was incomplete; intact up to this byte.
    Torn(usize),
    Damaged,
}

/// An inconsistency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// Unreadable bytes, and the events lost with them, if known.
    Bytes { at: Range<usize>, lost: Option<RangeInclusive<u64>> },
    /// Events are missing.
    Hole { lost: RangeInclusive<u64> },
    /// An event does not continue the chain.
    Unlinked { at: usize, seq: u64 },
}

/// Examines the bytes of a segment.
pub(super) fn examine<'a>(bytes: &'a [u8], known: &Known) -> Examined<'a> {
    let sound = Header::decode(bytes).ok().filter(|header| header.first == known.first);
    let header = sound.unwrap_or_else(|| restored(known));
    let joined = header.after_break || known.before.is_none_or(|before| anchor(&header) == Some(before));
    let after = anchor(&header);
    let mut read = scan(bytes, HEADER.min(bytes.len()), after, known.first);
    let superseded = drop_superseded(&mut read, known.next);

    let mut flaws = Vec::new();
    if sound.is_none() {
        let at = 0..HEADER.min(bytes.len());
        flaws.push(Flaw::Bytes { at, lost: Some(known.first..=known.first.saturating_sub(1)) });
    }
    if !joined {
        flaws.extend(front(known));
    }
    flaws.extend(between(&read, known));

    let end = read.frames.last().map_or(start(&header), |found| found.frame.position());
    let last = known.next.is_none();
    let never_begun = last && read.frames.is_empty() && bytes.iter().take(HEADER).all(|byte| *byte == 0);
    let health = match read.bad.as_slice() {
        [] if flaws.is_empty() && joined && !superseded => Health::Whole,
        [tail] if last && read.torn && joined && flaws.len() == 1 => Health::Torn(tail.start),
        _ if last && (bytes.len() < HEADER || never_begun) => Health::Torn(0),
        _ => Health::Damaged,
    };
    let mut parts =
        parts(&read.frames, known.first, Header { after_break: header.after_break || !joined, ..header });
    if last && read.bad.last().is_some_and(|bad| bad.end == bytes.len()) {
        // The number of lost events is unknown, and what comes next must not seem to be contiguous.
        let first = end.seq.saturating_add(1);
        parts.retain(|(header, _)| header.first != first);
        parts.push((Header { first, chain: end.chain, after_break: true }, 0..0));
    }
    Examined { header, frames: read.frames, health, flaws, end, parts }
}

/// The position before a segment's first frame; after a break the frame is accepted as it is.
pub(super) fn anchor(header: &Header) -> Option<Position> {
    (!header.after_break).then(|| start(header))
}

/// The head of the journal at the start of a segment.
pub(super) fn start(header: &Header) -> Position {
    Position { seq: header.first.saturating_sub(1), chain: header.chain }
}

/// Reconstructs an unreadable header.
fn restored(known: &Known) -> Header {
    let before = known.before.or((known.first == 1).then_some(Position::START));
    let follows = before.filter(|before| before.seq.checked_add(1) == Some(known.first));
    let chain = before.map_or(Position::START.chain, |before| before.chain);
    Header { first: known.first, chain, after_break: follows.is_none() }
}

/// Drops frames that the next segment contains, too: an interrupted repair leaves them in both.
fn drop_superseded(read: &mut Scan<'_>, next: Option<u64>) -> bool {
    let superseded = |found: &Found<'_>| next.is_some_and(|next| found.frame.seq >= next);
    let Some(first) = read.frames.iter().position(superseded) else { return false };
    let from = read.frames.get(first).map_or(usize::MAX, |found| found.at);
    read.frames.truncate(first);
    read.bad.retain(|bad| bad.start < from);
    true
}

/// An inconsistency between a segment and the previous one.
fn front(known: &Known) -> Option<Flaw> {
    let expected = known.before?.seq.saturating_add(1);
    if expected < known.first {
        let lost = expected..=known.first.saturating_sub(1);
        return (*lost.end() > known.told).then_some(Flaw::Hole { lost });
    }
    Some(Flaw::Unlinked { at: HEADER, seq: known.first })
}

/// Inconsistencies between the frames, and after the last.
fn between(read: &Scan<'_>, known: &Known) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    let mut bad = read.bad.iter().peekable();
    let mut expected = known.first;
    for found in &read.frames {
        let lost = expected..=found.frame.seq.saturating_sub(1);
        match bad.next_if(|bad| bad.start <= found.at) {
            Some(at) => flaws.push(Flaw::Bytes { at: at.clone(), lost: Some(lost.clone()) }),
            None if !lost.is_empty() => flaws.push(Flaw::Hole { lost: lost.clone() }),
            None => {}
        }
        if !found.linked && lost.is_empty() {
            flaws.push(Flaw::Unlinked { at: found.at, seq: found.frame.seq });
        }
        expected = found.frame.seq.saturating_add(1);
    }
    let behind = known.next.map(|next| expected..=next.saturating_sub(1));
    flaws.extend(bad.map(|at| Flaw::Bytes { at: at.clone(), lost: behind.clone() }));
    flaws
}

/// Splits the frames wherever one does not follow its predecessor. There is always a first part, possibly
/// empty.
fn parts(frames: &[Found<'_>], first: u64, header: Header) -> Vec<(Header, Range<usize>)> {
    let mut parts: Vec<(Header, Range<usize>)> = Vec::new();
    let mut chain = header.chain;
    for (index, found) in frames.iter().enumerate() {
        let frame = &found.frame;
        match parts.last_mut() {
            Some((_, range)) if found.linked => range.end = index + 1,
            None if found.linked && frame.seq == first => parts.push((header, index..index + 1)),
            _ => parts.push((Header { first: frame.seq, chain, after_break: true }, index..index + 1)),
        }
        chain = frame.chain;
    }
    if parts.is_empty() {
        parts.push((Header { after_break: true, ..header }, 0..0));
    }
    parts
}
