//! Tests of each kind of anomaly: present, absent, and undecidable.

use artoo_auditor::{Gap, GapLine, Line, ReportFold, Window};
use artoo_types::{
    Anomaly, AnomalyKind, AuditReport, AuditTrigger, BoundaryViolation, Crossing, DriftAlert, DriftMeasure,
    IdKind, MessageKind, Role, RunLimit, Share, Trend,
};
use serde_json::{Value, json};

use crate::fixtures::{golden, noon, run_id};
use crate::reports::d;
use crate::scene::{Scene, directive, fold, line, say};

fn kinds(report: &AuditReport) -> Vec<AnomalyKind> {
    report.anomalies.iter().map(Anomaly::kind).collect()
}

/// The report on a run with these rounds: D, and the step of the goal.
fn rounds(rounds: &[(f64, f64)], end: Option<Value>) -> AuditReport {
    let facts = |(d, step): &(f64, f64)| json!({"D": d, "grad_goal": step, "directive": "refine"});
    let mut lines: Vec<Line> = (1..)
        .zip(rounds)
        .map(|(seq, round)| line(seq, Role::Ggs, MessageKind::PlanDirective, facts(round)))
        .collect();
    let seq = lines.len() as u64 + 1;
    lines.extend(end.map(|end| line(seq, Role::Ggs, MessageKind::FinalResult, end)));
    fold(lines, 0)
}

fn trend(steps: &[f64]) -> Option<Trend> {
    let steps: Vec<(f64, f64)> = steps.iter().map(|step| (0.5, *step)).collect();
    rounds(&steps, None).gap_trends.first().map(|trend| trend.trend)
}

#[test]
fn trends_follow_the_goal_and_not_the_clock() {
    assert_eq!(trend(&[0.0]), None, "one round has no direction");
    assert_eq!(trend(&[0.0, -0.3]), Some(Trend::Improving));
    assert_eq!(trend(&[0.0, 0.05]), Some(Trend::Stable));
    assert_eq!(trend(&[0.0, -0.1]), Some(Trend::Stable), "the threshold itself is no change");
    assert_eq!(trend(&[0.0, -0.1, -0.05]), Some(Trend::Improving), "small steps add up");
    assert_eq!(trend(&[0.0, 0.3]), Some(Trend::Worsening));
    assert_eq!(trend(&[0.0, -0.4, 0.4]), Some(Trend::Oscillating), "not stable: it went and came back");
    assert_eq!(trend(&[0.0, 0.4, -0.4, 0.4]), Some(Trend::Oscillating));
    assert_eq!(trend(&[0.0, -0.7, 0.2]), Some(Trend::Improving), "one bad round of a good run");
    assert_eq!(trend(&[0.0, -0.4, 0.09]), Some(Trend::Improving), "noise is no turn");
}

/// The result of a fault repeats the numbers of the previous round; counted as a round, a single fall would
/// count twice.
#[test]
fn a_fault_is_no_round() {
    let falling = [(0.8, 0.0), (0.6, -0.15), (0.8, 0.15)];
    let report = rounds(&falling, Some(json!({"D": 0.8, "grad_goal": 0.15, "fault": "provider"})));
    assert_eq!(report.gap_trends[0].d, d(&[0.8, 0.6, 0.8]));
    assert_eq!(report.gap_trends[0].trend, Trend::Oscillating);
}

