//! Tests of reports on logs from real buses: counts, windows, and limits of lists.

use std::time::Duration;

use artoo_auditor::thresholds::{LISTED, NAMES};
use artoo_types::{
    Anomaly, AnomalyKind, AuditReport, AuditTrigger, GapTrend, MessageKind, ModelRecord, Role, ToolHealth,
    ToolRecord, Trend, UnitInterval,
};
use serde_json::json;

use crate::fixtures::{golden_with, noon, run_id};
use crate::scene::{Scene, a_whole_run, fold, line, say};

pub(crate) fn d(values: &[f64]) -> Vec<UnitInterval> {
    values.iter().copied().map(UnitInterval::clamped).collect()
}

/// Lesson 22: reading reset the ancestor's counts. Lesson N21: it counted attempts as corrections.
#[test]
fn a_report_counts_what_happened_as_often_as_it_is_asked() {
    let mut scene = Scene::new();
    let _runs = [a_whole_run(&scene, 1), a_whole_run(&scene, 2)];
    let trend = |n| GapTrend { task_id: run_id(n), trend: Trend::Stable, d: d(&[0.8, 0.5]) };
    let expected = AuditReport {
        trigger: AuditTrigger::OnDemand,
        window_start: Some(noon()),
        window_end: noon(),
        tasks_observed: 2,
        total_corrections: 6,
        gap_trends: vec![trend(1), trend(2)],
        boundary_violations: vec![],
        drift_alerts: vec![],
        anomalies: vec![],
        omitted: 0,
        tool_health: ToolHealth {
            execution_failures: 2,
            environmental_retries: 2,
            logical_retries: 2,
            ..ToolHealth::default()
        },
        ..AuditReport::empty(AuditTrigger::OnDemand, None, noon())
    };
    assert_eq!(scene.report(), expected);
    assert_eq!(scene.report(), expected);
}

#[test]
fn a_window_counts_what_is_in_it() {
    let mut scene = Scene::new();
    let _one = a_whole_run(&scene, 1);
    scene.clock.advance(Duration::from_secs(60));
    let since = artoo_bus::Clock::now(&*scene.clock);
    let _two = a_whole_run(&scene, 2);
    let report = scene.report_since(Some(since));
    assert_eq!((report.tasks_observed, report.total_corrections, report.window_start), (1, 3, Some(since)));
    assert_eq!((report.tool_health.execution_failures, report.window_end), (1, since));
    assert_eq!(scene.report().tasks_observed, 2);
    let none = scene.report_since(Some(since + chrono::Duration::hours(1)));
    assert_eq!((none.tasks_observed, none.anomalies.len()), (0, 0));
}

#[test]
fn an_empty_log_is_an_empty_report() {
    let report = Scene::new().report();
    assert_eq!((report.window_start, report.tasks_observed), (None, 0));
}

/// Lesson 87: the ancestor had three totals, and no rate of any tool or model.
#[test]
fn tools_and_models_are_counted_by_name() {
    let mut scene = Scene::new();
    let run = scene.run(1);
    let call = |tool: &str, ending: serde_json::Value, failed: bool| {
        let failure = if failed { json!({"class": "environmental", "reason": "no"}) } else { json!(null) };
        let mut payload = crate::fixtures::golden_payload(MessageKind::ToolFinished);
        payload["call"]["tool"] = tool.into();
        payload["call"]["ending"] = ending;
        payload["call"]["failure"] = failure;
        payload["call"]["call_id"] = json!(uuid::Uuid::now_v7());
        crate::fixtures::from_payload(MessageKind::ToolFinished, payload)
    };
    let ok = || json!({"kind": "returned"});
    say(
        &run,
        Role::Executor,
        [
            call("shell", ok(), false),
            call("shell", json!({"kind": "exited", "status": 1}), true),
            call("shell", json!({"kind": "timed_out"}), true),
            call("shell", json!({"kind": "refused"}), true),
            call("shell", json!({"kind": "cancelled"}), true),
            call("glob", ok(), false),
        ],
    );
    let answer = |fields| golden_with(MessageKind::ModelCall, fields);
    say(
        &run,
        Role::AgentValidator,
        [
            answer(json!({"error": null, "usable": true})),
            answer(json!({"error": null, "usable": false})),
            answer(json!({"error": null, "usable": null})),
            answer(json!({"error": "refused", "usable": null})),
        ],
    );
    let health = scene.report().tool_health;
    let shell = ToolRecord { calls: 3, failed: 2, timed_out: 1, refused: 2 };
    let glob = ToolRecord { calls: 1, ..ToolRecord::default() };
    assert_eq!(health.tools, [("glob".to_owned(), glob), ("shell".to_owned(), shell)].into());
    let model = ModelRecord { calls: 4, failed: 1, shaped: 2, unusable: 1 };
    assert_eq!(health.models.into_values().collect::<Vec<_>>(), [model]);
}

/// Lists are bounded for any log; omitted findings are counted.
#[test]
fn a_report_does_not_grow_with_a_hostile_log() {
    let more = 20;
    let count = LISTED as u64 + more;
    let intruder = |seq| line(seq, Role::Auditor, MessageKind::PlanDirective, json!({}));
    let report = fold((1..=count).map(intruder), 0);
    assert_eq!((report.boundary_violations.len(), report.omitted), (LISTED, more));
    let twice = (0..=count).map(|_| line(1, Role::Planner, MessageKind::Plan, json!({})));
    let report = fold(twice, 0);
    assert_eq!((report.anomalies.len(), report.omitted), (LISTED, more));
    let names = (1..=500).map(|seq| {
        line(seq, Role::Executor, MessageKind::ToolFinished, json!({"tool": format!("other:{seq}")}))
    });
    let tools = fold(names, 0).tool_health.tools;
    assert_eq!(tools.len(), NAMES + 1);
    assert_eq!(tools.values().map(|tool| tool.calls).sum::<u64>(), 500);
    assert_eq!(tools["(others)"].calls, 500 - NAMES as u64);
}

/// Most important first, whatever came first in the log.
#[test]
fn anomalies_stand_in_the_order_of_their_kinds() {
    let failed = |seq| line(seq, Role::Executor, MessageKind::ToolFinished, json!({"class": "logical"}));
    let end = |seq| line(seq, Role::Ggs, MessageKind::FinalResult, json!({}));
    let report = fold((1..=5).map(failed).chain([end(6), end(7), end(9)]), 0);
    let kinds: Vec<AnomalyKind> = report.anomalies.iter().map(Anomaly::kind).collect();
    assert_eq!(
        kinds,
        [
            AnomalyKind::MessagesMissing,
            AnomalyKind::SecondFinalResult,
            AnomalyKind::SecondFinalResult,
            AnomalyKind::ToolFailing
        ]
    );
}
