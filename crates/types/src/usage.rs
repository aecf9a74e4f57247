//! What a model call cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Role, SubTaskId};

/// One finished model call. The role that made it to the observers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelCall {
    /// Who asked.
    pub role: Role,
    /// For which subtask, where it was for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtask_id: Option<SubTaskId>,
    /// The model, in the provider's words.
    pub model: String,
    /// Tokens read, cached ones included.
    pub prompt_tokens: u64,
    /// Tokens read that needed no work.
    pub cached_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// True where the counts are estimates.
    pub estimated: bool,
    /// Wall-clock milliseconds.
    pub elapsed_ms: u64,
    /// Requests sent, retries included.
    pub requests: u32,
    /// Whether the answer had the shape that was asked for; absent where there was no answer, or no shape was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usable: Option<bool>,
    /// The error, where the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
