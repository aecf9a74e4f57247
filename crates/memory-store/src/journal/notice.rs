//! `Notice`: an inconsistency found while reading a journal, and how it was handled, in one sentence.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use crate::operator::Part;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The last write was incomplete. Its content was never acknowledged.
    Torn {
        /// The file.
        path: PathBuf,
        /// Where the complete events end.
        offset: u64,
        /// How many bytes after that were cut off.
        bytes: u64,
    },
    /// Written bytes are unreadable.
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where they begin.
        offset: u64,
        /// Their number.
        bytes: u64,
        /// The lost events. `None` if nothing readable follows them; an empty range means no event was lost.
        lost: Option<RangeInclusive<u64>>,
        /// A copy of the damaged file; `None` if it was not repaired.
        copy: Option<PathBuf>,
    },
    /// Expected events are missing, without a trace of damage.
    Missing {
        /// The file after the gap.
        path: PathBuf,
        /// The events.
        lost: RangeInclusive<u64>,
    },
    /// An event is readable, but its chain says that it was not written after its predecessor.
    Unlinked {
        /// The file.
        path: PathBuf,
        /// The offset.
        offset: u64,
        /// The event.
        seq: u64,
        /// A copy of the damaged file; `None` if it was not repaired.
        copy: Option<PathBuf>,
    },
    /// An event is intact, but unknown to this release.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The event.
        seq: u64,
    },
    /// The journal has another event under the number from which the reader wanted to continue.
    Diverged {
        /// The number.
        seq: u64,
    },
    /// The journal ends before the event after which the reader wanted to continue.
    Behind {
        /// Its last event.
        head: u64,
        /// The reader's position.
        from: u64,
    },
    /// A snapshot cannot be used.
    Snapshot {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Other processes cannot send their events to this one.
    Alone {
        /// The reason.
        reason: String,
    },
}

impl Notice {
    /// The part of the memory concerned.
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
