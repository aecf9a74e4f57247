//! Messages and buses for the tests.

use std::sync::Arc;

use artoo_bus::{Bus, BusLimits, ManualClock, RunBus};
use artoo_types::{
    AuditQuery, Message, MessageKind, Role, RunId, Surroundings, TaskId, TaskSpec, ToolOutput, UserRequest, Warning,
};
use uuid::Uuid;

pub(crate) fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new("2026-03-01T12:00:00+01:00".parse().unwrap()))
}

pub(crate) fn bus_with(mailbox: usize) -> Bus {
    Bus::new(clock(), BusLimits { mailbox })
}

pub(crate) fn run_id(n: u128) -> RunId {
    RunId::new(Uuid::from_u128(n))
}

pub(crate) fn run() -> RunBus {
    bus_with(65_536).open(run_id(1)).unwrap()
}

pub(crate) fn warning(text: &str) -> Warning {
    Warning { role: Role::Planner, message: text.to_owned() }
}

pub(crate) fn task_spec(text: &str) -> TaskSpec {
    TaskSpec {
        task_id: TaskId::from_text(text),
        intent: text.to_owned(),
        constraints: Default::default(),
        raw_input: text.to_owned(),
    }
}

pub(crate) fn user_request(text: &str) -> UserRequest {
    UserRequest {
        text: text.to_owned(),
        surroundings: Surroundings {
            now: "2026-03-01T12:00:00+01:00".parse().unwrap(),
            zone: "Europe/Berlin".into(),
            working_folder: "/w".into(),
            workspace: "/w".into(),
            home: "/h".into(),
            platform: "linux".into(),
        },
        turns: Vec::new(),
        limits: Default::default(),
    }
}

pub(crate) fn tool_output(n: u128) -> ToolOutput {
    ToolOutput {
        subtask_id: artoo_types::SubTaskId::new(Uuid::from_u128(n)),
        call_id: artoo_types::CallId::new(Uuid::from_u128(n)),
        text: n.to_string(),
    }
}

