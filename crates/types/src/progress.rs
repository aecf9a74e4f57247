//! What goes on in a run at this moment, for those who wait for it.
//!
//! A report is no message: it is in no journal, nobody decides by it, and a run is the same without it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallId, Perturbation, Role, SubTaskId};

/// An activity of a run, as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActivityReport {
    /// Its number in the run, from 1, in the order of beginning.
    pub activity: u64,
    /// Whose it is.
    pub role: Role,
    /// The subtask it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtask_id: Option<SubTaskId>,
    /// Milliseconds since it began.
    pub age_ms: u64,
    /// Milliseconds since its progress was reported.
    pub reported_ms: u64,
    /// How far it is.
    #[serde(flatten)]
    pub progress: Progress,
}

/// How far an activity is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "progress", rename_all = "snake_case")]
pub enum Progress {
    /// A model was asked, and nothing of an answer has arrived.
    WaitingForModel,
    /// The model or its server works on other calls first.
    Queued,
    /// The embedded model is read into memory.
    LoadingModel {
        /// The bytes that are in memory.
        done: u64,
        /// All bytes.
        total: u64,
    },
    /// The model processes its prompt.
    ReadingPrompt {
        /// The tokens that are processed.
        done: u64,
        /// All tokens.
        total: u64,
    },
    /// The answer arrives.
    ReceivingAnswer {
        /// The tokens so far; an estimate where the server does not count them.
        tokens: u64,
        /// Milliseconds since the first of them.
        within_ms: u64,
    },
    /// A model call failed, and is made again after a wait.
    WaitingToRetry {
        /// The address of the server, without credentials.
        server: String,
        /// Why it failed.
        reason: RetryReason,
        /// The number of the next request, from 2.
        attempt: u32,
        /// How many requests there are at most.
        of: u32,
        /// The whole wait in milliseconds. It began when this was reported.
        wait_ms: u64,
    },
    /// A command is tried where nothing of it lasts, before one of several is chosen.
    TryingCommand {
        /// The number of the command, from 1.
        variant: u32,
        /// How many commands are tried.
        of: u32,
        /// On which files.
        files: TrialFiles,
    },
    /// A tool runs. The events of the run say which, and what it puts out.
    RunningTool {
        /// The call.
        call_id: CallId,
    },
}

/// Why a model call is made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RetryReason {
    /// No connection.
    NoConnection,
    /// The server sent nothing for as long as it may.
    Silence,
    /// The answer broke off.
    BrokenOff,
    /// The answer could not be used.
    Unusable,
    /// The server refused with this HTTP status.
    Status(u16),
}

/// The files that a command is tried on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrialFiles {
    /// As they are.
    AsIs,
    /// Without those that the step is about.
    Hidden,
    /// With those that the step is about empty.
    Emptied,
    /// With a line twice.
    Doubled,
    /// With one more line.
    Planted,
    /// With another value in place of one.
    Replaced,
}

impl From<&Perturbation> for TrialFiles {
    fn from(world: &Perturbation) -> Self {
        match world {
            Perturbation::AsIs => Self::AsIs,
            Perturbation::Hidden(_) => Self::Hidden,
            Perturbation::Emptied(_) => Self::Emptied,
            Perturbation::Doubled(_) => Self::Doubled,
            Perturbation::Planted { .. } => Self::Planted,
            Perturbation::Replaced { .. } => Self::Replaced,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_is_one_flat_object() {
        let reason = RetryReason::Status(503);
        let server = "http://localhost:1/v1".to_owned();
        let report = ActivityReport {
            activity: 4,
            role: Role::Planner,
            subtask_id: None,
            age_ms: 1200,
            reported_ms: 7,
            progress: Progress::WaitingToRetry { server, reason, attempt: 2, of: 4, wait_ms: 500 },
        };
        let value = serde_json::to_value(&report).unwrap();
        let expected = json!({"activity": 4, "role": "planner", "age_ms": 1200, "reported_ms": 7,
            "progress": "waiting_to_retry", "server": "http://localhost:1/v1", "reason": {"status": 503},
            "attempt": 2, "of": 4, "wait_ms": 500});
        assert_eq!(value, expected);
        assert_eq!(serde_json::from_value::<ActivityReport>(value).unwrap(), report);
    }
}
