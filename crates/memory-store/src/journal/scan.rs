//! Finds the readable frames in a segment, damaged or not. Pure.

use std::ops::Range;

use super::Position;
use super::frame::{FRAME, Frame, NoFrame, seq_at};

/// The frames in some bytes, and the gaps between them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Scan<'a> {
    /// All readable frames, in order.
    pub(super) frames: Vec<Found<'a>>,
    /// Unreadable ranges, in order.
    pub(super) bad: Vec<Range<usize>>,
    /// Whether the last unreadable range reaches the end and looks like an incomplete write.
    pub(super) torn: bool,
}

/// A frame that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found<'a> {
    /// Its offset.
    pub(super) at: usize,
    pub(super) frame: Frame<'a>,
    /// Whether it directly follows the previous frame, by number and by chain.
    pub(super) linked: bool,
}

/// A search may checksum the bytes this many times over. Damage needs once; only bytes crafted to slow it
/// down need more.
const EFFORT: usize = 16;
/// Maximum jump of sequence numbers at a gap: more than a segment has frames.
const WIDEST_HOLE: u64 = 1 << 20;

/// Reads the frames after a position, starting at an offset. Without a position the first frame is accepted
/// as it is, if its number is not below `least`.
pub(super) fn scan(bytes: &[u8], start: usize, after: Option<Position>, least: u64) -> Scan<'_> {
    let mut scan = Scan::default();
    let mut effort = bytes.len().saturating_mul(EFFORT);
    let (mut at, mut before, mut least) = (start, after, least);
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        let (offset, frame) = match Frame::decode(rest) {
            Ok(frame) if plausible(frame.seq, least) => (at, frame),
            no_frame => {
                let next = search(bytes, at + 1, least, &mut effort);
                let until = next.map_or(bytes.len(), |(next, _)| next);
                let stretch = bytes.get(at..until).unwrap_or_default();
                if let Some(frame) = Frame::decode_all(stretch).filter(|frame| plausible(frame.seq, least)) {
                    scan.bad.push(at..at + 4);
                    (at, frame)
                } else {
                    scan.bad.push(at..until);
                    scan.torn = until == bytes.len()
                        && (no_frame == Err(NoFrame::Short) || stretch.iter().all(|byte| *byte == 0));
                    let Some(next) = next else { break };
                    next
                }
            }
        };
        let linked = before.is_none_or(|before| frame.follows(&before));
        scan.frames.push(Found { at: offset, frame, linked });
        at = offset + frame.len();
        before = Some(frame.position());
        least = frame.seq.saturating_add(1);
    }
    scan
}

/// The consecutive frames after a position in a segment, up to a sequence number.
pub(super) fn following(bytes: &[u8], mut after: Position, last: u64) -> Vec<Frame<'_>> {
    let mut frames = Vec::new();
    let mut rest = bytes;
    while let Ok(frame) = Frame::decode(rest) {
        if !frame.follows(&after) || frame.seq > last {
            break;
        }
        after = frame.position();
        rest = rest.get(frame.len()..).unwrap_or_default();
        frames.push(frame);
    }
    frames
}

/// The next offset at which a frame can be read.
fn search<'a>(bytes: &'a [u8], from: usize, least: u64, effort: &mut usize) -> Option<(usize, Frame<'a>)> {
    for at in from..bytes.len().saturating_sub(FRAME - 1) {
        let rest = bytes.get(at..)?;
        if !seq_at(rest).is_some_and(|seq| plausible(seq, least)) {
            continue;
        }
        match Frame::decode(rest) {
            Ok(frame) => return Some((at, frame)),
            Err(NoFrame::Short) => {}
            Err(NoFrame::Wrong) => {
                let length = rest.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
                *effort =
                    effort.checked_sub(usize::try_from(length).unwrap_or(usize::MAX).min(rest.len()))?;
            }
        }
    }
    None
}

fn plausible(seq: u64, least: u64) -> bool {
    seq >= least && seq - least < WIDEST_HOLE
}
