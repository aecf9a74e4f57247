//! `CorrectionWords`: what an event tells of a correction.

use artoo_types::{CorrectionSignal, FailureClass};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The words of a correction, without the ids that the line carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CorrectionWords {
    /// The attempt that failed, from 1.
    pub attempt: u32,
    /// The criterion that failed first.
    pub failed_criterion: String,
    /// Its class.
    pub failure_class: FailureClass,
    /// What was wrong.
    pub what_was_wrong: String,
    /// What to do instead.
    pub what_to_do: String,
}

impl From<&CorrectionSignal> for CorrectionWords {
    fn from(signal: &CorrectionSignal) -> Self {
        Self {
            attempt: signal.attempt_number,
            failed_criterion: signal.failed_criterion.clone(),
            failure_class: signal.failure_class,
            what_was_wrong: signal.what_was_wrong.clone(),
            what_to_do: signal.what_to_do.clone(),
        }
    }
}
