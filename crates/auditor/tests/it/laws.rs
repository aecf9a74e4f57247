//! Property tests of reports.

use artoo_auditor::thresholds::{DRIFT_CASES, DRIFT_HISTORY, LISTED, NAMES};
use artoo_auditor::{Line, ReportFold, Window};
use artoo_types::{AnomalyKind, AuditEvent, AuditReport, AuditTrigger, MessageKind, Role};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixtures::{noon, run_id};

/// Values that a fact may have in a foreign log.
fn any_fact() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        Just(json!([[{}]])),
        prop::sample::select(vec![
            "failed",
            "break_symmetry",
            "environmental",
            "logical",
            "refused",
            "boundary",
            "overflow",
            "ggs",
            "final_result",
            "second_final_result",
            "second_report",
            "deadline",
            "periodic",
            "abandon",
            "",
        ])
        .prop_map(Value::from),
        (0..3_u128).prop_map(|n| json!(run_id(n))),
        "\\PC{0,8}".prop_map(Value::from),
    ]
}

const FACTS: [&str; 30] = [
    "subtask_id",
    "call_id",
    "round",
    "subtasks",
    "kept",
    "outcomes",
    "failed",
    "matched",
    "D",
    "grad_goal",
    "directive",
    "fault",
    "class",
    "status",
    "tool",
    "ending",
    "model",
    "ok",
    "usable",
    "role",
    "refused",
    "reason",
    "full",
    "max_replans",
    "max_retries",
    "attempts",
    "pass",
    "trigger",
    "until",
    "P",
];

fn any_event() -> impl Strategy<Value = (u128, u64, Role, MessageKind, Vec<(&'static str, Value)>)> {
    let role = prop::sample::select(Role::ALL.to_vec());
    let kind = prop::sample::select(MessageKind::ALL.to_vec());
    let facts = prop::collection::vec((prop::sample::select(FACTS.to_vec()), any_fact()), 0..8);
    (0..3_u128, prop_oneof![1..9_u64, any::<u64>()], role, kind, facts)
}

fn event(line: u64, seed: &(u128, u64, Role, MessageKind, Vec<(&'static str, Value)>)) -> Line {
    let (run, seq, from, kind, facts) = seed;
    Line::Event(AuditEvent {
        line,
        at: noon(),
        run_id: run_id(*run),
        seq: *seq,
        from: *from,
        kind: *kind,
        facts: facts.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        prev_hash: String::new(),
    })
}

fn report(lines: &[Line]) -> AuditReport {
    let mut fold = ReportFold::new(Window::new(AuditTrigger::OnDemand, None, noon()));
    lines.iter().for_each(|line| fold.line(line));
    fold.finish()
}

/// A realistic run: a request, rounds of directives, calls, an end.
fn steps() -> impl Strategy<Value = Vec<(Role, MessageKind, Value)>> {
    let step = prop_oneof![
        (-0.5..0.5, 0.0..1.0).prop_map(|(step, d)| {
            let facts = json!({"grad_goal": step, "D": d, "directive": "break_symmetry"});
            (Role::Ggs, MessageKind::PlanDirective, facts)
        }),
        (any::<bool>(), 0..3_usize).prop_map(|(failed, tool)| {
            let class = failed.then_some("logical");
            let tool = ["shell", "glob", "read_file"][tool];
            let facts = json!({"tool": tool, "class": class});
            (Role::Executor, MessageKind::ToolFinished, facts)
        }),
        any::<bool>().prop_map(|usable| {
            (Role::Planner, MessageKind::ModelCall, json!({"model": "m", "ok": true, "usable": usable}))
        }),
        (0..4_u128).prop_map(|n| (Role::Dispatcher, MessageKind::SubTask, json!({"subtask_id": run_id(n)}))),
        Just((Role::Executor, MessageKind::FinalResult, json!({}))),
    ];
    prop::collection::vec(step, 0..12)
}

/// The report without the parts that depend on the order of the runs.
fn unordered(mut report: AuditReport) -> AuditReport {
    report.anomalies.sort_by_key(|anomaly| (anomaly.kind(), anomaly.to_string()));
    report.boundary_violations.sort_by_key(|violation| (violation.run_id, violation.seq));
    report.drift_alerts.clear();
    report
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// For any facts, the report is bounded and reproducible.
    #[test]
    fn any_facts_make_a_bounded_report(seeds in prop::collection::vec(any_event(), 0..200)) {
        let lines: Vec<Line> = (1..).zip(&seeds).map(|(line, seed)| event(line, seed)).collect();
        let made = report(&lines);
        prop_assert!(made.boundary_violations.len() <= LISTED);
        prop_assert!(made.anomalies.len() <= LISTED * AnomalyKind::ALL.len());
        prop_assert!(made.tool_health.tools.len() <= NAMES + 1);
        prop_assert!(made.anomalies.iter().map(|anomaly| anomaly.kind()).is_sorted());
        let json = serde_json::to_string(&made).unwrap();
        prop_assert_eq!(&serde_json::from_str::<AuditReport>(&json).unwrap(), &made, "it reads back");
        prop_assert_eq!(&report(&lines), &made);
    }

    /// Interleaved runs are reported like consecutive ones.
    #[test]
    fn runs_do_not_disturb_each_other(
        runs in prop::collection::vec(steps(), 1..4),
        order in prop::collection::vec(any::<prop::sample::Index>(), 60),
    ) {
        let mut queues: Vec<Vec<Line>> = (1..).zip(&runs).map(|(n, steps)| {
            (1..).zip(steps).map(|(seq, (from, kind, facts))| {
                let facts: Vec<(&'static str, Value)> = FACTS
                    .iter()
                    .filter_map(|name| facts.get(name).map(|value| (*name, value.clone())))
                    .collect();
                event(seq, &(n, seq, *from, *kind, facts))
            }).collect()
        }).collect();
        let one_by_one: Vec<Line> = queues.iter().flatten().cloned().collect();
        let mut mixed = Vec::new();
        for index in &order {
            let queue = index.index(queues.len());
            if !queues[queue].is_empty() {
                mixed.push(queues[queue].remove(0));
            }
        }
        mixed.extend(queues.into_iter().flatten());
        prop_assert_eq!(unordered(report(&mixed)), unordered(report(&one_by_one)));
    }

    /// Too few cases are never drift.
    #[test]
    fn too_few_cases_are_no_drift(
        before in prop::collection::vec(any::<bool>(), 0..60),
        now in prop::collection::vec(any::<bool>(), 0..30),
    ) {
        let since = noon() + chrono::Duration::minutes(1);
        let mut fold = ReportFold::new(Window::new(AuditTrigger::Periodic, Some(since), since));
        let cases = before.iter().map(|bad| (noon(), bad)).chain(now.iter().map(|bad| (since, bad)));
        for (seq, (at, bad)) in (1..).zip(cases) {
            let facts = vec![("pass", json!(!bad))];
            let mut line = event(seq, &(1, seq, Role::AgentValidator, MessageKind::VerdictReached, facts));
            if let Line::Event(event) = &mut line {
                event.at = at;
            }
            fold.line(&line);
        }
        let alerts = fold.finish().drift_alerts;
        prop_assert!(
            alerts.is_empty() || (before.len() as u64 >= DRIFT_HISTORY && now.len() as u64 >= DRIFT_CASES)
        );
    }
}
