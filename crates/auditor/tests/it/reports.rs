//! Reports, from logs that real buses wrote.

use std::time::Duration;

use artoo_auditor::{Entry, Fold, Gap, Line, Vocabulary, What, Window, facts};
use artoo_bus::{Bus, Observed, RunBus, Tap};
use artoo_types::{
    AuditEvent, AuditReport, AuditTrigger, GapTrend, Message, MessageKind, Role, ToolHealth, Trend,
};
use serde_json::{Value, json};

use crate::given::{bus, clock, golden, golden_with, noon, run_id};

/// A bus with a tap, and the report of what passed.
struct Scene {
    clock: std::sync::Arc<artoo_bus::ManualClock>,
    bus: Bus,
    tap: Tap,
    lines: Vec<Line>,
}

impl Scene {
    fn new() -> Self {
        let clock = clock();
        let bus = bus(&clock);
        let tap = bus.tap(10_000);
        Self { clock, bus, tap, lines: Vec::new() }
    }

    fn run(&self, n: u128) -> RunBus {
        self.bus.open(run_id(n)).unwrap()
    }

    /// What the writer would make of what passed so far.
    fn log(&mut self) {
        while let Some(observed) = self.tap.try_recv() {
            let Observed::Message(envelope) = observed else { panic!("{observed:?}") };
            self.lines.push(Line::Event(AuditEvent {
                line: self.lines.len() as u64 + 1,
                at: envelope.at,
                run_id: envelope.run_id,
                seq: envelope.seq,
                from: envelope.from,
                kind: envelope.message.kind(),
                facts: facts(&envelope, &Vocabulary::default()),
                prev_hash: String::new(),
            }));
        }
    }

    fn report_since(&mut self, since: Option<chrono::DateTime<chrono::FixedOffset>>) -> AuditReport {
        self.log();
        let now = artoo_bus::Clock::now(&*self.clock);
        let mut fold = Fold::new(Window::new(AuditTrigger::OnDemand, since, now));
        self.lines.iter().for_each(|line| fold.line(line));
        fold.finish()
    }

    fn report(&mut self) -> AuditReport {
        self.report_since(None)
    }
}

fn directive(directive: &str, d: f64, grad_goal: f64) -> Message {
    let fields = json!({
        "directive": directive, "grad_goal": grad_goal, "loss": {"D": d, "P": 1.0, "Omega": 0.1, "L": 0.5},
    });
    golden_with(MessageKind::PlanDirective, fields)
}

fn say(run: &RunBus, role: Role, messages: impl IntoIterator<Item = Message>) {
    let port = run.port(role).unwrap();
    for message in messages {
        port.publish(message).unwrap();
    }
}

fn a_whole_run(scene: &Scene, n: u128) -> RunBus {
    let run = scene.run(n);
    say(&run, Role::User, [golden(MessageKind::UserRequest)]);
    say(&run, Role::Executor, [golden_with(MessageKind::ExecutionResult, json!({"status": "failed"}))]);
    say(
        &run,
        Role::AgentValidator,
        [
            golden_with(MessageKind::CorrectionSignal, json!({"failure_class": "logical"})),
            golden_with(MessageKind::CorrectionSignal, json!({"failure_class": "environmental"})),
            golden_with(MessageKind::CorrectionSignal, json!({"failure_class": "unknown"})),
        ],
    );
    say(&run, Role::Ggs, [directive("refine", 0.8, 0.0), golden(MessageKind::FinalResult)]);
    run
}

