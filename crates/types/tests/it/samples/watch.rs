use artoo_types::{
    AuditEvent, AuditQuery, AuditReport, AuditTrigger, Fault, FaultKind, GapTrend, MessageKind, ModelCall,
    Role, ToolHealth, Trend, Warning,
};
use serde_json::json;

use super::{run_id, subtask_id, time};

pub(super) fn fault() -> Fault {
    Fault {
        role: Role::Executor,
        kind: FaultKind::Provider,
        message: "http://localhost:11434/v1: connection refused".to_owned(),
        hint: Some("start the server, or unset OPENAI_BASE_URL to use the embedded model".to_owned()),
    }
}

pub(crate) fn warning() -> Warning {
    Warning { role: Role::Auditor, message: "the log's disk has 12 MB left".to_owned() }
}

pub(super) fn model_call() -> ModelCall {
    ModelCall {
        role: Role::AgentValidator,
        subtask_id: Some(subtask_id(2)),
        model: "qwen2.5-coder-1.5b-instruct-q4_k_m".to_owned(),
        prompt_tokens: 420,
        cached_tokens: 310,
        completion_tokens: 38,
        estimated: false,
        elapsed_ms: 5120,
        requests: 2,
        error: Some("the answer ended in the middle of a string".to_owned()),
    }
}

pub(super) fn audit_query() -> AuditQuery {
    AuditQuery { since: Some(time("2026-03-14T00:00:00+08:00")) }
}

pub(super) fn audit_report() -> AuditReport {
    AuditReport {
        trigger: AuditTrigger::OnDemand,
        window_start: Some(time("2026-03-14T00:00:00+08:00")),
        tasks_observed: 4,
        total_corrections: 3,
        gap_trends: vec![GapTrend { task_id: run_id(), trend: Trend::Improving }],
        boundary_violations: vec!["executor sent megram_write".to_owned()],
        drift_alerts: vec!["agent_validator: 3 corrections a task, 0.5 before".to_owned()],
        anomalies: vec!["one run without an end".to_owned()],
        tool_health: ToolHealth { execution_failures: 2, environmental_retries: 1, logical_retries: 2 },
    }
}

pub(crate) fn audit_event() -> AuditEvent {
    AuditEvent {
        line: 1,
        at: time("2026-03-14T09:26:53.589+08:00"),
        run_id: run_id(),
        seq: 17,
        from: Role::Ggs,
        kind: MessageKind::FinalResult,
        facts: serde_json::Map::from_iter([("directive".to_owned(), json!("abandon"))]),
        prev_hash: "0".repeat(64),
    }
}
