//! `ControlError`: why the control socket cannot be used.

use std::{io, path::PathBuf};

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
    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Listen { .. } => "choose another data folder with --data-dir",
            Self::Unreachable { .. } | Self::Gone { .. } => "look where it stands: artoo runs list",
            Self::Silent => "it may be stopped: continue it, or end it with a signal",
            Self::Strange { .. } => "use the version of artoo that started the run",
            Self::Refused { .. } => "look at it: artoo runs attach RUN",
        }
    }
}
