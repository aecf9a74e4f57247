//! Questions back to the person: before a request is worked on, and from a step that needs an answer to go on. Source:
//! `docs/deviations.md`, "Clarifying questions" and "Giving up".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SubTaskId;

/// What must be known before the request can be understood, or before a step can go on. R1 or R3 to the user, who is asked all of it at
/// once. The run's clock stops until the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClarificationRequested {
    /// Which round of questions of who asks, from 1.
    pub round: u32,
    /// The step that asks; `None` is R1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtask_id: Option<SubTaskId>,
    /// The questions, each on one line.
    pub questions: Vec<String>,
}

/// The answer. User to R1 and R3.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClarificationAnswered {
    /// To which round.
    pub round: u32,
    /// Of which step; `None` is R1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtask_id: Option<SubTaskId>,
    /// The person's words, to all questions together; empty means: go ahead.
    pub answer: String,
}
