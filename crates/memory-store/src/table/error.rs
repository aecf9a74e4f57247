//! `TableError`: failures of a table.

use std::fmt;
use std::io;
use std::path::PathBuf;

use artoo_types::Remedy;

/// Why a table could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// An I/O error.
    #[error("cannot {doing} the snapshot {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operation, as a verb.
        doing: &'static str,
        /// The I/O error.
        source: io::Error,
    },
    /// A part of the file differs from what was written.
    #[error("the {part} at byte {offset} of the snapshot {} is damaged: {flaw}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The part.
        part: Part,
        /// Its offset.
        offset: u64,
        /// What is wrong with it.
        flaw: &'static str,
    },
    /// Written by a later release.
    #[error("the snapshot {} is of version {version}, and this release knows {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
        /// The newest readable version.
        known: u32,
    },
    /// A key was added after a greater one.
    #[error("the rows of the snapshot {} are not in order", path.display())]
    OutOfOrder {
        /// The file.
        path: PathBuf,
    },
    /// A key or a value exceeds its limit.
    #[error("a {what} of {bytes} bytes is too large for the snapshot {}: {limit} at most", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Key or value.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
}

impl TableError {
    /// What a front end has for it: where nothing else is known, to look at the memory.
    pub fn remedy(&self) -> Option<Remedy> {
        match self.hint() {
            None => Some(Remedy::CheckMemory),
            Some(_) => matches!(self, Self::Damaged { .. }).then_some(Remedy::CheckMemory),
        }
    }

    /// The next step for the operator, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                Some("the disk is full: free some space; the snapshot before it is untouched")
            }
            Self::Io { .. } => Some("check the folder's owner and permissions"),
            Self::Damaged { .. } => Some("see what can still be read"),
            Self::Newer { .. } => Some("update artoo, or give this release a folder of its own"),
            Self::OutOfOrder { .. } | Self::TooLarge { .. } => None,
        }
    }
}

/// A part of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The beginning of the file.
    Header,
    /// A block of rows.
    Block,
    /// A block of references to blocks.
    Index,
    /// The content of a row's value.
    Record,
    /// The end of the file.
    Footer,
    /// The file as a whole.
    File,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Header => "header",
            Self::Block => "block",
            Self::Index => "index block",
            Self::Record => "record in the block",
            Self::Footer => "footer",
            Self::File => "content",
        })
    }
}
