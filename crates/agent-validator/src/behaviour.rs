//! What a judge is, and what it is given.

use std::{path::PathBuf, sync::Arc};

use artoo_checks::Filesystem;
use artoo_judging::JudgeError;
use artoo_llm_client::LlmClient;
use artoo_types::{Criterion, ExecutionResult, Finding, SubTask, Surroundings, ToolCall};
use async_trait::async_trait;

/// Judges the criteria that code cannot decide.
///
/// *Contract.* There is one finding for each criterion, in their order. A pass points at a tool call of this subtask or at something that
/// was looked at, as a result of an earlier step; the claim (`result.output`) is no evidence. In doubt, fail. Each criterion is judged
/// without regard to the others.
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
    pub world: &'a Filesystem,
    /// What is there and named by the step: its answer has to depend on it. Empty where it names nothing, or is to make something.
    pub subject: &'a [PathBuf],
    /// The calls that may bear the answer out: those of the result without the ones that put out the same where the subject cannot be read.
    pub evidence: &'a [ToolCall],
}
