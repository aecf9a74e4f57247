//! `StoreError`: failures of the store.

use std::io;
use std::path::PathBuf;

use artoo_mkct_memory::MemoryError;
use artoo_types::Remedy;

use crate::index::IndexError;
use crate::journal::JournalError;
use crate::table::TableError;

/// Why an operation of the store failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The memory refused it, or is closed.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The snapshot failed.
    #[error(transparent)]
    Snapshot(#[from] TableError),
    /// The index failed. It holds nothing that is not in the journal.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A file of the memory.
    #[error("{} cannot be {doing}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The operation.
        doing: &'static str,
        /// The I/O error.
        #[source]
        source: io::Error,
    },
    /// Another process owns the memory, and only the owner can do this.
    #[error("another artoo owns the memory, and {doing} is its owner's to do")]
    NotOwner {
        /// The operation.
        doing: &'static str,
    },
}

/// Where nothing better is known.
const CHECK: &str = "see what can still be read";

impl StoreError {
    /// What a front end has for it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Memory(_) => Some(Remedy::CheckMemory),
            Self::Journal(error) => error.remedy(),
            Self::Snapshot(error) => error.remedy(),
            Self::Index(error) => error.remedy(),
            Self::File { .. } | Self::NotOwner { .. } => None,
        }
    }

    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Memory(_) => CHECK,
            Self::Journal(error) => error.hint().unwrap_or(CHECK),
            Self::Snapshot(error) => error.hint().unwrap_or(CHECK),
            Self::Index(error) => error.hint().unwrap_or("build it anew"),
            Self::File { .. } => "look at the folder's owner, mode and disk",
            Self::NotOwner { .. } => "try again when the other artoo has ended",
        }
    }
}

impl From<StoreError> for MemoryError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Memory(error) => error,
            StoreError::Journal(JournalError::Full { waiting }) => Self::Full { capacity: waiting },
            other @ (StoreError::Journal(_)
            | StoreError::Snapshot(_)
            | StoreError::Index(_)
            | StoreError::File { .. }
            | StoreError::NotOwner { .. }) => Self::Store(Box::new(other)),
        }
    }
}
