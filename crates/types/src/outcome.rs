//! What comes out of the fast loop, and what R4b makes of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Criterion, CriterionVerdict, GapEntry, PartialOutput, RunId, SubTaskId, TaskId, ToolCall, UnmetCriterion,
};

/// The end of one subtask. R4a (or, for skipped ones, the dispatcher) to R4b, the dispatcher and R2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubTaskOutcome {
    /// Which subtask.
    pub subtask_id: SubTaskId,
    /// The run.
    pub parent_task_id: RunId,
    /// Its group.
    pub sequence: u32,
    /// What it was to do, so that a reader needs no other message.
    pub intent: String,
    /// The criteria that it was judged by, so that a replan can ask the same again.
    pub criteria: Vec<Criterion>,
    /// How it ended.
    pub status: OutcomeStatus,
    /// Its output: accepted where matched, a claim where failed, null where skipped.
    pub output: Value,
    /// Why it failed, in words.
    pub failure_reason: Option<String>,
    /// The attempts, oldest first.
    pub gap_trajectory: Vec<GapEntry>,
    /// The last attempt's verdict on every criterion; for a skipped subtask, a failure of class `unknown` for each.
    pub criteria_verdicts: Vec<CriterionVerdict>,
    /// Every call of every attempt.
    pub tool_calls: Vec<ToolCall>,
}

/// How a subtask ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeStatus {
    /// Every criterion met.
    Matched,
    /// Not.
    Failed,
    /// Not run, because an earlier group failed.
    Skipped,
}

/// Every criterion of the task is met. R4b to R7.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutcomeSummary {
    /// The task's label.
    pub task_id: TaskId,
    /// The combined output: concrete data, not prose about it.
    pub merged_output: Value,
    /// One or two sentences for the person.
    pub summary: String,
    /// Verdicts on the task criteria.
    pub task_verdicts: Vec<CriterionVerdict>,
    /// Every outcome that counts, kept ones included.
    pub outcomes: Vec<SubTaskOutcome>,
}

/// Something is missing. R4b to R7, never to R2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplanRequest {
    /// The task's label.
    pub task_id: TaskId,
    /// Outcomes that did not match, skipped ones included.
    pub failed_outcomes: Vec<SubTaskOutcome>,
    /// Outcomes that did.
    pub matched_outcomes: Vec<SubTaskOutcome>,
    /// Verdicts on the task criteria; empty where the gate fired before they were judged.
    pub task_verdicts: Vec<CriterionVerdict>,
    /// A file that the request names and that is nowhere, so that no other plan finds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_file: Option<String>,
    /// What is missing, in words.
    pub gap_summary: String,
}

/// R7 asks R2 to explain an abandoned task. R7 to R2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FailureReportRequest {
    /// The task's label.
    pub task_id: TaskId,
    /// Why the run ends.
    pub reason: String,
    /// What is not met.
    pub unmet: Vec<UnmetCriterion>,
    /// What there is.
    pub partial: Vec<PartialOutput>,
}

/// What was done, what is missing, what to do next. R2 to R7.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailureReport {
    /// The task's label.
    pub task_id: TaskId,
    /// The text for the person.
    pub text: String,
}
