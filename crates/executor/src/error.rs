//! Why an attempt came to nothing.

use artoo_llm_client::{ErrorKind, LlmError};
use artoo_types::{ExecutionFailure, FailureClass};

/// Why an attempt came to nothing: a fault of the model or of time, never of the subtask.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecuteError {
    /// The model failed.
    #[error("the executor's model failed: {0}")]
    Model(#[from] LlmError),
    /// The attempt took too long.
    #[error("the attempt did not end within {seconds} s")]
    Deadline {
        /// How long it was given.
        seconds: u64,
    },
    /// The behaviour panicked.
    #[error("the executor panicked: {message}")]
    Panic {
        /// What it said.
        message: String,
    },
}

impl ExecuteError {
    /// The failure that R4a sees. A way to the model that is broken is environmental; an answer that cannot be used says nothing
    /// about the approach, so its class is `unknown`.
    pub fn failure(&self) -> ExecutionFailure {
        let class = match self {
            Self::Model(error) => match error.kind() {
                ErrorKind::Infrastructure | ErrorKind::Configuration => FailureClass::Environmental,
                ErrorKind::Answer => FailureClass::Unknown,
            },
            Self::Deadline { .. } => FailureClass::Environmental,
            Self::Panic { .. } => FailureClass::Unknown,
        };
        ExecutionFailure { infrastructure: true, ..ExecutionFailure::of(class, self.to_string()) }
    }
}
