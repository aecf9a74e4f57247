//! Questions back to the person before a request is worked on. Source: `docs/deviations.md`, "Clarifying questions".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What must be known before the request can be understood. R1 to the user, who is asked all of it at once. The run's clock
/// stops until the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClarificationRequested {
    /// Which round of questions, from 1.
    pub round: u32,
    /// The questions, each on one line.
    pub questions: Vec<String>,
}

/// The answer. User to R1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClarificationAnswered {
    /// To which round.
    pub round: u32,
    /// The person's words, to all questions together; empty means: go ahead.
    pub answer: String,
}
