use artoo_types::{
    Answer, AnswerOrigin, Confidence, CorrectionSignal, CriterionVerdict, Evidence, ExecutionFailure,
    ExecutionResult, ExecutionStatus, FailureClass, Finding, GapEntry, GaveUp, GiveUpKind, Judge, Mode,
    OutcomeStatus, OutcomeSummary, ReplanRequest, Samples, StructuredOutput, SubTaskOutcome, UnitInterval,
    VerdictReached,
};
use serde_json::{Value, json};

use super::{call_id, plan, run_id, subtask_id, task_id, tool_call};

pub(super) fn execution_result() -> ExecutionResult {
    ExecutionResult {
        verbatim: true,
        tool_calls: vec![tool_call()],
        failure: Some(ExecutionFailure {
            class: FailureClass::Environmental,
            reason: "docs has no .txt file at its top".to_owned(),
            infrastructure: false,
            gave_up: Some(gave_up()),
            fault: Some(Box::new(super::watch::fault())),
        }),
        samples: Some(samples()),
        told: vec![super::megram_id(4), super::megram_id(11)],
        ..ExecutionResult::new(subtask_id(2), 2, ExecutionStatus::Failed, "0 total")
    }
}

fn failing() -> CriterionVerdict {
    CriterionVerdict {
        whole: true,
        ..CriterionVerdict::new(
            "from 1 to 99 files",
            Mode::Verifiable,
            Judge::Check,
            Finding::Fail {
                failure_class: FailureClass::Logical,
                reason: "expected a number from 1 to 99, found 0".to_owned(),
                evidence: Some(Evidence::Observation { text: "output: 0".to_owned() }),
                also: vec![call_id(4)],
            },
        )
    }
}

fn passing() -> CriterionVerdict {
    CriterionVerdict {
        whole: true,
        ..CriterionVerdict::new(
            "the answer names one file",
            Mode::Plausible,
            Judge::Model,
            Finding::Pass {
                evidence: Evidence::ToolCall {
                    call_id: call_id(3),
                    excerpt: "812 docs/2025/a.txt".to_owned(),
                },
            },
        )
    }
}

/// A verdict that nobody reached: the subtask never ran.
fn never_judged() -> CriterionVerdict {
    CriterionVerdict::new(
        "one line",
        Mode::Verifiable,
        Judge::Rule,
        Finding::failure(FailureClass::Unknown, "not run".to_owned()),
    )
}

pub(super) fn verdict_reached() -> VerdictReached {
    VerdictReached { subtask_id: Some(subtask_id(2)), attempt: 2, verdict: failing() }
}

pub(super) fn correction() -> CorrectionSignal {
    CorrectionSignal {
        subtask_id: subtask_id(2),
        attempt_number: 1,
        failed_criterion: "from 1 to 99 files".to_owned(),
        failure_class: FailureClass::Logical,
        what_was_wrong: "only the top of docs was searched".to_owned(),
        what_to_do: "search the sub-folders too".to_owned(),
        unmet: vec!["every file is named".to_owned()],
    }
}

pub(super) fn failed() -> SubTaskOutcome {
    SubTaskOutcome {
        criteria: plan::task_criteria(),
        output: json!("0 total"),
        failure_reason: Some("from 1 to 99 files: found 0".to_owned()),
        gave_up: Some(Box::new(gave_up())),
        gap_trajectory: vec![
            GapEntry {
                attempt: 1,
                unmet_criteria: vec!["from 1 to 99 files".to_owned()],
                failure_class: Some(FailureClass::Logical),
            },
            GapEntry { attempt: 2, unmet_criteria: Vec::new(), failure_class: None },
        ],
        criteria_verdicts: vec![failing(), passing()],
        samples: Some(samples()),
        tool_calls: vec![tool_call()],
        ..SubTaskOutcome::new(subtask_id(2), run_id(), "Count the .txt files in docs", OutcomeStatus::Failed)
    }
}

fn matched() -> SubTaskOutcome {
    SubTaskOutcome {
        subtask_id: subtask_id(1),
        intent: "Name the largest .txt file in docs".to_owned(),
        status: OutcomeStatus::Matched,
        output: json!({"file": "docs/2025/a.txt", "bytes": 812}),
        failure_reason: None,
        gave_up: Some(Box::new(gave_up())),
        criteria_verdicts: vec![passing()],
        samples: Some(samples()),
        ..failed()
    }
}

fn skipped() -> SubTaskOutcome {
    SubTaskOutcome {
        subtask_id: subtask_id(3),
        sequence: 2,
        intent: "Write the index".to_owned(),
        status: OutcomeStatus::Skipped,
        output: Value::Null,
        failure_reason: Some("an earlier group failed".to_owned()),
        gave_up: Some(Box::new(gave_up())),
        gap_trajectory: Vec::new(),
        criteria_verdicts: vec![never_judged()],
        samples: Some(samples()),
        tool_calls: Vec::new(),
        ..failed()
    }
}

pub(super) fn summary() -> OutcomeSummary {
    OutcomeSummary {
        answer: Some(Answer {
            text: "There are 3 text files; docs/2025/a.txt is the largest.".to_owned(),
            origin: AnswerOrigin::Composed,
        }),
        structured: Some(StructuredOutput::Value(json!({"count": 3}))),
        confidence: Some(confidence()),
        task_verdicts: vec![passing()],
        ..OutcomeSummary::new(
            task_id(),
            json!({"count": 3, "largest": "docs/2025/a.txt"}),
            "3 text files; the largest is docs/2025/a.txt (812 bytes).",
            vec![matched()],
        )
    }
}

pub(super) fn replan_request() -> ReplanRequest {
    ReplanRequest {
        task_verdicts: vec![failing()],
        missing_file: Some("docs/annual-report.txt".to_owned()),
        gave_up: Some(gave_up()),
        ..ReplanRequest::new(
            task_id(),
            vec![failed(), matched(), skipped()],
            "The count is missing: docs has no .txt file at its top.",
        )
    }
}

pub(super) fn gave_up() -> GaveUp {
    GaveUp {
        kind: GiveUpKind::NeedsPerson,
        reason: "Two files have that name.".to_owned(),
        question: Some("Which of docs/a.txt and docs/old/a.txt is meant?".to_owned()),
    }
}

pub(super) fn confidence() -> Confidence {
    let share = |value: f64| UnitInterval::new(value).unwrap();
    Confidence {
        value: share(0.5),
        least: share(0.75),
        why: "one command found it out, and no other".to_owned(),
        is_measured: true,
    }
}

fn samples() -> Samples {
    Samples { asked: 4, agreed: 3, ways: 2, languages: 2, depends: Some(true), against: 1 }
}