/// The result of a run that spent its budget names no fault, but also repeats the numbers of the previous
/// round.
#[test]
fn a_spent_budget_is_no_round_and_leaves_no_hole() {
    let manifest = json!({"round": 1, "subtasks": 2, "kept": 0});
    let round = json!({"D": 0.5, "grad_goal": 0.0, "directive": "refine"});
    let spent = json!({"role": "supervisor", "fault": "budget"});
    let end = json!({"D": 0.5, "grad_goal": 0.0, "directive": "abandon", "fault": null});
    let run = |spent: Option<&Value>, told: Option<&Value>| {
        let said = [
            Some((Role::Ggs, MessageKind::PlanDirective, &round)),
            Some((Role::Ggs, MessageKind::PlanDirective, &round)),
            Some((Role::Dispatcher, MessageKind::DispatchManifest, &manifest)),
            spent.map(|spent| (Role::Supervisor, MessageKind::Fault, spent)),
            told.map(|told| (Role::Ggs, MessageKind::FailureReportRequest, told)),
            Some((Role::Ggs, MessageKind::FinalResult, &end)),
        ];
        let lines = (1..).zip(said.into_iter().flatten());
        fold(lines.map(|(seq, (from, kind, facts))| line(seq, from, kind, facts.clone())), 0)
    };
    let report = run(Some(&spent), None);
    assert_eq!((kinds(&report), report.gap_trends[0].d.clone()), (vec![], d(&[0.5, 0.5])));
    // The same end without the budget, or after R7 had abandoned the run by a rule, is a decision.
    let decided = [AnomalyKind::FanInIncomplete, AnomalyKind::NoImprovement];
    assert_eq!(kinds(&run(None, None)), decided);
    assert_eq!(kinds(&run(Some(&spent), Some(&json!({})))), decided);
}

/// A person may take any time to answer a question.
#[test]
fn a_run_that_waits_for_an_answer_is_not_lost() {
    let lost = |kinds: &[MessageKind]| {
        let from = |kind| {
            if kind == MessageKind::ClarificationRequested {
                Role::Perceiver
            } else if kind == MessageKind::PlanApprovalRequested {
                Role::Dispatcher
            } else {
                Role::User
            }
        };
        let lines = (1..).zip(kinds);
        fold(lines.map(|(seq, kind)| line(seq, from(*kind), *kind, json!({"round": 1}))), 24 * 60)
    };
    use MessageKind::{ClarificationAnswered, ClarificationRequested, UserRequest};
    assert_eq!(lost(&[UserRequest, ClarificationRequested]).anomalies, []);
    let answered = lost(&[UserRequest, ClarificationRequested, ClarificationAnswered]);
    assert_eq!(kinds(&answered), [AnomalyKind::NoFinalResult]);
    use MessageKind::{PlanApprovalDecided, PlanApprovalRequested};
    assert_eq!(lost(&[UserRequest, PlanApprovalRequested]).anomalies, []);
    let decided = lost(&[UserRequest, PlanApprovalRequested, PlanApprovalDecided]);
    assert_eq!(kinds(&decided), [AnomalyKind::NoFinalResult]);
}

#[test]
fn finished_runs_that_did_not_converge_are_anomalies() {
    let run_id = run_id(7);
    let end = |d: f64, step: f64| Some(json!({"D": d, "grad_goal": step}));
    let found = |steps: &[(f64, f64)], end| rounds(steps, end).anomalies;
    let flat = [(0.5, 0.0), (0.5, 0.0)];
    let d3 = |a, b, c| d(&[a, b, c]);
    assert_eq!(
        found(&flat, end(0.5, 0.0)),
        [Anomaly::NoImprovement { run_id, trend: Trend::Stable, d: d3(0.5, 0.5, 0.5) }]
    );
    assert_eq!(
        found(&flat, end(1.0, 0.3)),
        [Anomaly::NoImprovement { run_id, trend: Trend::Worsening, d: d3(0.5, 0.5, 1.0) }]
    );
    assert_eq!(
        found(&[(0.8, 0.0), (0.2, -0.4)], end(0.8, 0.4)),
        [Anomaly::Oscillation { run_id, d: d3(0.8, 0.2, 0.8) }]
    );
    assert_eq!(found(&flat, end(0.0, -0.3)), [], "it came through at last");
    assert_eq!(found(&flat[..1], end(0.5, 0.0)), [], "one replan is not again and again");
    assert_eq!(found(&[(0.8, 0.0), (0.2, -0.4), (0.8, 0.4)], None), [], "it is not over");
}

