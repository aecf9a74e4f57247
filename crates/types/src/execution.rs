//! What R3 hands to R4a.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FailureClass, SubTaskId, ToolCall};

/// The result of one attempt at a subtask. R3 to R4a. The output is a claim; the tool calls are the ground truth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionResult {
    /// Which subtask.
    pub subtask_id: SubTaskId,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// How it ended.
    pub status: ExecutionStatus,
    /// What R3 says the result is.
    pub output: String,
    /// True where the output is, byte for byte, what the last call put out, not the model's prose.
    #[serde(default)]
    pub verbatim: bool,
    /// Every call of this attempt, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Why it failed, where the status is `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ExecutionFailure>,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecutionStatus {
    /// R3 claims to be done.
    Completed,
    /// R3 ran out of turns or is not sure.
    Uncertain,
    /// R3 could not do it. Never a match.
    Failed,
}

/// Why an attempt failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionFailure {
    /// The class.
    pub class: FailureClass,
    /// What failed and why.
    pub reason: String,
    /// True for faults of the model, the network or the machine, after which another attempt makes no sense.
    pub infrastructure: bool,
}
