//! What a judge is, and what it is given.

use std::sync::Arc;

use artoo_checks::World;
use artoo_judging::JudgeError;
use artoo_llm_client::LlmClient;
use artoo_types::{Criterion, ExecutionResult, Finding, SubTask, Surroundings};
use async_trait::async_trait;

/// Judges the criteria that code cannot decide.
///
/// *Contract.* There is one finding for each criterion, in their order. A pass points at a tool call of this subtask or at something that
/// was looked at, as a result of an earlier step; the claim (`result.output`) is no evidence. In doubt, fail. Each criterion is judged
/// without regard to the others. Where there is a [doubt](JudgeContext::doubt), a pass means that the answer follows from the
/// evidence.
///
/// *Who calls.* The actor, at most once per attempt, never for a failed execution, nor where nothing shows a result.
///
/// *Cancellation.* The future may be dropped at any await.
///
/// *An implementation must not* run tools or keep state between calls.
#[async_trait]
pub trait Judge: Send + Sync {
    /// Judges. `model` is metered; an implementation may leave it unused.
    async fn judge(
        &self,
        criteria: &[Criterion],
        cx: &JudgeContext<'_>,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError>;
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
    /// What of the answer code found nowhere, in words: a figure may be derived from what is shown, or invented.
    pub doubt: Option<&'a str>,
}
