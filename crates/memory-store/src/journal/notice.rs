//! What was found at odds when a journal was read, and what was done about it: one sentence each.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use crate::operator::Part;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The last write did not come to its end. What it was to write was never acknowledged.
    Torn {
        /// Which file.
        path: PathBuf,
        /// Where the whole events end.
        offset: u64,
        /// How many bytes were behind that, and were cut off.
        bytes: u64,
    },
    /// Bytes that were written cannot be read.
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Where they begin.
        offset: u64,
        /// How many.
        bytes: u64,
        /// The events that were there. None is known where nothing readable comes behind them; an empty range
        /// says that there were none.
        lost: Option<RangeInclusive<u64>>,
        /// The file as it was found; none where it was not repaired.
        copy: Option<PathBuf>,
    },
    /// Events that should be there are not, without a trace of damage.
    Missing {
        /// The file behind the hole.
        path: PathBuf,
        /// Which events.
        lost: RangeInclusive<u64>,
    },
    /// An event can be read, and its chain says that it was not written behind the one before it.
    Unlinked {
        /// Which file.
        path: PathBuf,
        /// Where.
        offset: u64,
        /// Which event.
        seq: u64,
        /// The file as it was found; none where it was not repaired.
        copy: Option<PathBuf>,
    },
    /// An event is whole, and means nothing to this release.
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Which event.
        seq: u64,
    },
    /// The journal holds something else under the number at which the reader wanted to go on.
    Diverged {
        /// Which number.
        seq: u64,
    },
    /// The journal ends before the event after which the reader wanted to go on.
    Behind {
        /// Its last event.
        head: u64,
        /// Where the reader was.
        from: u64,
    },
    /// A snapshot cannot be used.
    Snapshot {
        /// Which file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Other processes cannot send their events to this one.
    Alone {
        /// Why.
        reason: String,
    },
}

impl Notice {
    /// Which part of the memory it is about.
    pub fn part(&self) -> Part {
        match self {
            Self::Torn { .. }
            | Self::Damaged { .. }
            | Self::Missing { .. }
            | Self::Unlinked { .. }
            | Self::Unreadable { .. }
            | Self::Diverged { .. }
            | Self::Behind { .. } => Part::Journal,
            Self::Snapshot { .. } => Part::Snapshot,
            Self::Alone { .. } => Part::Sharing,
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Torn { path, offset, bytes } => {
                let path = path.display();
                write!(
                    f,
                    "{path}: the last write did not come to its end, {bytes} bytes from byte {offset} on were cut off"
                )
            }
            Self::Damaged { path, offset, bytes, lost, copy } => {
                write!(f, "{}: {bytes} bytes from byte {offset} on are damaged, ", path.display())?;
                match lost {
                    None => f.write_str("the last events in it are lost, and how many cannot be told")?,
                    Some(lost) => events(f, lost)?,
                }
                kept(f, copy.as_ref())
            }
            Self::Missing { path, lost } => {
                write!(f, "before {}: ", path.display())?;
                events(f, lost)
            }
            Self::Unlinked { path, offset, seq, copy } => {
                let path = path.display();
                write!(f, "{path}: event {seq} at byte {offset} was not written behind the one before it")?;
                kept(f, copy.as_ref())
            }
            Self::Unreadable { path, seq } => {
                write!(
                    f,
                    "{}: event {seq} means nothing to this artoo, and is left where it is",
                    path.display()
                )
            }
            Self::Diverged { seq } => {
                write!(f, "the snapshot and the journal disagree about event {seq}; both are used")
            }
            Self::Behind { head, from } => {
                write!(
                    f,
                    "the journal ends with event {head}, the snapshot with event {from}; it goes on from there"
                )
            }
            Self::Snapshot { path, reason } => {
                write!(f, "the snapshot {} is not used: {reason}", path.display())
            }
            Self::Alone { reason } => {
                write!(f, "other processes cannot write to memory while this one runs: {reason}")
            }
        }
    }
}

fn events(f: &mut fmt::Formatter<'_>, lost: &RangeInclusive<u64>) -> fmt::Result {
    match (lost.start(), lost.end()) {
        (first, last) if first > last => f.write_str("no event is lost"),
        (first, last) if first == last => write!(f, "event {first} is lost"),
        (first, last) => write!(f, "{} events are lost, {first} to {last}", last - first + 1),
    }
}

fn kept(f: &mut fmt::Formatter<'_>, copy: Option<&PathBuf>) -> fmt::Result {
    match copy {
        Some(copy) => write!(f, "; all that can be read is kept, the file as it was is {}", copy.display()),
        None => f.write_str("; all that can be read is read, and nothing was changed"),
    }
}
