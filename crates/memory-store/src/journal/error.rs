//! What can go wrong with the journal.

use std::io;
use std::path::{Path, PathBuf};

use artoo_types::Remedy;

/// Why memory cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system refused something.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A newer artoo wrote here. Nothing was touched.
    #[error("{} is of format {found}; this artoo reads formats up to {newest}", path.display())]
    Newer {
        /// Which file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest that can be read.
        newest: u32,
    },
    /// Less than the reserve is free. Nothing was written.
    #[error("{free} bytes are free where {} is; {needed} are needed", path.display())]
    DiskFull {
        /// Where.
        path: PathBuf,
        /// What is free.
        free: u64,
        /// What is needed, with a reserve.
        needed: u64,
    },
    /// More events wait to be written than there is room for.
    #[error("{waiting} events wait to be written, and no more may")]
    Full {
        /// How many.
        waiting: usize,
    },
    /// An event is longer than any may be.
    #[error("an event takes {bytes} bytes; {most} are allowed")]
    TooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// A sync failed, or a half-written batch could not be taken back: what is in the file is not known, so nothing more is written.
    #[error("the journal takes no more events: {reason}")]
    Failed {
        /// What happened.
        reason: String,
    },
    /// This process can only read.
    #[error("memory is read and not written: {reason}")]
    ReadOnly {
        /// Why.
        reason: String,
    },
    /// Events were accepted and are not on disk.
    #[error("{count} of the events since the last flush are not on disk: {reason}")]
    Lost {
        /// How many.
        count: u64,
        /// Why the last of them is not.
        reason: String,
    },
    /// What this process had read is not what the journal holds any more: it was compacted, or repaired.
    #[error("the journal does not go on from event {seq} that this process has read")]
    Reload {
        /// Which.
        seq: u64,
    },
    /// A segment is damaged, so it is not rewritten.
    #[error("{} is damaged at byte {offset}", path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// Where.
        offset: u64,
    },
    /// The owner of the memory did not take what was asked of it.
    #[error("the process that owns memory did not answer as it should: {reason}")]
    Owner {
        /// What it said.
        reason: String,
    },
}

impl JournalError {
    /// What a front end has for it: where nothing else is known, to look at the memory.
    pub fn remedy(&self) -> Option<Remedy> {
        match self.hint() {
            None => Some(Remedy::CheckMemory),
            Some(_) => matches!(self, Self::Damaged { .. }).then_some(Remedy::CheckMemory),
        }
    }

    /// What a person can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Newer { .. } => Some("use the newer artoo, or another data folder"),
            Self::DiskFull { .. } => Some("make room on this disk"),
            Self::Failed { .. } => Some("look at the disk, then start artoo again"),
            Self::Damaged { .. } => Some("see what can still be read"),
            Self::Reload { .. } => Some("read the snapshot again"),
            Self::Io { .. }
            | Self::Full { .. }
            | Self::TooLong { .. }
            | Self::ReadOnly { .. }
            | Self::Lost { .. }
            | Self::Owner { .. } => None,
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}
