//! Errors of an undo.

use std::io;
use std::path::PathBuf;

use super::Obstacle;

/// Why nothing was undone, or not everything yet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UndoError {
    /// A file of the record cannot be read.
    #[error("the record {} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A line of the record is invalid; the whole record is refused.
    #[error("the record {} is damaged in line {line}: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line number, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// The record names a root that the run did not have.
    #[error("the record names {}, which was not the run's to change", path.display())]
    ForeignRoot {
        /// The root.
        path: PathBuf,
    },
    /// The run, or another undo of it, is in progress.
    #[error("the run is still at work, or is being undone")]
    Busy,
    /// The run was undone before.
    #[error("the run was undone already")]
    Undone,
    /// The contents were removed because of their age or size.
    #[error("what the run found is not kept any more")]
    Expired,
    /// The run was killed during a call, so it is unknown what it left.
    #[error("the run was killed while it changed files, so nobody can tell its changes from later ones")]
    Unfinished,
    /// There are obstacles; nothing was changed.
    #[error("{} of the run's changes cannot be taken back, so none was", obstacles.len())]
    Refused {
        /// The obstacles.
        obstacles: Vec<Obstacle>,
    },
    /// A step failed. Completed steps stay; another attempt does the rest.
    #[error("{} could not be put back", path.display())]
    Step {
        /// The path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl UndoError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "check the data folder",
            Self::Damaged { .. } | Self::ForeignRoot { .. } => "the record was altered; nothing was changed",
            Self::Busy => "wait until it has ended",
            Self::Undone => "what was taken away lies in the folder `undo/taken` of the run",
            Self::Expired => "keep more with `[undo] max_age_days` and `max_bytes` in the configuration",
            Self::Unfinished => "look at it first, or take what is there now for what the run left",
            Self::Refused { .. } => "move what was changed since out of the way, then try again",
            Self::Step { .. } => "remove the cause, then run it again: it goes on where it stopped",
        }
    }
}
