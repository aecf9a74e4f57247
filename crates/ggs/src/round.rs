//! `Round`: one report of the meta-validator, in one form for both of its kinds.

use artoo_ggs_core::Report;
use artoo_types::{
    Confidence, CriterionVerdict, GaveUp, OutcomeSummary, ReplanRequest, StructuredOutput, SubTaskOutcome,
    TaskId,
};
use serde_json::Value;

/// R4b's report of one round.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The task's label.
    pub task_id: TaskId,
    /// Which of the two kinds of report it is.
    pub report: Report,
    /// Every outcome that counts: the matched ones first, then the others.
    pub outcomes: Vec<SubTaskOutcome>,
    /// Verdicts on the task criteria; empty if they were not judged.
    pub task_verdicts: Vec<CriterionVerdict>,
    /// A file named in the request that does not exist anywhere.
    pub missing_file: Option<String>,
    /// A step that was given up, if any.
    pub gave_up: Option<GaveUp>,
    /// The merged output, if there is one; text if several were combined into one.
    pub merged_output: Option<Value>,
    /// The result of the person's schema.
    pub structured: Option<StructuredOutput>,
    /// The confidence in a result that meets everything, if R4b gives one.
    pub confidence: Option<Confidence>,
    /// R4b's words: its summary, or what it finds missing.
    pub words: String,
}

impl From<&ReplanRequest> for Round {
    fn from(request: &ReplanRequest) -> Self {
        Self {
            task_id: request.task_id.clone(),
            report: Report::Gap,
            outcomes: request.matched_outcomes.iter().chain(&request.failed_outcomes).cloned().collect(),
            task_verdicts: request.task_verdicts.clone(),
            missing_file: request.missing_file.clone(),
            gave_up: request.gave_up.clone(),
            merged_output: None,
            structured: None,
            confidence: None,
            words: request.gap_summary.clone(),
        }
    }
}

impl From<&OutcomeSummary> for Round {
    fn from(summary: &OutcomeSummary) -> Self {
        Self {
            task_id: summary.task_id.clone(),
            report: Report::AllMet,
            outcomes: summary.outcomes.clone(),
            task_verdicts: summary.task_verdicts.clone(),
            missing_file: None,
            gave_up: None,
            merged_output: Some(match &summary.answer {
                Some(answer) => Value::String(answer.text.clone()),
                None => summary.merged_output.clone(),
            }),
            structured: summary.structured.clone(),
            confidence: summary.confidence.clone(),
            words: summary.summary.clone(),
        }
    }
}
