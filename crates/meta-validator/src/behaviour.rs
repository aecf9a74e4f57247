//! What a judge of task criteria is, and what it is given.

use std::sync::Arc;

use artoo_judging::JudgeError;
use artoo_llm_client::LlmClient;
use artoo_types::{Criterion, Finding, SubTaskOutcome, Surroundings, TaskSpec};
use async_trait::async_trait;
use serde_json::Value;

/// Judges one task criterion that no check decides.
///
/// *Contract.* A pass points at a tool call of one of the outcomes. In doubt, reject. One criterion is judged without regard
/// to the others.
///
/// *Who calls.* The actor, once per criterion, only when every subtask matched.
///
/// *Cancellation.* The future may be dropped at any await.
///
/// *An implementation must not* change outputs, run tools, or keep state between calls.
#[async_trait]
pub trait TaskJudge: Send + Sync {
    /// Judges. `model` is metered; an implementation may leave it unused.
    async fn judge(
        &self,
        criterion: &Criterion,
        cx: &TaskContext<'_>,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Finding, JudgeError>;
}

/// All that a verdict may depend on.
#[derive(Clone, Copy, Debug)]
pub struct TaskContext<'a> {
    /// The task.
    pub spec: &'a TaskSpec,
    /// Every outcome that counts, all matched, in the plan's order.
    pub outcomes: &'a [SubTaskOutcome],
    /// Their merged output.
    pub merged_output: &'a Value,
    /// Where and when.
    pub surroundings: &'a Surroundings,
}
