//! Taking a run back: everything is checked first, then done.
//!
//! `check` compares what is there with what the run left and found, and decides an act for each path; `acts` are the
//! decisions; `apply` carries them out, and `exact` compares what came of it. `left` is for a run that was killed, `names` for hard links.

mod acts;
mod apply;
mod check;
mod error;
mod exact;
mod left;
mod names;

use std::fmt;
use std::path::PathBuf;

use artoo_anchored_files::as_text;
use serde::Serialize;

pub use check::{Present, Undo};
pub use error::UndoError;
pub use exact::{Aspect, Deviation};

/// One path that is taken back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TakenBack {
    /// The path.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// How.
    pub action: UndoAction,
}

/// How a path is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoAction {
    /// The run made it, so it goes.
    Remove,
    /// The run changed it, so what it was comes back.
    Restore,
    /// The run removed it, so it comes back.
    Recreate,
}

/// Something that stands in the way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Obstacle {
    /// Where.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// What.
    #[serde(flatten)]
    pub why: Hindrance,
}

/// Why a path cannot be taken back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Hindrance {
    /// Somebody changed it since.
    ChangedSince,
    /// Somebody changed it during the run, after the run had.
    ChangedMeanwhile,
    /// The run made this folder, and something in it is not the run's.
    Holds {
        /// What.
        #[serde(serialize_with = "as_text")]
        entry: PathBuf,
    },
    /// The folder that it must go back into is gone, or is none any more.
    NoFolder,
    /// What it was is not kept.
    NotKept {
        /// Why.
        reason: String,
    },
    /// It cannot be looked at.
    Unreadable {
        /// What the system says.
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
            Self::Unreadable { error } => write!(f, "cannot be looked at: {error}"),
        }
    }
}
