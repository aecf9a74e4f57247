//! Undo of a run: everything is checked first, then carried out.
//!
//! `check` compares the current state with what the run left and with the originals, and decides an act for
//! each path; `acts` defines these decisions; `apply` carries them out, and `exact` compares the result with
//! the originals. `left` handles runs that were killed, `names` hard links.

mod acts;
mod apply;
mod error;
mod hard_links;
mod prepare;
mod unfinished;
mod verify;

use std::fmt;
use std::path::PathBuf;

use artoo_anchored_files::as_text;
use serde::Serialize;

pub use error::UndoError;
pub use prepare::{Present, Undo};
pub use verify::{Aspect, Deviation};

/// A path that is undone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TakenBack {
    /// The path.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// The action.
    pub action: UndoAction,
}

/// How a path is undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoAction {
    /// The run created it, so it is removed.
    Remove,
    /// The run changed it, so the original is restored.
    Restore,
    /// The run removed it, so it is created again.
    Recreate,
}

/// An obstacle to an undo.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Obstacle {
    /// The path.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// The reason.
    #[serde(flatten)]
    pub why: Hindrance,
}

/// Why a path cannot be undone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Hindrance {
    /// Another program changed it since.
    ChangedSince,
    /// Another program changed it during the run, after the run had.
    ChangedMeanwhile,
    /// The run created this folder, and it contains something that the run did not create.
    Holds {
        /// The foreign entry.
        #[serde(serialize_with = "as_text")]
        entry: PathBuf,
    },
    /// Its parent folder is gone, or is no folder any more.
    NoFolder,
    /// The original was not kept.
    NotKept {
        /// The reason.
        reason: String,
    },
    /// The branch no longer is where the run left it.
    Moved {
        /// The branch.
        branch: String,
    },
    /// Something else holds what the run committed.
    BuiltOn {
        /// What.
        by: String,
    },
    /// What is staged is not what the run left.
    StagedSince,
    /// It cannot be examined.
    Unreadable {
        /// The system's error message.
        error: String,
    },
}

impl fmt::Display for Hindrance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChangedSince => f.write_str("changed since the run"),
            Self::ChangedMeanwhile => f.write_str("changed by somebody else during the run"),
            Self::Holds { entry } => write!(f, "holds {}, which is not the run's", entry.display()),
            Self::NoFolder => f.write_str("the folder that it was in is gone"),
            Self::NotKept { reason } => write!(f, "what it was is not kept: {reason}"),
            Self::Moved { branch } => write!(f, "branch {branch} was moved since the run"),
            Self::BuiltOn { by } => write!(f, "{by} holds what the run committed"),
            Self::StagedSince => f.write_str("something else was staged since the run"),
            Self::Unreadable { error } => write!(f, "cannot be looked at: {error}"),
        }
    }
}