/// Lesson 22: the ancestor's counts were lost by looking. Lesson N21: it counted attempts as corrections.
#[test]
fn a_report_counts_what_happened_as_often_as_it_is_asked() {
    let mut scene = Scene::new();
    let _runs = [a_whole_run(&scene, 1), a_whole_run(&scene, 2)];
    let trend = |n| GapTrend { task_id: run_id(n), trend: Trend::Stable };
    let expected = AuditReport {
        trigger: AuditTrigger::OnDemand,
        window_start: Some(noon()),
        tasks_observed: 2,
        total_corrections: 6,
        gap_trends: vec![trend(1), trend(2)],
        boundary_violations: vec![],
        drift_alerts: vec![],
        anomalies: vec![],
        tool_health: ToolHealth { execution_failures: 2, environmental_retries: 2, logical_retries: 2 },
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
    assert_eq!(report.tool_health.execution_failures, 1);
    assert_eq!(scene.report().tasks_observed, 2);
    let none = scene.report_since(Some(since + chrono::Duration::hours(1)));
    assert_eq!((none.tasks_observed, none.anomalies.len()), (0, 0));
}

#[test]
fn an_empty_log_is_an_empty_report() {
    let report = Scene::new().report();
    assert_eq!((report.window_start, report.tasks_observed), (None, 0));
}

#[test]
fn trends_follow_the_goal_and_not_the_clock() {
    let mut scene = Scene::new();
    let runs: Vec<_> = [(1, -0.3), (2, 0.05), (3, 0.3)]
        .into_iter()
        .map(|(n, moved)| {
            let run = scene.run(n);
            say(&run, Role::Ggs, [directive("refine", 0.8, 0.0), directive("refine", 0.5, moved)]);
            run
        })
        .collect();
    let trends: Vec<_> = scene.report().gap_trends.into_iter().map(|trend| trend.trend).collect();
    assert_eq!(trends, [Trend::Improving, Trend::Stable, Trend::Worsening]);
    drop(runs);
}

#[test]
fn thrashing_is_break_symmetry_twice_without_progress() {
    let check = |rounds: &[(&str, f64)], expected: usize| {
        let mut scene = Scene::new();
        let run = scene.run(1);
        say(&run, Role::Ggs, rounds.iter().map(|(name, d)| directive(name, *d, 0.0)));
        let found = scene.report().anomalies.iter().filter(|text| text.starts_with("ggs_thrashing")).count();
        assert_eq!(found, expected, "{rounds:?}");
    };
    check(&[("break_symmetry", 0.5)], 0);
    check(&[("break_symmetry", 0.5), ("break_symmetry", 0.4)], 0);
    check(&[("break_symmetry", 0.5), ("break_symmetry", 0.5)], 1);
    check(&[("break_symmetry", 0.5), ("break_symmetry", 0.6), ("break_symmetry", 0.6)], 2);
    check(&[("break_symmetry", 0.5), ("refine", 0.5), ("break_symmetry", 0.5)], 0);
}

#[test]
fn what_the_bus_refused_is_reported() {
    let mut scene = Scene::new();
    let run = scene.run(1);
    run.port(Role::Executor).unwrap().publish(golden(MessageKind::FinalResult)).unwrap_err();
    let ggs = run.port(Role::Ggs).unwrap();
    ggs.publish(golden(MessageKind::FinalResult)).unwrap();
    ggs.publish(golden(MessageKind::FinalResult)).unwrap_err();
    let report = scene.report();
    let run = run_id(1);
    let refused = format!(
        "run {run}, message 1: executor published final_result, which its contract does not list; refused"
    );
    assert_eq!(report.boundary_violations, [refused]);
    assert_eq!(
        report.anomalies,
        [format!("run {run}, message 3: ggs published final_result a second time; refused")]
    );
}

fn line(seq: u64, from: Role, kind: MessageKind, facts: Value) -> Line {
    Line::Event(AuditEvent {
        line: seq,
        at: noon(),
        run_id: run_id(7),
        seq,
        from,
        kind,
        facts: facts.as_object().cloned().unwrap(),
        prev_hash: String::new(),
    })
}

fn fold(lines: impl IntoIterator<Item = Line>, minutes: i64) -> AuditReport {
    let mut fold =
        Fold::new(Window::new(AuditTrigger::OnDemand, None, noon() + chrono::Duration::minutes(minutes)));
    lines.into_iter().for_each(|line| fold.line(&line));
    fold.finish()
}

#[test]
fn what_no_port_would_have_let_through_is_reported() {
    let report = fold([line(1, Role::Auditor, MessageKind::PlanDirective, json!({}))], 0);
    assert_eq!(report.boundary_violations.len(), 1);
    assert!(report.boundary_violations[0].ends_with("auditor published plan_directive past the bus"));
}

#[test]
fn a_run_without_an_end_and_one_with_two_are_reported() {
    let request = || line(1, Role::User, MessageKind::UserRequest, json!({}));
    let result = |seq| line(seq, Role::Ggs, MessageKind::FinalResult, json!({}));
    assert_eq!(fold([request()], 9).anomalies.len(), 0, "it may still be running");
    assert_eq!(fold([request()], 11).anomalies.len(), 1);
    assert_eq!(fold([request(), result(2)], 11).anomalies.len(), 0);
    assert_eq!(fold([request(), result(2), result(3)], 11).anomalies.len(), 1);
}

#[test]
fn gaps_are_reported_and_holes_without_one_too() {
    let plan = |seq| line(seq, Role::Planner, MessageKind::Plan, json!({}));
    let gap = |first_seq, last_seq| {
        let Entry { at, what } =
            Entry { at: noon(), what: What::Gap(Gap::Lagged { run_id: run_id(7), first_seq, last_seq }) };
        let What::Gap(gap) = what else { panic!("a gap") };
        Line::Gap(artoo_auditor::GapLine { line: 9, at, gap, prev_hash: String::new() })
    };
    let anomalies = |lines: Vec<Line>| fold(lines, 0).anomalies;
    assert_eq!(anomalies(vec![plan(1), plan(2)]), [""; 0]);
    assert_eq!(anomalies(vec![plan(1), gap(2, 4), plan(5)]).len(), 1);
    assert!(
        anomalies(vec![plan(1), plan(5)])[0].contains("messages 2 to 4 are missing from the log, and no gap")
    );
    assert!(anomalies(vec![plan(1), plan(1)])[0].contains("twice"));
    assert!(anomalies(vec![plan(3)])[0].contains("messages 1 to 2 are missing"));
}

/// Lesson 87: the ancestor's operator could not see that a tool or a model failed half of the time.
#[test]
fn tools_and_models_that_fail_often_are_named() {
    let call = |seq, failed: bool| {
        let class = if failed { json!("environmental") } else { json!(null) };
        line(seq, Role::Executor, MessageKind::ToolFinished, json!({"tool": "shell", "class": class}))
    };
    let model =
        |seq, ok: bool| line(seq, Role::Planner, MessageKind::ModelCall, json!({"model": "m", "ok": ok}));
    let lines = (1..=6).map(|seq| call(seq, seq % 2 == 0)).chain((7..=11).map(|seq| model(seq, seq == 11)));
    assert_eq!(fold(lines, 0).anomalies, ["tool shell: 3 of 6 calls failed", "model m: 4 of 5 calls failed"]);
    assert_eq!(fold((1..=4).map(|seq| call(seq, true)), 0).anomalies, [""; 0], "too few to say anything");
}

#[test]
fn a_role_that_behaves_unlike_its_history_is_named() {
    let report = |before_failed: u64, now_failed: u64| {
        let result = |seq: u64, failed: bool, at| {
            let status = if failed { "failed" } else { "completed" };
            let mut line = line(seq, Role::Executor, MessageKind::ExecutionResult, json!({"status": status}));
            if let Line::Event(event) = &mut line {
                event.at = at;
            }
            line
        };
        let since = noon() + chrono::Duration::hours(1);
        let before = (1..=40).map(|seq| result(seq, seq <= before_failed, noon()));
        let now = (1..=20).map(|n| result(40 + n, n <= now_failed, since));
        let mut fold = Fold::new(Window::new(AuditTrigger::OnDemand, Some(since), since));
        before.chain(now).for_each(|line| fold.line(&line));
        fold.finish().drift_alerts
    };
    assert_eq!(report(4, 12), ["executor: failed results in 60 % of 20 cases, before 10 % of 40"]);
    assert_eq!(report(4, 4), [""; 0]);
    assert_eq!(report(0, 0), [""; 0]);
}
