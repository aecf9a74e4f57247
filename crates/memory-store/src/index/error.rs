//! `IndexError`: failures of the index.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use artoo_types::{MegramId, Remedy};

/// Why the index gave no answer. It is never the truth, so none of these loses anything.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// It is already open: in another process, a LevelDB tool, or this process.
    #[error("the index {} is open elsewhere", folder.display())]
    Locked {
        /// Its folder.
        folder: PathBuf,
    },
    /// The content of its folder is not what the engine wrote.
    #[error("the index {} is damaged: {damage}", folder.display())]
    Damaged {
        /// Its folder.
        folder: PathBuf,
        /// The damage.
        damage: Damage,
    },
    /// The disk has too little space for what a write may trigger.
    #[error("the disk of the index {} has {free} bytes left, and {needed} are needed", folder.display())]
    Full {
        /// Its folder.
        folder: PathBuf,
        /// Free bytes.
        free: u64,
        /// Required bytes.
        needed: u64,
    },
    /// A file could not be read or written.
    #[error("{} could not be {doing}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The operation.
        doing: &'static str,
        /// The I/O error.
        source: io::Error,
    },
    /// The engine returned an error.
    #[error("LevelDB failed at the index {}, to {doing}", folder.display())]
    Engine {
        /// Its folder.
        folder: PathBuf,
        /// The operation.
        doing: &'static str,
        /// The error.
        source: rusty_leveldb::Status,
    },
    /// The engine panicked.
    #[error("LevelDB broke down at the index {}, to {doing}: {message}", folder.display())]
    Panicked {
        /// Its folder.
        folder: PathBuf,
        /// The operation.
        doing: &'static str,
        /// The panic message.
        message: String,
    },
    /// It failed before, and answers nothing any more.
    #[error("the index has failed: {because}")]
    Failed {
        /// The failure.
        because: Arc<IndexError>,
    },
    /// The index is closed.
    #[error("the index is closed")]
    Closed,
    /// The source of a rebuild could not be read.
    #[error("the memory could not be read to rebuild the index")]
    Source(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl IndexError {
    /// Whether a rebuild would fix it.
    pub fn wants_rebuild(&self) -> bool {
        match self {
            Self::Damaged { .. } | Self::Engine { .. } | Self::Panicked { .. } | Self::File { .. } => true,
            Self::Failed { because } => because.wants_rebuild(),
            Self::Locked { .. } | Self::Full { .. } | Self::Closed | Self::Source(_) => false,
        }
    }

    /// What a front end has for it: where nothing else is known, to build the index anew.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Locked { .. } | Self::Full { .. } | Self::File { .. } => None,
            Self::Damaged { .. }
            | Self::Engine { .. }
            | Self::Panicked { .. }
            | Self::Closed
            | Self::Source(_) => Some(Remedy::RebuildMemory),
            Self::Failed { because } => because.remedy(),
        }
    }

    /// What a person can do about it, if anything.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Locked { .. } => Some("close the other program, or wait until it is done"),
            Self::Full { .. } => Some("free some space; the memory itself is complete without the index"),
            Self::File { .. } => Some("look at the folder's permissions and at the disk"),
            Self::Damaged { .. } | Self::Engine { .. } | Self::Panicked { .. } => Some("build it anew"),
            Self::Failed { because } => because.hint(),
            Self::Closed | Self::Source(_) => None,
        }
    }
}

/// A kind of damage.
#[derive(Debug, thiserror::Error)]
pub enum Damage {
    /// There are files but no `CURRENT` that says which of them are valid. The engine would treat the folder
    /// as empty and delete them.
    #[error("it has files, but no CURRENT")]
    NoCurrent,
    /// A file is not as the engine wrote it.
    #[error("{name}: {reason}")]
    File {
        /// The file.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// An impossible key.
    #[error("it has the key {key:?}")]
    Key {
        /// The key.
        key: String,
    },
    /// A value that does not belong to its key.
    #[error("the value of {key:?} cannot be right")]
    Value {
        /// The key.
        key: String,
    },
    /// Keys came in the wrong order.
    #[error("{key:?} comes after a greater key")]
    Order {
        /// The key.
        key: String,
    },
    /// A Megram listed in a pair or level, but missing.
    #[error("{0} has a place in a pair or layer, and is not there")]
    Dangling(MegramId),
}
