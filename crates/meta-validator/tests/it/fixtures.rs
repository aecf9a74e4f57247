//! Test fixtures: plans, outcomes and runs.

use std::path::Path;

use artoo_bus::doubles::Scene;
use artoo_checks::Filesystem;
use artoo_judging::conformance::call as done;
use artoo_meta_validator::conformance::outcome;
use artoo_types::{
    Arguments, CallFailure, Check, Criterion, DispatchManifest, FailureClass, OutcomeStatus, SubTaskId,
    SubTaskOutcome, Surroundings, TaskId, ToolCall,
};
use chrono::{DateTime, FixedOffset};
use serde_json::json;
use uuid::Uuid;

pub(crate) use artoo_judging::conformance::criterion as judged;
pub(crate) use artoo_meta_validator::conformance::spec;

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

pub(crate) fn world(surroundings: &Surroundings) -> Filesystem {
    Filesystem::new(&surroundings.working_folder, &surroundings.home, surroundings.now)
}

pub(crate) fn id(number: u128) -> SubTaskId {
    SubTaskId::new(Uuid::from_u128(number))
}

pub(crate) fn call(number: u128, command: &str, shown: &str, failure: Option<FailureClass>) -> ToolCall {
    ToolCall {
        arguments: Arguments::from_iter([("command".to_owned(), json!(command))]),
        failure: failure.map(|class| CallFailure { class, reason: "exit status 1".to_owned(), hint: None }),
        ..done(number, shown, failure.is_none())
    }
}

/// A subtask that made a call for its intent, with this output.
pub(crate) fn matched(number: u128, intent: &str, output: &str) -> SubTaskOutcome {
    SubTaskOutcome {
        tool_calls: vec![call(number, &format!("do {number}"), output, None)],
        ..outcome(number, intent, output)
    }
}

pub(crate) fn failed(number: u128, intent: &str, reason: &str) -> SubTaskOutcome {
    SubTaskOutcome {
        status: OutcomeStatus::Failed,
        failure_reason: Some(reason.to_owned()),
        gave_up: None,
        ..matched(number, intent, "half")
    }
}

pub(crate) fn checked(check: Check) -> Criterion {
    Criterion::checked(format!("{check:?}"), check)
}

pub(crate) fn manifest(
    round: u32,
    kept: &[u128],
    own: &[u128],
    task_criteria: &[Criterion],
) -> DispatchManifest {
    DispatchManifest {
        kept: kept.iter().copied().map(id).collect(),
        task_criteria: task_criteria.to_vec(),
        ..DispatchManifest::new(TaskId::from_text("count"), round, own.iter().copied().map(id).collect())
    }
}

/// An open run that records all its messages.
pub(crate) fn scene() -> Scene {
    Scene::new(now()).unwrap()
}
