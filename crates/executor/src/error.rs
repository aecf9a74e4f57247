//! Errors of an attempt.

use artoo_llm_client::{ErrorKind, LlmError};
use artoo_types::{ExecutionFailure, FailureClass};

/// Why an attempt failed: a fault of the model or of time, never of the subtask.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecuteError {
    /// The model failed.
    #[error("the executor's model failed: {0}")]
    Model(#[from] LlmError),
    /// The attempt exceeded its deadline.
    #[error("the attempt did not end within {seconds} s")]
    Deadline {
        /// The deadline.
        seconds: u64,
    },
    /// The behaviour panicked.
    #[error("the executor panicked: {message}")]
    Panic {
        /// The panic message.
        message: String,
    },
}

impl ExecuteError {
    /// The failure as reported to R4a. A broken connection to the model is environmental; an unusable answer
    /// says nothing about the approach, so its class is `unknown`.
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
