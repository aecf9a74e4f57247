//! What the user said in a run, as a fact that roles decide by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ApprovalScope, Effect, Role, ToolName};

/// Something that the user said in the course of a run, beside the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UserStatement {
    /// An answer to questions of a role.
    Answer {
        /// Who asked.
        asked_by: Role,
        /// The questions, each on one line.
        questions: Vec<String>,
        /// The user's words; empty if the user left it to artoo.
        answer: String,
    },
    /// A decision about the effects of a call, by the user or by a rule of theirs.
    Consent(ConsentDecision),
    /// A decision about a whole plan.
    PlanConsent {
        /// Which plan, from 1.
        round: u32,
        /// Yes or no.
        granted: bool,
    },
    /// A note, unasked.
    Note(String),
}

/// A decision about the effects of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConsentDecision {
    /// The tool.
    pub tool: ToolName,
    /// The command, or what stands for one.
    pub command: String,
    /// The effects in question.
    pub effects: Vec<Effect>,
    /// Yes or no.
    pub granted: bool,
    /// For how long a yes holds.
    pub scope: ApprovalScope,
    /// Whether the user was asked. Otherwise a rule, an earlier answer or the absence of the user decided.
    pub asked: bool,
    /// Who decided and why.
    pub reason: String,
    /// What the user wants done instead.
    pub instead: Option<String>,
}
