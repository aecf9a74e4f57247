//! What a judge of task criteria is, and what it is given.

use std::sync::Arc;

use artoo_checks::Filesystem;
use artoo_judging::{Grounds, JudgeError};
use artoo_llm_client::LlmClient;
use artoo_types::{Criterion, Finding, SubTaskOutcome, Surroundings, TaskSpec};
use async_trait::async_trait;
use serde_json::Value;

/// Judges the task criteria that no check decides, [`WHOLE`](crate::WHOLE) among them: whether the request is met as it was said.
///
/// *Contract.* There is one finding for each criterion, in their order. A pass points at a tool call of one of the outcomes, or quotes
/// what one put out. In doubt, reject. Each criterion is judged without regard to the others.
///
/// *Who calls.* The actor, at most once per plan, only when every subtask matched, and before anything is accepted.
///
/// *Cancellation.* The future may be dropped at any await.
///
/// *An implementation must not* change outputs, run tools, or keep state between calls.
#[async_trait]
pub trait TaskJudge: Send + Sync {
    /// Judges. `model` is metered; an implementation may leave it unused.
    async fn judge(
        &self,
        criteria: &[Criterion],
        cx: &TaskContext<'_>,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError>;
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
    /// The one text that the person will read, where it is not the merged output.
    pub answer: Option<&'a str>,
    /// Where and when.
    pub surroundings: &'a Surroundings,
    /// The file system.
    pub world: &'a Filesystem,
    /// What code saw that speaks against the results, and that may be wrong, in words.
    pub doubts: &'a [String],
    /// Whether figures and names of the results stand in what was put out.
    pub grounds: Grounds,
}
