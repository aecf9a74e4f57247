//! Plans, outcomes and runs to test with.

use std::{path::Path, sync::Arc};

use artoo_bus::{Bus, BusLimits, ManualClock, RunBus};
use artoo_types::{
    Arguments, CallEnding, CallFailure, CallId, Check, Constraints, Criterion, DispatchManifest, Envelope,
    FailureClass, Message, Mode, OutcomeStatus, OutputRecord, RunId, SubTaskId, SubTaskOutcome, Surroundings,
    TaskId, TaskSpec, ToolCall, ToolName,
};
use chrono::{DateTime, FixedOffset};
use serde_json::json;
use uuid::Uuid;

pub(crate) fn now() -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339("2026-03-14T09:26:53+08:00").unwrap()
}

pub(crate) fn surroundings(folder: &Path) -> Surroundings {
    Surroundings {
        now: now(),
        zone: "Asia/Shanghai".to_owned(),
        working_folder: folder.to_owned(),
        workspace: folder.join("workspace"),
        home: folder.to_owned(),
        platform: "linux".to_owned(),
    }
}

pub(crate) fn spec(intent: &str) -> TaskSpec {
    TaskSpec {
        task_id: TaskId::from_text(intent),
        intent: intent.to_owned(),
        constraints: Constraints::default(),
        raw_input: intent.to_owned(),
    }
}

pub(crate) fn id(number: u128) -> SubTaskId {
    SubTaskId::new(Uuid::from_u128(number))
}

pub(crate) fn call(number: u128, command: &str, shown: &str, failure: Option<FailureClass>) -> ToolCall {
    ToolCall {
        call_id: CallId::new(Uuid::from_u128(number)),
        tool: ToolName::new("shell"),
        arguments: Arguments::from_iter([("command".to_owned(), json!(command))]),
        ending: CallEnding::Exited { status: i32::from(failure.is_some()) },
        failure: failure.map(|class| CallFailure { class, reason: "exit status 1".to_owned(), hint: None }),
        output: OutputRecord {
            shown: shown.to_owned(),
            bytes: shown.len() as u64,
            ..OutputRecord::default()
        },
        stderr: OutputRecord::default(),
        files: Vec::new(),
        started_at: now(),
        duration_ms: 1,
    }
}

/// A subtask that did what its intent says and put this out.
pub(crate) fn matched(number: u128, intent: &str, output: &str) -> SubTaskOutcome {
    SubTaskOutcome {
        subtask_id: id(number),
        parent_task_id: RunId::OPERATOR,
        sequence: 1,
        intent: intent.to_owned(),
        criteria: Vec::new(),
        status: OutcomeStatus::Matched,
        output: json!(output),
        failure_reason: None,
        gap_trajectory: Vec::new(),
        criteria_verdicts: Vec::new(),
        tool_calls: vec![call(number, &format!("do {number}"), output, None)],
    }
}

pub(crate) fn failed(number: u128, intent: &str, reason: &str) -> SubTaskOutcome {
    SubTaskOutcome {
        status: OutcomeStatus::Failed,
        failure_reason: Some(reason.to_owned()),
        ..matched(number, intent, "half")
    }
}

pub(crate) fn judged(text: &str) -> Criterion {
    Criterion { text: text.to_owned(), mode: Mode::Plausible, check: None }
}

pub(crate) fn checked(check: Check) -> Criterion {
    Criterion { text: format!("{check:?}"), mode: Mode::Verifiable, check: Some(check) }
}

pub(crate) fn manifest(
    round: u32,
    kept: &[u128],
    own: &[u128],
    task_criteria: &[Criterion],
) -> DispatchManifest {
    DispatchManifest {
        task_id: TaskId::from_text("count"),
        round,
        subtask_ids: own.iter().copied().map(id).collect(),
        kept: kept.iter().copied().map(id).collect(),
        task_criteria: task_criteria.to_vec(),
        dispatched_at: now(),
    }
}

/// An open run, and everything that is said in it.
pub(crate) struct Scene {
    pub(crate) bus: RunBus,
    seen: tokio::sync::mpsc::UnboundedReceiver<Arc<Envelope>>,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let bus =
            Bus::new(Arc::new(ManualClock::new(now())), BusLimits::default()).open(RunId::OPERATOR).unwrap();
        let (see, seen) = tokio::sync::mpsc::unbounded_channel();
        bus.record(Box::new(move |envelope| {
            let _ = see.send(Arc::clone(envelope));
        }));
        Self { bus, seen }
    }

    /// What was said since the last look.
    pub(crate) fn said(&mut self) -> Vec<Message> {
        std::iter::from_fn(|| self.seen.try_recv().ok())
            .map(|envelope| Message::clone(&envelope.message))
            .collect()
    }
}
