//! `JournalError`: failures of the journal.

use std::io;
use std::path::{Path, PathBuf};

use artoo_types::Remedy;

/// Why memory cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// An I/O error.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The operation.
        action: &'static str,
        /// Its path.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// Written by a newer artoo. Nothing was changed.
    #[error("{} is of format {found}; this artoo reads formats up to {newest}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: u32,
        /// The newest readable version.
        newest: u32,
    },
    /// Less than the reserve is free. Nothing was written.
    #[error("{free} bytes are free where {} is; {needed} are needed", path.display())]
    DiskFull {
        /// The folder.
        path: PathBuf,
        /// Free bytes.
        free: u64,
        /// Required bytes, including a reserve.
        needed: u64,
    },
    /// Too many events are waiting to be written.
    #[error("{waiting} events wait to be written, and no more may")]
    Full {
        /// Their number.
        waiting: usize,
    },
    /// An event exceeds the maximum length.
    #[error("an event takes {bytes} bytes; {most} are allowed")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The maximum length.
        most: usize,
    },
    /// A sync failed, or a half-written batch could not be undone: the file's content is unknown, so nothing
    /// more is written.
    #[error("the journal takes no more events: {reason}")]
    Failed {
        /// The failure.
        reason: String,
    },
    /// This process can only read.
    #[error("memory is read and not written: {reason}")]
    ReadOnly {
        /// The reason.
        reason: String,
    },
    /// Accepted events did not reach the disk.
    #[error("{count} of the events since the last flush are not on disk: {reason}")]
    Lost {
        /// Their number.
        count: u64,
        /// The reason for the last one.
        reason: String,
    },
    /// The journal no longer contains what this process had read: it was compacted, or repaired.
    #[error("the journal does not go on from event {seq} that this process has read")]
    Reload {
        /// The sequence number.
        seq: u64,
    },
    /// A segment is damaged, so it is not rewritten.
    #[error("{} is damaged at byte {offset}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The offset.
        offset: u64,
    },
    /// The owner of the memory refused a request.
    #[error("the process that owns memory did not answer as it should: {reason}")]
    Owner {
        /// Its message.
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
