//! Test fixtures: subtasks, results and runs.

use std::{
    path::Path,
    sync::{Arc, LazyLock},
    time::Duration,
};

use artoo_agent_validator::{Judge, JudgeContext, JudgeError, Waiting, conformance};
use artoo_bus::doubles::Scene;
use artoo_checks::Filesystem;
use artoo_llm_client::{LlmClient, Silence};
use artoo_types::{
    Check, Criterion, CriterionVerdict, Evidence, ExecutionFailure, ExecutionResult, ExecutionStatus,
    FailureClass, Finding, Judge as DecidedBy, Mode, SubTask, SubTaskId, Surroundings,
};
use async_trait::async_trait;
use chrono::{DateTime, FixedOffset};
use uuid::Uuid;

pub(crate) use artoo_agent_validator::conformance::{call, result, subtask};

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

pub(crate) fn world(folder: &Path) -> Filesystem {
    Filesystem::new(folder, folder, now())
}

pub(crate) fn checked(text: &str, check: Check) -> Criterion {
    Criterion::checked(text, check)
}

/// A subtask whose output must be one number.
pub(crate) fn counting(number: u128) -> SubTask {
    let success_criteria = vec![checked("It is one number", Check::OutputNumber { min: None, max: None })];
    SubTask {
        subtask_id: SubTaskId::new(Uuid::from_u128(number)),
        success_criteria,
        ..subtask("Count the files", &[])
    }
}

/// An attempt at [`counting`] with one successful call.
pub(crate) fn counted(number: u128, attempt: u32, output: &str) -> ExecutionResult {
    let calls = vec![call(u128::from(attempt), output, true)];
    ExecutionResult { subtask_id: SubTaskId::new(Uuid::from_u128(number)), attempt, ..result(output, calls) }
}

pub(crate) fn failing(class: FailureClass, infrastructure: bool) -> Option<ExecutionFailure> {
    Some(ExecutionFailure { infrastructure, ..ExecutionFailure::of(class, "it did not work") })
}

pub(crate) fn unfinished(
    result: ExecutionResult,
    status: ExecutionStatus,
    class: FailureClass,
) -> ExecutionResult {
    ExecutionResult { status, failure: failing(class, false), ..result }
}

pub(crate) fn verdict(finding: Finding) -> CriterionVerdict {
    CriterionVerdict::new("It is one number", Mode::Verifiable, DecidedBy::Check, finding)
}

pub(crate) fn pass() -> Finding {
    Finding::Pass { evidence: Evidence::Observation { text: "3".to_owned() } }
}

pub(crate) fn fail(failure_class: FailureClass) -> Finding {
    Finding::failure(failure_class, "it has no number".to_owned())
}

/// A minute for a verdict.
pub(crate) fn a_minute() -> Waiting<'static> {
    static SILENCE: LazyLock<Silence> = LazyLock::new(Silence::default);
    Waiting { deadline: Duration::from_secs(60), silence: &SILENCE, asked_again: &|_| {} }
}

/// A judge that must not be asked.
pub(crate) struct Unasked;

#[async_trait]
impl Judge for Unasked {
    async fn judge(
        &self,
        criteria: &[Criterion],
        _: &JudgeContext<'_>,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        panic!("{criteria:?} were put to a judge")
    }
}

/// A judge that always returns the same finding.
pub(crate) struct Always(pub(crate) Finding);

#[async_trait]
impl Judge for Always {
    async fn judge(
        &self,
        criteria: &[Criterion],
        _: &JudgeContext<'_>,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        Ok(vec![self.0.clone(); criteria.len()])
    }
}

/// The default case of the suite, with this result.
pub(crate) fn judged_subtask() -> SubTask {
    conformance::subtask("Count the files", &["It is polite"])
}

/// An open run that records all its messages.
pub(crate) fn scene() -> Scene {
    Scene::new(now()).unwrap()
}
