//! The [`TaskJudge`] trait, and its inputs.

use std::sync::Arc;

use artoo_case_file::Background;
use artoo_checks::Filesystem;
use artoo_judging::{Excerpts, Grounds, JudgeError};
use artoo_llm_client::{Conversation, LlmClient};
use artoo_types::{Criterion, Finding, Law, SubTaskOutcome, Surroundings, TaskSpec};
use async_trait::async_trait;
use serde_json::Value;

/// Judges the task criteria that no check decides, including [`WHOLE`](crate::WHOLE): whether the request is
/// met as it was said.
///
/// *Contract.* There is one finding for each criterion, in their order. A pass points at a tool call of one
/// of the outcomes, or quotes the output of one. In doubt, reject. Each criterion is judged independently of
/// the others.
///
/// *Who calls.* The actor, at most once per plan, only when every subtask matched, and before anything is
/// accepted.
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

/// Everything that a verdict may depend on.
#[derive(Clone, Copy, Debug)]
pub struct TaskContext<'a> {
    /// The task.
    pub spec: &'a TaskSpec,
    /// The person's laws, which are part of the request.
    pub laws: &'a [Law],
    /// What happened in the run besides the plan: what the user said, apart from notes, and what earlier plans
    /// did.
    pub background: &'a Background,
    /// The outcomes that count, all matched, in the plan's order.
    pub outcomes: &'a [SubTaskOutcome],
    /// Their merged output.
    pub merged_output: &'a Value,
    /// The composed answer for the person, if it differs from the merged output.
    pub answer: Option<&'a str>,
    /// Environment of the run: time, folders, platform.
    pub surroundings: &'a Surroundings,
    /// The file system.
    pub world: &'a Filesystem,
    /// Findings of code against the results, in words. They may be wrong.
    pub doubts: &'a [String],
    /// Whether the numbers and names of the results occur in the outputs of calls.
    pub grounds: Grounds,
    /// The conversation in which all of the work was done, if the judge's model did it.
    pub conversation: Option<&'a Conversation>,
    /// How much of each output is shown.
    pub excerpts: Excerpts,
}
