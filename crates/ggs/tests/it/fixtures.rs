//! Short constructors of messages.

use std::sync::Arc;

use artoo_ggs::{GgsRole, Mint, Settings};
use artoo_ggs_core::Profile;
use artoo_types::{
    BlockedProgram, CallEnding, CallFailure, CallId, Criterion, CriterionVerdict, Envelope, Evidence,
    FailureClass, FailureReport, Fault, FaultKind, Finding, GapEntry, Judge, Limits, MegramId, Message, Mode,
    OutcomeStatus, OutcomeSummary, ReplanRequest, Role, RunId, SubTaskId, SubTaskOutcome, TaskId, TaskSpec,
    ToolCall, ToolName,
};
use serde_json::{Value, json};
use uuid::Uuid;

pub(crate) const LOGICAL: FailureClass = FailureClass::Logical;
pub(crate) const ENVIRONMENTAL: FailureClass = FailureClass::Environmental;

pub(crate) fn run_id() -> RunId {
    RunId::new(Uuid::from_u128(77))
}

pub(crate) fn mint() -> Mint {
    let mut next = 0;
    Mint::new(move || {
        next += 1;
        MegramId::new(Uuid::from_u128(next))
    })
}

pub(crate) fn settings(profile: Profile) -> Settings {
    let tools = ["glob", "read_file", "shell"].map(ToolName::new);
    let programs = ["find", "python3"]
        .map(|name| BlockedProgram { tool: ToolName::new("shell"), program: name.to_owned() });
    let settings = Settings::new(profile, &Limits::default(), tools.into(), mint()).unwrap();
    Settings { programs: programs.into(), ..settings }
}

pub(crate) fn role() -> GgsRole {
    role_of(Profile::Default)
}

pub(crate) fn role_of(profile: Profile) -> GgsRole {
    let settings = settings(profile);
    GgsRole::new(settings.solver(), settings)
}

pub(crate) fn envelope(message: impl Into<Message>) -> Envelope {
    envelope_at(1_000, message)
}

pub(crate) fn envelope_at(elapsed_ms: u64, message: impl Into<Message>) -> Envelope {
    Envelope {
        seq: 1,
        run_id: run_id(),
        at: "2026-03-01T12:00:00+01:00".parse().unwrap(),
        elapsed_ms,
        from: Role::MetaValidator,
        message: Arc::new(message.into()),
    }
}

pub(crate) fn task() -> TaskSpec {
    TaskSpec {
        task_id: TaskId::from_text("count the files"),
        ..TaskSpec::verbatim("Count the .txt files in docs")
    }
}

pub(crate) fn pass(text: &str) -> CriterionVerdict {
    pass_by(text, None)
}

/// A pass that refers to a call, or to an observation.
pub(crate) fn pass_by(text: &str, call: Option<&ToolCall>) -> CriterionVerdict {
    let evidence = match call {
        Some(call) => Evidence::ToolCall { call_id: call.call_id, excerpt: "3".to_owned() },
        None => Evidence::Observation { text: "seen".to_owned() },
    };
    CriterionVerdict::new(text, Mode::Verifiable, Judge::Check, Finding::Pass { evidence })
}

pub(crate) fn fail(text: &str, class: FailureClass) -> CriterionVerdict {
    CriterionVerdict::new(
        text,
        Mode::Verifiable,
        Judge::Check,
        Finding::failure(class, "expected 3, found 2".to_owned()),
    )
}

pub(crate) fn criterion(text: &str) -> Criterion {
    Criterion::new(text, Mode::Verifiable)
}

/// A call that ended with status 0.
pub(crate) fn call(number: u128, tool: &str, command: &str) -> ToolCall {
    let arguments = json!({ "command": command });
    ToolCall {
        duration_ms: 3,
        ..ToolCall::new(
            CallId::new(Uuid::from_u128(number)),
            ToolName::new(tool),
            arguments.as_object().cloned().unwrap(),
            CallEnding::Exited { status: 0 },
            "2026-03-01T12:00:00+01:00".parse().unwrap(),
        )
    }
}

pub(crate) fn failed_call(number: u128, tool: &str, command: &str, class: FailureClass) -> ToolCall {
    ToolCall {
        ending: CallEnding::Exited { status: 1 },
        failure: Some(CallFailure { class, reason: "it ended with status 1".to_owned(), hint: None }),
        ..call(number, tool, command)
    }
}

pub(crate) fn outcome(
    number: u128,
    status: OutcomeStatus,
    verdicts: Vec<CriterionVerdict>,
) -> SubTaskOutcome {
    let unmet: Vec<_> = verdicts.iter().filter(|v| !v.passed()).map(|v| v.criterion.clone()).collect();
    let output = match status {
        OutcomeStatus::Matched | OutcomeStatus::Failed | OutcomeStatus::Unjudged => {
            json!(format!("output {number}"))
        }
        OutcomeStatus::Skipped => Value::Null,
    };
    SubTaskOutcome {
        criteria: verdicts.iter().map(|v| criterion(&v.criterion)).collect(),
        output,
        gap_trajectory: vec![GapEntry { attempt: 1, unmet_criteria: unmet, failure_class: None }],
        criteria_verdicts: verdicts,
        ..SubTaskOutcome::new(
            SubTaskId::new(Uuid::from_u128(number)),
            run_id(),
            format!("subtask {number}"),
            status,
        )
    }
}

pub(crate) fn matched(number: u128, criteria: &[&str]) -> SubTaskOutcome {
    outcome(number, OutcomeStatus::Matched, criteria.iter().map(|text| pass(text)).collect())
}

/// A subtask that failed all its criteria with one call.
pub(crate) fn failed(number: u128, criteria: &[&str], class: FailureClass) -> SubTaskOutcome {
    let verdicts = criteria.iter().map(|text| fail(text, class)).collect();
    SubTaskOutcome {
        tool_calls: vec![failed_call(number, "shell", &format!("find {number}"), class)],
        ..outcome(number, OutcomeStatus::Failed, verdicts)
    }
}

pub(crate) fn replan(outcomes: Vec<SubTaskOutcome>) -> ReplanRequest {
    ReplanRequest::new(task().task_id, outcomes, "the count is missing")
}

pub(crate) fn all_met(outcomes: Vec<SubTaskOutcome>) -> OutcomeSummary {
    OutcomeSummary {
        task_verdicts: vec![pass("the answer is a number")],
        ..OutcomeSummary::new(task().task_id, json!("3 files"), "There are 3 files.", outcomes)
    }
}

pub(crate) fn story(text: &str) -> FailureReport {
    FailureReport { task_id: task().task_id, text: text.to_owned() }
}

pub(crate) fn fault(role: Role, kind: FaultKind) -> Fault {
    Fault {
        role,
        kind,
        message: "the model did not answer".to_owned(),
        hint: Some("try again".to_owned()),
        remedy: None,
    }
}

/// The kinds of messages, for short comparisons.
pub(crate) fn kinds(messages: &[Message]) -> Vec<String> {
    messages.iter().map(|message| message.kind().name()).collect()
}