#[test]
fn thrashing_is_break_symmetry_twice_without_progress() {
    let check = |rounds: &[(&str, f64)], expected: &[(f64, f64)]| {
        let mut scene = Scene::new();
        let run = scene.run(1);
        say(&run, Role::Ggs, rounds.iter().map(|(name, d)| directive(name, *d, 0.0)));
        let expected: Vec<Anomaly> = expected
            .iter()
            .map(|(before, now)| {
                let both = d(&[*before, *now]);
                Anomaly::GgsThrashing { run_id: run_id(1), d_before: both[0], d_now: both[1] }
            })
            .collect();
        assert_eq!(scene.report().anomalies, expected, "{rounds:?}");
    };
    check(&[("break_symmetry", 0.5)], &[]);
    check(&[("break_symmetry", 0.5), ("break_symmetry", 0.4)], &[]);
    check(&[("break_symmetry", 0.5), ("break_symmetry", 0.5)], &[(0.5, 0.5)]);
    check(
        &[("break_symmetry", 0.5), ("break_symmetry", 0.6), ("break_symmetry", 0.6)],
        &[(0.5, 0.6), (0.6, 0.6)],
    );
    check(&[("break_symmetry", 0.5), ("refine", 0.5), ("break_symmetry", 0.5)], &[]);
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
    let run_id = run_id(1);
    let refused = BoundaryViolation {
        run_id,
        seq: 1,
        role: Role::Executor,
        message: MessageKind::FinalResult,
        crossing: Crossing::Refused,
    };
    assert_eq!(
        refused.to_string(),
        format!(
            "run {run_id}: executor published final_result (message 1), which its contract does not list; refused"
        )
    );
    assert_eq!(report.boundary_violations, [refused]);
    assert_eq!(report.anomalies, [Anomaly::SecondFinalResult { run_id, seq: 3, refused: true }]);
}

#[test]
fn a_full_mailbox_is_reported() {
    let clock = crate::fixtures::clock();
    let bus = artoo_bus::Bus::new(clock, artoo_bus::BusLimits { mailbox: 1 });
    let mut scene = Scene::on(bus);
    let run = scene.run(1);
    let _full = run.port(Role::Ggs).unwrap();
    let planner = run.port(Role::Planner).unwrap();
    while planner.publish(golden(MessageKind::FailureReport)).is_ok() {}
    let found = scene.report().anomalies;
    let [Anomaly::MailboxOverflow { from: Role::Planner, full: Role::Ggs, .. }] = found[..] else {
        panic!("{found:?}")
    };
}

#[test]
fn what_no_port_would_have_let_through_is_reported() {
    let report = fold([line(1, Role::Auditor, MessageKind::PlanDirective, json!({}))], 0);
    let violation = BoundaryViolation {
        run_id: run_id(7),
        seq: 1,
        role: Role::Auditor,
        message: MessageKind::PlanDirective,
        crossing: Crossing::PastTheBus,
    };
    assert!(violation.to_string().ends_with("auditor published plan_directive (message 1) past the bus"));
    assert_eq!(report.boundary_violations, [violation]);
}

fn request(seq: u64) -> Line {
    line(seq, Role::User, MessageKind::UserRequest, json!({"max_replans": 1, "max_retries": 2}))
}

fn result(seq: u64) -> Line {
    line(seq, Role::Ggs, MessageKind::FinalResult, json!({}))
}

fn gap(first_seq: u64, last_seq: u64) -> Line {
    let gap = Gap::Lagged { run_id: run_id(7), first_seq, last_seq };
    Line::Gap(GapLine { line: 9, at: noon(), gap, prev_hash: String::new() })
}

#[test]
fn a_run_without_an_end_and_one_with_two_are_reported() {
    let lost = Anomaly::NoFinalResult { run_id: run_id(7), last_at: noon() };
    assert_eq!(fold([request(1)], 89).anomalies, [], "it may still be running");
    assert_eq!(fold([request(1)], 90).anomalies, [lost]);
    assert_eq!(fold([request(1), result(2)], 91).anomalies, []);
    let second = Anomaly::SecondFinalResult { run_id: run_id(7), seq: 3, refused: false };
    assert_eq!(fold([request(1), result(2), result(3)], 91).anomalies, [second]);
    let asked = line(2, Role::Executor, MessageKind::ApprovalRequested, json!({}));
    let answered = line(3, Role::User, MessageKind::ApprovalDecided, json!({}));
    assert_eq!(fold([request(1), asked.clone()], 100).anomalies, [], "it waits for a person");
    assert_eq!(kinds(&fold([request(1), asked, answered], 100)), [AnomalyKind::NoFinalResult]);
    assert_eq!(
        kinds(&fold([request(1), gap(2, 4)], 100)),
        [AnomalyKind::MessagesLost],
        "the end may be lost"
    );
}

