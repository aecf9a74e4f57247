//! Consent as messages: to a single effect, or to a whole plan. Source: specification v0.8, Law 1; `docs/deviations.md`, "The Laws in
//! code".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallId, PlannedSubTask, SubTaskId};

/// A question to the person before something that cannot be undone. R3 to the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRequested {
    /// For which subtask.
    pub subtask_id: SubTaskId,
    /// For which call.
    pub call_id: CallId,
    /// The exact effect, in words.
    pub effect: String,
    /// Why it needs consent.
    pub reason: String,
}

/// The answer. User to R3.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalDecided {
    /// To which call.
    pub call_id: CallId,
    /// Yes or no. Without somebody to ask, no.
    pub granted: bool,
    /// For how long a yes holds.
    pub scope: ApprovalScope,
    /// Who decided and why, for the record.
    pub reason: String,
}

/// For how long a yes holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalScope {
    /// This one call.
    Once,
    /// The same effect in this run.
    Run,
}

/// A question to the person before anything of a plan is run. Dispatcher to the user. The run's clock stops until the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanApprovalRequested {
    /// Of which plan of the run, from 1.
    pub round: u32,
    /// What would be run.
    pub subtasks: Vec<PlannedSubTask>,
}

/// The answer. User to the dispatcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanApprovalDecided {
    /// To which plan.
    pub round: u32,
    /// Yes or no. Without somebody to ask, no.
    pub granted: bool,
    /// Who decided and why, for the record.
    pub reason: String,
}
