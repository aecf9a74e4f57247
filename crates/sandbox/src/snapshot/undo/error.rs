//! Why a run cannot be taken back.

use std::io;
use std::path::PathBuf;

use super::Obstacle;

/// Why nothing was taken back, or why not everything yet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UndoError {
    /// A file of the record cannot be read.
    #[error("the record {} cannot be read", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line of the record makes no sense: nothing is done on its word.
    #[error("the record {} is damaged in line {line}: {problem}", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// The record names a root that the run did not have.
    #[error("the record names {}, which was not the run's to change", path.display())]
    ForeignRoot {
        /// Which.
        path: PathBuf,
    },
    /// The run, or another undo of it, is at work.
    #[error("the run is still at work, or is being undone")]
    Busy,
    /// It was done before.
    #[error("the run was undone already")]
    Undone,
    /// The contents were removed because of their age or size.
    #[error("what the run found is not kept any more")]
    Expired,
    /// The run was killed within a call, so that nobody knows what it left.
    #[error("the run was killed while it changed files, so nobody can tell its changes from later ones")]
    Unfinished,
    /// Something stands in the way; nothing was changed.
    #[error("{} of the run's changes cannot be taken back, so none was", obstacles.len())]
    Refused {
        /// What.
        obstacles: Vec<Obstacle>,
    },
    /// A step failed. What was done stays done; running it again does the rest.
    #[error("{} could not be put back", path.display())]
    Step {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl UndoError {
    /// The next step.
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