/// A window of five minutes is shorter than the silence after which a run is lost: the run is reported in the
/// window in which the silence expired.
#[test]
fn a_lost_run_is_in_exactly_one_of_the_periodic_reports() {
    let minute = |minutes| noon() + chrono::Duration::minutes(minutes);
    let told: Vec<i64> = (0..24)
        .filter(|n| {
            let (since, now) = (minute(5 * n) + chrono::Duration::seconds(1), minute(5 * n + 5));
            let mut fold = ReportFold::new(Window::new(AuditTrigger::Periodic, Some(since), now));
            fold.line(&request(1));
            !fold.finish().anomalies.is_empty()
        })
        .collect();
    assert_eq!(told, [17], "from 85 to 90 minutes");
}

#[test]
fn gaps_are_reported_and_holes_without_one_too() {
    let plan = |seq| line(seq, Role::Planner, MessageKind::Plan, json!({}));
    let run_id = run_id(7);
    let anomalies = |lines: Vec<Line>| fold(lines, 0).anomalies;
    assert_eq!(anomalies(vec![plan(1), plan(2)]), []);
    assert_eq!(
        anomalies(vec![plan(1), gap(2, 4), plan(5)]),
        [Anomaly::MessagesLost { run_id, first_seq: 2, last_seq: 4 }]
    );
    let missing = |first_seq, last_seq| Anomaly::MessagesMissing { run_id, first_seq, last_seq };
    assert_eq!(anomalies(vec![plan(1), plan(5)]), [missing(2, 4)]);
    assert_eq!(anomalies(vec![plan(3)]), [missing(1, 2)]);
    let twice = Anomaly::DuplicateId { run_id, seq: 1, of: IdKind::Message };
    assert_eq!(anomalies(vec![plan(1), plan(1)]), [twice]);
}

/// The anomalies of a single run, given the messages after its request.
fn run(messages: &[(Role, MessageKind, Value)]) -> Vec<Anomaly> {
    let messages = (2..).zip(messages);
    let lines = messages.map(|(seq, (from, kind, facts))| line(seq, *from, *kind, facts.clone()));
    fold([request(1)].into_iter().chain(lines), 0).anomalies
}

fn with_id(from: Role, kind: MessageKind, fact: &str, n: u128) -> (Role, MessageKind, Value) {
    (from, kind, json!({fact: run_id(n)}))
}

fn outcome(n: u128) -> (Role, MessageKind, Value) {
    with_id(Role::AgentValidator, MessageKind::SubTaskOutcome, "subtask_id", n)
}

#[test]
fn ids_are_used_once() {
    use MessageKind::{SubTask, SubTaskOutcome, ToolFinished, ToolStarted};
    let cases = [
        (Role::Dispatcher, SubTask, "subtask_id", IdKind::SubTask),
        (Role::AgentValidator, SubTaskOutcome, "subtask_id", IdKind::Outcome),
        (Role::Executor, ToolStarted, "call_id", IdKind::ToolCall),
        (Role::Executor, ToolFinished, "call_id", IdKind::ToolCall),
    ];
    for (from, kind, fact, of) in cases {
        let one = with_id(from, kind, fact, 1);
        assert_eq!(run(&[one.clone(), with_id(from, kind, fact, 2)]), [], "{kind:?}");
        let twice = Anomaly::DuplicateId { run_id: run_id(7), seq: 3, of };
        assert_eq!(run(&[one.clone(), one]), [twice], "{kind:?}");
    }
    let again = (Role::User, MessageKind::UserRequest, json!({}));
    assert_eq!(run(&[again]), [Anomaly::DuplicateId { run_id: run_id(7), seq: 2, of: IdKind::Run }]);
    let other_run = |n: u128| {
        let mut line = line(1, Role::Dispatcher, SubTask, json!({"subtask_id": run_id(1)}));
        if let Line::Event(event) = &mut line {
            event.run_id = run_id(n);
        }
        line
    };
    assert_eq!(fold([other_run(1), other_run(2)], 0).anomalies, [], "an id belongs to its run");
}

