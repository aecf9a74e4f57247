//! Why a run cannot be spoken to.

use std::{io, path::PathBuf};

use artoo_types::Remedy;

/// Why a run does not listen, or does not do what it is told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// There is no socket.
    #[error("the run cannot listen at {}: {source}", path.display())]
    Listen {
        /// Where it would be.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Nobody listens.
    #[error("nobody listens at {}: {source}", path.display())]
    Unreachable {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Somebody listens and says nothing.
    #[error("the run's process does not answer")]
    Silent,
    /// It went away.
    #[error("the run's process has gone: {source}")]
    Gone {
        /// How that was seen.
        source: io::Error,
    },
    /// It said what this version does not know.
    #[error("the run's process says what is not understood: {source}")]
    Strange {
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// It does not do it.
    #[error("{reason}")]
    Refused {
        /// Why.
        reason: String,
    },
}

impl ControlError {
    /// What a front end has for it.
    pub const fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Listen { .. } => Some(Remedy::ChooseDataFolder),
            Self::Unreachable { .. } | Self::Gone { .. } => Some(Remedy::ListRuns),
            Self::Refused { .. } => Some(Remedy::AttachToRun),
            Self::Silent | Self::Strange { .. } => None,
        }
    }

    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Listen { .. } => "choose another data folder",
            Self::Unreachable { .. } | Self::Gone { .. } => "look where it stands",
            Self::Silent => "it may be stopped: continue it, or end it with a signal",
            Self::Strange { .. } => "use the version of artoo that started the run",
            Self::Refused { .. } => "look at it",
        }
    }
}
