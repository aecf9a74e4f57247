//! The journal: the events of a memory, in order, checksummed, chained and on disk. See
//! `docs/design/memory.md`.

mod entry;
mod erase;
mod error;
mod examine;
mod frame;
mod notice;
mod read;
mod scan;
mod segment;
mod tail;
mod verify;
mod writer;

use artoo_mkct_memory::Event;

pub(crate) use self::entry::{encode, is_line};
pub use self::error::JournalError;
pub use self::notice::Notice;
pub(crate) use self::read::{Reading, Repair, read};
pub(crate) use self::segment::Place;
pub(crate) use self::tail::Tail;
pub(crate) use self::verify::verify;
pub use self::verify::{Break, Verified, Wrong};
pub(crate) use self::writer::Encoded;
pub use self::writer::Journal;

/// A SHA-256.
pub type Hash = [u8; 32];

/// A position in a journal: after an event. Two positions with the same number and chain have the same
/// history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The event's sequence number; 0 before the first.
    pub seq: u64,
    /// The head of the hash chain there.
    pub chain: Hash,
}

impl Position {
    /// Before the first event.
    pub const START: Self = Self { seq: 0, chain: [0; 32] };
}

/// An entry of the journal.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// An event of the memory.
    Event(Event),
    /// A snapshot of everything up to an event was taken.
    Snapshot {
        /// The event's sequence number.
        seq: u64,
        /// The hash of its file.
        hash: Hash,
    },
}