#[test]
fn r4b_waits_for_every_outcome() {
    let manifest = |round: u32, subtasks: u64, kept: u64| {
        let facts = json!({"round": round, "subtasks": subtasks, "kept": kept});
        (Role::Dispatcher, MessageKind::DispatchManifest, facts)
    };
    let summary =
        |outcomes: u64| (Role::MetaValidator, MessageKind::OutcomeSummary, json!({"outcomes": outcomes}));
    let replan = |failed: u64, matched: u64| {
        let facts = json!({"failed": failed, "matched": matched});
        (Role::MetaValidator, MessageKind::ReplanRequest, facts)
    };
    let end = |facts| (Role::Ggs, MessageKind::FinalResult, facts);
    let incomplete = |round, expected, arrived, decided| {
        [Anomaly::FanInIncomplete { run_id: run_id(7), round, expected, arrived, decided }]
    };
    assert_eq!(run(&[manifest(1, 2, 0), outcome(1), outcome(2), summary(2), end(json!({}))]), []);
    assert_eq!(run(&[manifest(1, 2, 0), outcome(1), outcome(2), replan(1, 1)]), []);
    let second = [manifest(1, 1, 0), outcome(1), replan(0, 1), manifest(2, 1, 1), outcome(2), summary(2)];
    assert_eq!(run(&second), [], "what is kept counts again");
    assert_eq!(run(&[manifest(1, 2, 0), manifest(1, 9, 0), outcome(1), outcome(2), summary(2)]), []);

    assert_eq!(
        run(&[manifest(1, 3, 0), outcome(1), outcome(2), summary(3)]),
        incomplete(1, 3, 2, MessageKind::OutcomeSummary)
    );
    assert_eq!(
        run(&[manifest(1, 2, 0), outcome(1), outcome(2), replan(1, 0)]),
        incomplete(1, 2, 1, MessageKind::ReplanRequest)
    );
    assert_eq!(
        run(&[manifest(1, 2, 0), outcome(1), outcome(1), summary(2)]),
        [
            incomplete(1, 2, 1, MessageKind::OutcomeSummary),
            [Anomaly::DuplicateId { run_id: run_id(7), seq: 4, of: IdKind::Outcome }]
        ]
        .concat(),
        "the same outcome twice is one"
    );
    let lost = incomplete(1, 2, 1, MessageKind::FinalResult);
    assert_eq!(run(&[manifest(1, 2, 0), outcome(1), end(json!({}))]), lost);
    for (fault, hole) in
        [("deadline", true), ("panic", true), ("bus", true), ("provider", false), ("cancelled", false)]
    {
        let found = run(&[manifest(1, 2, 0), outcome(1), end(json!({"fault": fault}))]);
        assert_eq!(found == lost, hole, "{fault}: {found:?}");
    }
    assert_eq!(run(&[manifest(1, 2, 0), outcome(1), end(json!({"fault": "timeout"}))]), []);
}

#[test]
fn limits_of_the_request_hold() {
    let correction = |n: u128| with_id(Role::AgentValidator, MessageKind::CorrectionSignal, "subtask_id", n);
    let directive = || (Role::Ggs, MessageKind::PlanDirective, json!({}));
    assert_eq!(run(&[correction(1), correction(1), correction(2), correction(2), directive()]), []);
    let exceeded =
        |limit, allowed| [Anomaly::LimitExceeded { run_id: run_id(7), limit, allowed, seen: allowed + 1 }];
    let four = [correction(1), correction(1), correction(1), correction(1)];
    assert_eq!(run(&four), exceeded(RunLimit::Corrections, 2), "told once");
    assert_eq!(run(&[directive(), directive()]), exceeded(RunLimit::Replans, 1));
}

