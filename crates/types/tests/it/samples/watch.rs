use artoo_types::{
    Anomaly, AuditEvent, AuditQuery, AuditReport, AuditTrigger, BoundaryViolation, Crossing, DriftAlert,
    DriftMeasure, Fault, FaultKind, GapTrend, MessageKind, ModelCall, ModelRecord, PeriodicReports, Remedy,
    Role, Share, ToolHealth, ToolRecord, Trend, UnitInterval, Warning,
};
use serde_json::json;

use super::{run_id, subtask_id, time};

pub(super) fn fault() -> Fault {
    Fault {
        role: Role::Executor,
        kind: FaultKind::Provider,
        message: "http://localhost:11434/v1: connection refused".to_owned(),
        hint: Some("start the server, or unset OPENAI_BASE_URL to use the embedded model".to_owned()),
        remedy: Some(Remedy::ChooseModel),
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
        usable: Some(false),
        error: Some("the answer ended in the middle of a string".to_owned()),
    }
}

pub(super) fn audit_query() -> AuditQuery {
    AuditQuery { since: Some(time("2026-03-14T00:00:00+08:00")) }
}

pub(super) fn audit_report() -> AuditReport {
    let d = |values: &[f64]| values.iter().copied().map(UnitInterval::clamped).collect();
    AuditReport {
        trigger: AuditTrigger::OnDemand,
        window_start: Some(time("2026-03-14T00:00:00+08:00")),
        window_end: time("2026-03-14T12:00:00+08:00"),
        tasks_observed: 4,
        total_corrections: 3,
        gap_trends: vec![GapTrend {
            task_id: run_id(),
            trend: Trend::Oscillating,
            d: d(&[0.75, 0.25, 0.75]),
        }],
        boundary_violations: vec![BoundaryViolation {
            run_id: run_id(),
            seq: 9,
            role: Role::Executor,
            message: MessageKind::MegramWrite,
            crossing: Crossing::Refused,
        }],
        drift_alerts: vec![DriftAlert {
            role: Role::AgentValidator,
            measure: DriftMeasure::CorrectedSubtasks,
            before: Share { bad: 4, all: 40 },
            now: Share { bad: 12, all: 20 },
        }],
        anomalies: vec![
            Anomaly::NoFinalResult { run_id: run_id(), last_at: time("2026-03-14T09:26:53+08:00") },
            Anomaly::ToolFailing { tool: "shell".to_owned(), calls: 14, failed: 7 },
            Anomaly::Oscillation { run_id: run_id(), d: d(&[0.75, 0.25, 0.75]) },
        ],
        omitted: 1,
        tool_health: ToolHealth {
            execution_failures: 2,
            environmental_retries: 1,
            logical_retries: 2,
            tools: [("shell".to_owned(), ToolRecord { calls: 14, failed: 7, timed_out: 1, refused: 2 })]
                .into(),
            models: [(
                "qwen2.5-coder-1.5b-instruct-q4_k_m".to_owned(),
                ModelRecord { calls: 31, failed: 1, shaped: 28, unusable: 2 },
            )]
            .into(),
        },
        periodic: PeriodicReports {
            made: 2,
            with_findings: 1,
            reports: vec![AuditReport {
                anomalies: vec![Anomaly::ToolFailing { tool: "shell".to_owned(), calls: 6, failed: 3 }],
                ..AuditReport::empty(
                    AuditTrigger::Periodic,
                    Some(time("2026-03-14T09:25:00+08:00")),
                    time("2026-03-14T09:30:00+08:00"),
                )
            }],
        },
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
