//! What comes out of the fast loop, and what R4b makes of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Confidence, Criterion, CriterionVerdict, GapEntry, GaveUp, PartialOutput, RunId, Samples, StepKind,
    SubTask, SubTaskId, TaskId, ToolCall, UnmetCriterion,
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
    /// What it was for.
    #[serde(default, skip_serializing_if = "StepKind::is_find_out")]
    pub kind: StepKind,
    /// The criteria that it was judged by, so that a replan can ask the same again.
    pub criteria: Vec<Criterion>,
    /// How it ended.
    pub status: OutcomeStatus,
    /// Its output: accepted where matched, a claim where failed or not judged, null where skipped.
    pub output: Value,
    /// Why it failed, in words.
    pub failure_reason: Option<String>,
    /// That it was given up, where what was looked at bears that out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gave_up: Option<Box<GaveUp>>,
    /// The attempts, oldest first.
    pub gap_trajectory: Vec<GapEntry>,
    /// The last attempt's verdict on every criterion; for a skipped subtask, a failure of class `unknown` for each; none for one that was not judged.
    pub criteria_verdicts: Vec<CriterionVerdict>,
    /// Every call of every attempt.
    pub tool_calls: Vec<ToolCall>,
    /// How far several samples agreed on what the output came from, where there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<Samples>,
}

impl SubTaskOutcome {
    /// The end of this subtask, without an output, calls and verdicts.
    ///
    /// ```
    /// use artoo_types::{OutcomeStatus, PlannedSubTask, RunId, SubTask, SubTaskId, SubTaskOutcome};
    ///
    /// let planned = PlannedSubTask::new(2, "Count the files", Vec::new());
    /// let subtask = SubTask::of(SubTaskId::new(uuid::Uuid::nil()), RunId::OPERATOR, planned);
    /// let matched = SubTaskOutcome::of(&subtask, OutcomeStatus::Matched);
    /// let counted = SubTaskOutcome { output: "3".into(), ..matched };
    /// assert_eq!((counted.intent.as_str(), counted.sequence), ("Count the files", 2));
    /// ```
    pub fn of(subtask: &SubTask, status: OutcomeStatus) -> Self {
        Self {
            sequence: subtask.sequence,
            kind: subtask.kind,
            criteria: subtask.success_criteria.clone(),
            ..Self::new(subtask.subtask_id, subtask.parent_task_id, &subtask.intent, status)
        }
    }

    /// The end of a subtask of the first group that was to find something out, by no criterion.
    pub fn new(
        subtask_id: SubTaskId,
        parent_task_id: RunId,
        intent: impl Into<String>,
        status: OutcomeStatus,
    ) -> Self {
        Self {
            subtask_id,
            parent_task_id,
            sequence: 1,
            intent: intent.into(),
            kind: StepKind::FindOut,
            criteria: Vec::new(),
            status,
            output: Value::Null,
            failure_reason: None,
            gave_up: None,
            gap_trajectory: Vec::new(),
            criteria_verdicts: Vec::new(),
            tool_calls: Vec::new(),
            samples: None,
        }
    }

    /// Whether it was to make or change something: see [`SubTask::is_about_a_deed`](crate::SubTask::is_about_a_deed).
    pub fn is_about_a_deed(&self) -> bool {
        !self.kind.is_find_out() || self.criteria.iter().any(Criterion::is_about_a_deed)
    }
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
    /// Run, and not judged: the judge gave no verdict. It neither matched nor failed, and a fault ends the run.
    Unjudged,
}

/// Every criterion of the task is met. R4b to R7.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutcomeSummary {
    /// The task's label.
    pub task_id: TaskId,
    /// The combined output: concrete data, not prose about it.
    pub merged_output: Value,
    /// The one text that answers the request, where several outputs had to be made one; otherwise the combined output is the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// What came of the schema that the output is to meet, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<StructuredOutput>,
    /// One or two sentences for the person.
    pub summary: String,
    /// How far it is to be believed; none where nobody can say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Verdicts on the task criteria.
    pub task_verdicts: Vec<CriterionVerdict>,
    /// Every outcome that counts, kept ones included.
    pub outcomes: Vec<SubTaskOutcome>,
}

impl OutcomeSummary {
    /// One with the combined output as the answer, of which nobody can say how far it is to be believed.
    pub fn new(
        task_id: TaskId,
        merged_output: Value,
        summary: impl Into<String>,
        outcomes: Vec<SubTaskOutcome>,
    ) -> Self {
        Self {
            task_id,
            merged_output,
            answer: None,
            structured: None,
            summary: summary.into(),
            confidence: None,
            task_verdicts: Vec::new(),
            outcomes,
        }
    }
}

/// One text made of the outputs of several steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// How it came about.
    pub origin: AnswerOrigin,
}

/// How one text was made of several outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerOrigin {
    /// The last step summed up what those before it found: its output is the answer.
    LastStep,
    /// A model wrote it with the outputs before it, and code found no figure and no name in it that they do not show.
    Composed,
    /// The outputs as they are, as a list in the order of their steps.
    Listed,
}

/// What came of the schema that the output of a run is to meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StructuredOutput {
    /// A value that meets it, and says nothing that the run did not find out.
    Value(Value),
    /// Why there is none.
    Missing(String),
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
    /// That a step was given up, so that no other plan does it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gave_up: Option<GaveUp>,
    /// What is missing, in words.
    pub gap_summary: String,
}

impl ReplanRequest {
    /// One for these outcomes, of which no task criterion was judged.
    pub fn new(task_id: TaskId, outcomes: Vec<SubTaskOutcome>, gap_summary: impl Into<String>) -> Self {
        let (matched_outcomes, failed_outcomes) =
            outcomes.into_iter().partition(|outcome| outcome.status == OutcomeStatus::Matched);
        Self {
            task_id,
            failed_outcomes,
            matched_outcomes,
            task_verdicts: Vec::new(),
            missing_file: None,
            gave_up: None,
            gap_summary: gap_summary.into(),
        }
    }
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

/// What the person could do next. R2 to R7.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailureReport {
    /// The task's label.
    pub task_id: TaskId,
    /// The text for the person; empty where R2 has nothing to say that code could not say as well.
    pub text: String,
}
