//! What a judge is, and what it is given.

use std::sync::Arc;

use artoo_checks::World;
use artoo_judging::JudgeError;
use artoo_llm_client::LlmClient;
use artoo_types::{Criterion, ExecutionResult, Finding, SubTask, Surroundings};
use async_trait::async_trait;

/// Judges one criterion that no check decides.
///
/// *Contract.* A pass points at a tool call of this subtask or at something that was looked at; the claim (`result.output`)
/// is no evidence. In doubt, fail. One criterion is judged without regard to the others.
///
/// *Who calls.* The actor, once per criterion and attempt, never for a failed execution, nor where no call ran.
///
/// *Cancellation.* The future may be dropped at any await.
///
/// *An implementation must not* run tools or keep state between calls.
#[async_trait]
pub trait Judge: Send + Sync {
    /// Judges. `model` is metered; an implementation may leave it unused.
    async fn judge(
        &self,
        criterion: &Criterion,
        cx: &JudgeContext<'_>,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Finding, JudgeError>;
}

/// All that a verdict may depend on.
#[derive(Clone, Copy, Debug)]
pub struct JudgeContext<'a> {
    /// The subtask.
    pub subtask: &'a SubTask,
    /// The result of this attempt, with the calls of all attempts so far: an attempt may put right what an earlier one found.
    pub result: &'a ExecutionResult,
    /// Where and when.
    pub surroundings: &'a Surroundings,
    /// The file system.
    pub world: &'a World,
}
