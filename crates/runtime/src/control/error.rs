//! `ControlError`: why the control socket cannot be used.

use std::{io, path::PathBuf};

use artoo_types::Remedy;

/// Why a run does not listen, or refuses an order.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// The socket cannot be created.
    #[error("the run cannot listen at {}: {source}", path.display())]
    Listen {
        /// Its path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// No process listens.
    #[error("nobody listens at {}: {source}", path.display())]
    Unreachable {
        /// The socket's path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The listener does not answer.
    #[error("the run's process does not answer")]
    Silent,
    /// The connection was lost.
    #[error("the run's process has gone: {source}")]
    Gone {
        /// The cause.
        source: io::Error,
    },
    /// The reply is unknown to this version.
    #[error("the run's process says what is not understood: {source}")]
    Strange {
        /// The parse error.
        source: serde_json::Error,
    },
    /// The run refuses the order.
    #[error("{reason}")]
    Refused {
        /// The reason.
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
