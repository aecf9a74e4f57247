//! The journal: what happened to a memory, in order, checksummed, chained and on disk. See
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

/// A place in a journal: behind an event. Two places with the same number and chain have the same events
/// before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The event's sequence number; 0 before the first.
    pub seq: u64,
    /// The head of the chain there.
    pub chain: Hash,
}

impl Position {
    /// Before the first event.
    pub const START: Self = Self { seq: 0, chain: [0; 32] };
}

/// What the journal holds under one sequence number.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// Something happened to the memory.
    Event(Event),
    /// A snapshot was taken of everything up to an event.
    Snapshot {
        /// Which.
        seq: u64,
        /// The hash of its file.
        hash: Hash,
    },
}