/// One message of a kind, made from the least JSON that its type accepts.
pub(crate) fn sample(kind: MessageKind) -> Message {
    const ID: &str = "00000000-0000-0000-0000-000000000001";
    const AT: &str = "2026-03-01T12:00:00+01:00";
    let loss = r#"{"D":0.5,"P":0,"Omega":0,"L":0.3}"#;
    let output = r#"{"shown":"","bytes":0,"dropped_bytes":0}"#;
    let verdict = r#"{"criterion":"c","mode":"verifiable","judge":"check","verdict":"pass","evidence":{"kind":"observation","text":"t"}}"#;
    let payload = match kind {
        MessageKind::UserRequest => return user_request("hello").into(),
        MessageKind::TaskSpec => return task_spec("hello").into(),
        MessageKind::MemoryQuery => r#"{"space":"intent:a","entity":"env:local"}"#.to_owned(),
        MessageKind::MemoryReply => {
            r#"{"space":"intent:a","entity":"env:local","sops":[],"potentials":{"attention":0,"decision":0,"action":"ignore"}}"#
                .to_owned()
        }
        MessageKind::Plan => r#"{"task_id":"t","round":1,"task_criteria":[],"subtasks":[]}"#.to_owned(),
        MessageKind::DispatchManifest => {
            format!(r#"{{"task_id":"t","round":1,"subtask_ids":[],"task_criteria":[],"dispatched_at":"{AT}"}}"#)
        }
        MessageKind::SubTask => format!(
            r#"{{"subtask_id":"{ID}","parent_task_id":"{ID}","round":1,"sequence":1,"intent":"i","context":"","success_criteria":[],"deadline":null}}"#
        ),
        MessageKind::ToolStarted => {
            format!(r#"{{"subtask_id":"{ID}","call_id":"{ID}","tool":"shell","arguments":{{}}}}"#)
        }
        MessageKind::ToolOutput => return tool_output(1).into(),
        MessageKind::ToolFinished => format!(
            r#"{{"subtask_id":"{ID}","call":{{"call_id":"{ID}","tool":"shell","arguments":{{}},"ending":{{"kind":"returned"}},"output":{output},"stderr":{output},"started_at":"{AT}","duration_ms":1}}}}"#
        ),
        MessageKind::ApprovalRequested => {
            format!(r#"{{"subtask_id":"{ID}","call_id":"{ID}","effect":"e","reason":"r"}}"#)
        }
        MessageKind::ApprovalDecided => {
            format!(r#"{{"call_id":"{ID}","granted":false,"scope":"once","reason":"r"}}"#)
        }
        MessageKind::ExecutionResult => {
            format!(r#"{{"subtask_id":"{ID}","attempt":1,"status":"completed","output":"o","tool_calls":[]}}"#)
        }
        MessageKind::VerdictReached => format!(r#"{{"subtask_id":null,"attempt":0,"verdict":{verdict}}}"#),
        MessageKind::CorrectionSignal => format!(
            r#"{{"subtask_id":"{ID}","attempt_number":1,"failed_criterion":"c","failure_class":"logical","what_was_wrong":"w","what_to_do":"d"}}"#
        ),
        MessageKind::SubTaskOutcome => format!(
            r#"{{"subtask_id":"{ID}","parent_task_id":"{ID}","sequence":1,"intent":"i","status":"matched","output":null,"failure_reason":null,"gap_trajectory":[],"criteria_verdicts":[],"tool_calls":[]}}"#
        ),
        MessageKind::OutcomeSummary => {
            r#"{"task_id":"t","merged_output":null,"summary":"s","task_verdicts":[],"outcomes":[]}"#.to_owned()
        }
        MessageKind::ReplanRequest => {
            r#"{"task_id":"t","failed_outcomes":[],"matched_outcomes":[],"task_verdicts":[],"gap_summary":"g"}"#
                .to_owned()
        }
        MessageKind::PlanDirective => format!(
            r#"{{"task_id":"t","round":1,"loss":{loss},"prev_directive":"init","directive":"refine","blocked_tools":[],"blocked_targets":[],"failed_criterion":"c","failure_class":"mixed","budget_pressure":0,"grad_l":0,"grad_goal":0,"rationale":"r"}}"#
        ),
        MessageKind::FailureReportRequest => r#"{"task_id":"t","reason":"r","unmet":[],"partial":[]}"#.to_owned(),
        MessageKind::FailureReport => r#"{"task_id":"t","text":"x"}"#.to_owned(),
        MessageKind::MegramWrite => format!(
            r#"{{"megram":{{"id":"{ID}","level":"M","created_at":"{AT}","last_recalled_at":null,"space":"intent:a","entity":"env:local","content":"c","state":"accept","f":0.9,"sigma":1,"k":0.05}}}}"#
        ),
        MessageKind::FinalResult => format!(
            r#"{{"run_id":"{ID}","task_id":"t","summary":"s","output":null,"loss":{loss},"grad_l":0,"grad_goal":0,"replans":0,"prev_directive":"init","directive":"accept","unmet":[],"partial":[]}}"#
        ),
        MessageKind::Fault => r#"{"role":"planner","kind":"panic","message":"m"}"#.to_owned(),
        MessageKind::Warning => return warning("careful").into(),
        MessageKind::ModelCall => {
            r#"{"role":"planner","model":"m","prompt_tokens":1,"cached_tokens":0,"completion_tokens":1,"estimated":false,"elapsed_ms":1,"requests":1}"#
                .to_owned()
        }
        MessageKind::AuditQuery => return AuditQuery { since: None }.into(),
        MessageKind::AuditReport => {
            r#"{"trigger":"periodic","window_start":null,"tasks_observed":0,"total_corrections":0,"gap_trends":[],"boundary_violations":[],"drift_alerts":[],"anomalies":[],"tool_health":{"execution_failures":0,"environmental_retries":0,"logical_retries":0}}"#
                .to_owned()
        }
    };
    let text = format!(r#"{{"kind":"{}","payload":{payload}}}"#, kind.name());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{kind:?}: {error}"))
}