/// An apparently missing message may be in the gap: after a gap, the checks of a single run report nothing.
#[test]
fn after_a_hole_only_the_hole_is_told() {
    let twice = || line(9, Role::Dispatcher, MessageKind::SubTask, json!({"subtask_id": run_id(1)}));
    let again = line(10, Role::Dispatcher, MessageKind::SubTask, json!({"subtask_id": run_id(1)}));
    let summary = line(11, Role::MetaValidator, MessageKind::OutcomeSummary, json!({"outcomes": 9}));
    let lines = [request(1), gap(2, 8), twice(), again.clone(), summary.clone()];
    assert_eq!(kinds(&fold(lines, 0)), [AnomalyKind::MessagesLost]);
    assert_eq!(kinds(&fold([request(1), twice(), again, summary], 0)), [AnomalyKind::MessagesMissing]);
}

/// Lesson 87: the ancestor's operator could not see that a tool or a model failed half of the time.
#[test]
fn tools_and_models_that_fail_often_are_named() {
    let call = |seq, failed: bool| {
        let class = if failed { json!("environmental") } else { json!(null) };
        line(seq, Role::Executor, MessageKind::ToolFinished, json!({"tool": "shell", "class": class}))
    };
    let model = |seq, facts| line(seq, Role::Planner, MessageKind::ModelCall, facts);
    let answer = |seq, usable: bool| model(seq, json!({"model": "n", "ok": true, "usable": usable}));
    let silence = |seq, ok: bool| model(seq, json!({"model": "m", "ok": ok}));
    let lines = (1..=6)
        .map(|seq| call(seq, seq % 2 == 0))
        .chain((7..=11).map(|seq| silence(seq, seq == 11)))
        .chain((12..=19).map(|seq| answer(seq, seq > 13)));
    let found: Vec<String> = fold(lines, 0).anomalies.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "model m: 4 of 5 calls failed",
            "model n: 2 of 8 answers were not usable",
            "tool shell: 3 of 6 calls failed"
        ]
    );
    assert_eq!(fold((1..=4).map(|seq| call(seq, true)), 0).anomalies, [], "too few to say anything");
    assert_eq!(fold((1..=8).map(|seq| answer(seq, seq > 1)), 0).anomalies, [], "one in eight");
    let text = |seq| model(seq, json!({"model": "n", "ok": true}));
    assert_eq!(fold((1..=8).map(text), 0).anomalies, [], "no shape was asked for");
}

fn results(from: u64, count: u64, failed: u64, at: chrono::DateTime<chrono::FixedOffset>) -> Vec<Line> {
    (0..count)
        .map(|n| {
            let status = if n < failed { "failed" } else { "completed" };
            let mut line =
                line(from + n, Role::Executor, MessageKind::ExecutionResult, json!({"status": status}));
            if let Line::Event(event) = &mut line {
                event.at = at;
            }
            line
        })
        .collect()
}

#[test]
fn a_role_that_behaves_unlike_its_history_is_named() {
    let report = |before: (u64, u64), now: (u64, u64), since| {
        let at = noon() + chrono::Duration::hours(1);
        let window = Window::new(AuditTrigger::OnDemand, since, at);
        let mut fold = ReportFold::new(window);
        let (history, recent) =
            (results(1, before.1, before.0, noon()), results(before.1 + 1, now.1, now.0, at));
        history.iter().chain(&recent).for_each(|line| fold.line(line));
        fold.finish().drift_alerts
    };
    let since = Some(noon() + chrono::Duration::minutes(30));
    let alert = DriftAlert {
        role: Role::Executor,
        measure: DriftMeasure::FailedResults,
        before: Share { bad: 4, all: 40 },
        now: Share { bad: 12, all: 20 },
    };
    assert_eq!(alert.to_string(), "executor: failed results in 60 % of 20 cases, before 10 % of 40");
    assert_eq!(report((4, 40), (12, 20), since), std::slice::from_ref(&alert));
    assert_eq!(report((4, 40), (12, 20), None), [alert], "without a window, the last twenty");
    for since in [since, None] {
        assert_eq!(report((4, 40), (2, 20), since), []);
        assert_eq!(report((0, 40), (0, 20), since), []);
        assert_eq!(report((0, 29), (20, 20), since), [], "too little history");
        assert_eq!(report((0, 40), (3, 20), since), [], "too small a difference");
    }
    assert_eq!(report((0, 40), (9, 9), since), [], "too few cases");
}
