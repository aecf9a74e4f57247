//! The [`Judge`] trait of a subtask, and its inputs.

use std::{path::PathBuf, sync::Arc};

use artoo_case_file::Background;
use artoo_checks::{Filesystem, Mentions};
use artoo_judging::{Excerpts, JudgeError};
use artoo_llm_client::LlmClient;
use artoo_types::{Criterion, ExecutionResult, Finding, SubTask, Surroundings, ToolCall};
use async_trait::async_trait;

/// Judges the criteria that code cannot decide.
///
/// *Contract.* There is one finding for each criterion, in their order. A pass points at a tool call of this
/// subtask or at something that was looked at, such as a result of an earlier step; the claim
/// (`result.output`) is no evidence. In doubt, fail. Each criterion is judged independently of the others.
///
/// *Who calls.* The actor, at most once per attempt; never for a failed execution, nor if nothing supports
/// the result.
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

/// Everything that a verdict may depend on.
#[derive(Clone, Copy, Debug)]
pub struct JudgeContext<'a> {
    /// The subtask.
    pub subtask: &'a SubTask,
    /// The result of this attempt, with the calls of all attempts so far: an attempt may correct the findings
    /// of an earlier one.
    pub result: &'a ExecutionResult,
    /// What happened in the run besides its plan.
    pub background: &'a Background,
    /// Environment of the run: time, folders, platform.
    pub surroundings: &'a Surroundings,
    /// The file system.
    pub world: &'a Filesystem,
    /// What the step and its request name, looked up after the attempt.
    pub mentions: &'a StepMentions,
    /// The existing paths that the step names: its answer has to depend on them. Empty if it names none, or
    /// has to make something.
    pub subject: &'a [PathBuf],
    /// The calls that may support the answer: those of the result, except calls with the same output when the
    /// subject cannot be read.
    pub evidence: &'a [ToolCall],
    /// How much of each output is shown.
    pub excerpts: Excerpts,
}

/// What a step and its request name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepMentions {
    /// What the step names.
    pub step: Mentions,
    /// What the request names of which it is a part.
    pub request: Mentions,
}

impl StepMentions {
    /// Looks up what a step and its request name. Blocks.
    pub fn of(subtask: &SubTask, world: &Filesystem) -> Self {
        let [step, request] = Mentions::of_both([&subtask.intent, &subtask.briefing.request], world);
        Self { step, request }
    }

    /// The paths that the answer to a question has to depend on: those that its step names or, if the step names none,
    /// those that the request names.
    pub(crate) fn subject(&self, subtask: &SubTask) -> &[PathBuf] {
        match (subtask.is_about_a_deed(), self.step.paths.is_empty()) {
            (true, _) => &[],
            (false, false) => &self.step.paths,
            (false, true) => &self.request.paths,
        }
    }
}
