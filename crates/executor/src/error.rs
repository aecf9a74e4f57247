//! Errors of an attempt.

use artoo_llm_client::{ErrorKind, LlmError};
use artoo_types::{ExecutionFailure, FailureClass, Fault, Role, ToolCall};

use crate::attempt_end::known_class;

/// Why an attempt failed: a fault of the model or of time, never of the subtask.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecuteError {
    /// The model failed.
    #[error("the executor's model failed: {0}")]
    Model(#[from] LlmError),
    /// Nothing was heard of the attempt, neither of its model nor of a tool.
    #[error("nothing was heard of the attempt for {seconds} s")]
    Silent {
        /// The limit.
        seconds: u64,
    },
    /// The deadline of the task came before the end of the attempt.
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
    /// The failure as reported to R4a, if this call was the last one that was started in the attempt. A broken
    /// connection to the model is environmental; an unusable answer says nothing about the approach, so its class is
    /// `unknown`. So is that of a deadline, unless the last call failed, or was still running: then it has that class.
    pub fn failure(&self, last: Option<&ToolCall>) -> ExecutionFailure {
        let class = match self {
            Self::Model(error) => match error.kind() {
                ErrorKind::Infrastructure | ErrorKind::Configuration => FailureClass::Environmental,
                ErrorKind::Answer => FailureClass::Unknown,
            },
            Self::Silent { .. } | Self::Deadline { .. } => known_class(last).unwrap_or(FailureClass::Unknown),
            Self::Panic { .. } => FailureClass::Unknown,
        };
        ExecutionFailure {
            infrastructure: true,
            fault: self.fault().map(Box::new),
            ..ExecutionFailure::of(class, self.to_string())
        }
    }

    /// The fault with which the run ends, if the provider fails or the configuration is wrong.
    pub fn fault(&self) -> Option<Fault> {
        let Self::Model(error) = self else { return None };
        Some(Fault {
            role: Role::Executor,
            kind: error.fault_of_the_provider()?,
            message: self.to_string(),
            hint: error.hint().map(str::to_owned),
            remedy: error.remedy(),
        })
    }
}
