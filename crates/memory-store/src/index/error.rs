//! What can go wrong with the index.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use artoo_types::{MegramId, Remedy};

/// Why the index gave no answer. It is never the truth, so nothing is lost by any of these.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Somebody else has it open: another process, a LevelDB tool, or this process already.
    #[error("the index {} is open elsewhere", folder.display())]
    Locked {
        /// Where it is.
        folder: PathBuf,
    },
    /// What is in its folder is not what the engine wrote.
    #[error("the index {} is damaged: {damage}", folder.display())]
    Damaged {
        /// Where it is.
        folder: PathBuf,
        /// What was found.
        damage: Damage,
    },
    /// The disk has too little room for what a write may make the engine do.
    #[error("the disk of the index {} has {free} bytes left, and {needed} are needed", folder.display())]
    Full {
        /// Where it is.
        folder: PathBuf,
        /// Bytes that may still be written.
        free: u64,
        /// Bytes that must be free.
        needed: u64,
    },
    /// A file could not be read or written.
    #[error("{} could not be {doing}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// The engine refused.
    #[error("LevelDB failed at the index {}, to {doing}", folder.display())]
    Engine {
        /// Where it is.
        folder: PathBuf,
        /// What was asked of it.
        doing: &'static str,
        /// What it said.
        source: rusty_leveldb::Status,
    },
    /// The engine panicked.
    #[error("LevelDB broke down at the index {}, to {doing}: {message}", folder.display())]
    Panicked {
        /// Where it is.
        folder: PathBuf,
        /// What was asked of it.
        doing: &'static str,
        /// What it said.
        message: String,
    },
    /// It failed before, and answers nothing any more.
    #[error("the index has failed: {because}")]
    Failed {
        /// The failure.
        because: Arc<IndexError>,
    },
    /// It is closed.
    #[error("the index is closed")]
    Closed,
    /// What it was to be rebuilt from could not be read.
    #[error("the memory could not be read to rebuild the index")]
    Source(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl IndexError {
    /// Whether a rebuilt index would be rid of it.
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

/// What is wrong with an index.
#[derive(Debug, thiserror::Error)]
pub enum Damage {
    /// There are files, and none that says which of them count. The engine would take that for an empty folder and delete them.
    #[error("it has files, but no CURRENT")]
    NoCurrent,
    /// A file is not as the engine wrote it.
    #[error("{name}: {reason}")]
    File {
        /// Which.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A key that cannot be.
    #[error("it has the key {key:?}")]
    Key {
        /// The key.
        key: String,
    },
    /// A value that does not go with its key.
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
    /// A Megram that has a place and is not there.
    #[error("{0} has a place in a pair or layer, and is not there")]
    Dangling(MegramId),
}
