//! Every obligation: which message creates it, and which fulfils it.

use std::{sync::Arc, time::Duration};

use artoo_runtime::{Deadlines, Overdue, Watch};
use artoo_types::{Envelope, Fault, FaultKind, Message, Role, RunId, Warning};
use chrono::DateTime;
use serde_json::{Value, json};

const SECOND: Duration = Duration::from_secs(1);
const A: &str = "00000000-0000-0000-0000-00000000000a";
const B: &str = "00000000-0000-0000-0000-00000000000b";

/// Different for each kind of step, so that a deadline identifies the step.
fn deadlines() -> Deadlines {
    Deadlines {
        perceive: SECOND,
        plan: 2 * SECOND,
        attempt: 30 * SECOND,
        judge: 10 * SECOND,
        report: 500 * SECOND,
        step: 7 * SECOND,
    }
}

/// A minimal message of this kind.
fn message(kind: &str, payload: Value) -> Message {
    serde_json::from_value(json!({"kind": kind, "payload": payload})).unwrap()
}

fn subtask(id: &str) -> Message {
    message(
        "sub_task",
        json!({
            "subtask_id": id, "parent_task_id": RunId::OPERATOR, "round": 1, "sequence": 1, "intent": "a", "context": "",
            "success_criteria": [], "deadline": null,
        }),
    )
}

fn execution_result(id: &str) -> Message {
    message(
        "execution_result",
        json!({
            "subtask_id": id, "attempt": 1, "status": "completed", "output": "", "tool_calls": [],
        }),
    )
}

fn correction(id: &str) -> Message {
    message(
        "correction_signal",
        json!({
            "subtask_id": id, "attempt_number": 1, "failed_criterion": "", "failure_class": "logical", "what_was_wrong": "",
            "what_to_do": "",
        }),
    )
}

fn outcome(id: &str) -> Message {
    message(
        "sub_task_outcome",
        json!({
            "subtask_id": id, "parent_task_id": RunId::OPERATOR, "sequence": 1, "intent": "a", "criteria": [], "status": "matched",
            "output": null, "failure_reason": null, "gap_trajectory": [], "criteria_verdicts": [], "tool_calls": [],
        }),
    )
}

fn manifest(ids: &[&str]) -> Message {
    message(
        "dispatch_manifest",
        json!({
            "task_id": "t", "round": 1, "subtask_ids": ids, "task_criteria": [], "dispatched_at": "2026-01-01T00:00:00Z",
        }),
    )
}

fn plan() -> Message {
    message("plan", json!({"task_id": "t", "round": 1, "task_criteria": [], "subtasks": []}))
}

fn memory_reply() -> Message {
    message("memory_reply", json!({"recalled": [], "laws": []}))
}

fn replan_request() -> Message {
    message(
        "replan_request",
        json!({
            "task_id": "t", "failed_outcomes": [], "matched_outcomes": [], "task_verdicts": [], "gap_summary": "",
        }),
    )
}

fn task_spec() -> Message {
    message(
        "task_spec",
        json!({
            "task_id": "t", "intent": "a", "constraints": {"scope": null, "deadline": null}, "raw_input": "a",
        }),
    )
}

/// The sender that the contract names first.
fn sender(message: &Message) -> Role {
    artoo_bus::contract::contract(message.kind()).from.iter().next().unwrap()
}

struct Told {
    watch: Watch,
    now: Duration,
}

impl Told {
    fn new(messages: &[Message]) -> Self {
        let mut told = Self { watch: Watch::new(deadlines()), now: Duration::ZERO };
        messages.iter().for_each(|message| told.hear(message));
        told
    }

    fn hear(&mut self, message: &Message) {
        self.hear_from(sender(message), message);
    }

    fn hear_from(&mut self, from: Role, message: &Message) {
        let at = DateTime::parse_from_rfc3339("2026-01-01T00:00:00Z").unwrap();
        let message = Arc::new(message.clone());
        self.watch
            .on(&Envelope { seq: 1, run_id: RunId::OPERATOR, at, elapsed_ms: 0, from, message }, self.now);
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
    }

    /// The obligation that falls due next, exactly at its time and not before.
    fn next(&mut self) -> Option<(Role, &'static str, Duration)> {
        let due = self.watch.next_due()?;
        assert_eq!(self.watch.overdue(due - Duration::from_nanos(1)), None);
        let Overdue { role, what, allowed } = self.watch.overdue(due).unwrap();
        Some((role, what, allowed))
    }
}

#[test]
fn every_step_of_a_run_obliges_the_next_role() {
    let memory = memory_reply;
    let query = || message("memory_query", json!({"pairs": [], "like": null}));
    let report = || {
        message("failure_report_request", json!({"task_id": "t", "reason": "", "unmet": [], "partial": []}))
    };
    let summary = || {
        message(
            "outcome_summary",
            json!({
                "task_id": "t", "merged_output": null, "summary": "", "task_verdicts": [], "outcomes": [],
            }),
        )
    };
    let check = |messages: &[Message], expected: (Role, &'static str, Duration)| {
        let mut told = Told::new(messages);
        assert_eq!(told.next(), Some(expected));
        assert_eq!(
            told.next(),
            None,
            "nobody else owes anything after {:?}",
            messages.last().unwrap().kind()
        );
    };
    check(&[request()], (Role::Perceiver, "a task", SECOND));
    check(&[request(), task_spec()], (Role::Planner, "a question to memory", 7 * SECOND));
    check(&[task_spec(), query()], (Role::SharedMemory, "an answer", 7 * SECOND));
    check(&[query(), memory()], (Role::Planner, "a plan", 2 * SECOND));
    check(&[memory(), plan()], (Role::Dispatcher, "a manifest", 7 * SECOND));
    check(&[plan(), manifest(&[])], (Role::MetaValidator, "a merged result", 40 * SECOND));
    check(&[plan(), manifest(&[A])], (Role::Dispatcher, "the next subtasks", 7 * SECOND));
    check(&[manifest(&[A]), subtask(A)], (Role::Executor, "a result", 37 * SECOND));
    check(
        &[subtask(A), execution_result(A)],
        (Role::AgentValidator, "an outcome or a correction", 40 * SECOND),
    );
    check(&[subtask(A), execution_result(A), correction(A)], (Role::Executor, "a result", 37 * SECOND));
    check(
        &[manifest(&[A]), subtask(A), execution_result(A), outcome(A)],
        (Role::MetaValidator, "a merged result", 40 * SECOND),
    );
    check(&[manifest(&[]), replan_request()], (Role::Ggs, "a directive or a result", 7 * SECOND));
    check(&[manifest(&[]), summary()], (Role::Ggs, "a directive or a result", 7 * SECOND));
    check(&[replan_request(), directive()], (Role::Planner, "a question to memory", 7 * SECOND));
    check(&[replan_request(), report()], (Role::Ggs, "a result", 507 * SECOND));
    check(&[request(), fault(Role::Perceiver)], (Role::Ggs, "a result", 7 * SECOND));
}

fn request() -> Message {
    message(
        "user_request",
        json!({
            "text": "a",
            "surroundings": {
                "now": "2026-01-01T00:00:00Z", "zone": "UTC", "working_folder": "/", "workspace": "/", "home": "/", "platform": "linux",
            },
            "limits": {"max_replans": 3, "max_retries": 2, "time_budget_ms": 1, "max_tokens": null},
        }),
    )
}

fn directive() -> Message {
    message(
        "plan_directive",
        json!({
            "task_id": "t", "round": 1, "loss": {"D": 1.0, "P": 0.0, "Omega": 0.0, "L": 0.6}, "prev_directive": "init",
            "directive": "refine", "blocked_tools": [], "blocked_targets": [], "failed_criterion": "", "failure_class": "mixed",
            "budget_pressure": 0.0, "grad_l": 0.0, "grad_goal": 0.0, "rationale": "",
        }),
    )
}

fn fault(role: Role) -> Message {
    Fault { role, kind: FaultKind::Panic, message: String::new(), hint: None, remedy: None }.into()
}

#[test]
fn between_groups_the_dispatcher_owes_and_the_gate_does_not() {
    let mut told = Told::new(&[manifest(&[A, B]), subtask(A), execution_result(A), outcome(A)]);
    assert_eq!(told.watch.clone().overdue(7 * SECOND).map(|overdue| overdue.role), Some(Role::Dispatcher));
    told.hear(&subtask(B));
    // However long the second group takes, only its executor has an obligation.
    assert_eq!(told.next().map(|(role, _, _)| role), Some(Role::Executor));
    assert_eq!(told.next(), None);
}

#[test]
fn an_outcome_that_comes_twice_obliges_nobody() {
    let mut told =
        Told::new(&[manifest(&[A]), subtask(A), execution_result(A), outcome(A), replan_request()]);
    told.hear(&outcome(A));
    assert_eq!(told.next().map(|(role, _, _)| role), Some(Role::Ggs));
    assert_eq!(told.next(), None);
}

/// A round with a correction, up to its report.
fn course() -> [Message; 11] {
    [
        task_spec(),
        message("memory_query", json!({"pairs": [], "like": null})),
        memory_reply(),
        plan(),
        manifest(&[A]),
        subtask(A),
        execution_result(A),
        correction(A),
        execution_result(A),
        outcome(A),
        replan_request(),
    ]
}

/// The auditor reported a healthy run on a slow model as lost.
#[test]
fn no_role_may_be_silent_for_as_long_as_a_lost_run_is() {
    for deadlines in [Deadlines::default(), Deadlines::patient()] {
        let mut told = Told { watch: Watch::new(deadlines), now: Duration::ZERO };
        let mut longest = Duration::ZERO;
        for message in [request()].into_iter().chain(course()).chain([fault(Role::Ggs)]) {
            told.hear(&message);
            longest = longest.max(told.watch.next_due().unwrap_or_default());
        }
        assert!(longest >= deadlines.attempt, "{longest:?}");
        assert!(longest < artoo_auditor::thresholds::SILENCE, "{longest:?}");
    }
}

/// Receivers ignore a duplicate, so it must not make anyone overdue.
#[test]
fn what_comes_twice_obliges_nobody() {
    let course = course();
    let repeatable = [0, 2, 3, 4, 5, 6, 7, 8, 9];
    for copied in repeatable {
        let mut told = Told::new(&course);
        told.hear(&course[copied]);
        let kind = course[copied].kind();
        assert_eq!(told.next().map(|(role, _, _)| role), Some(Role::Ggs), "{kind:?}");
        assert_eq!(told.next(), None, "{kind:?}");
    }
}

/// A plan of an old round does not fulfil the obligation.
#[test]
fn what_comes_twice_settles_nothing() {
    let mut told = Told::new(&[plan(), manifest(&[]), replan_request(), directive()]);
    told.hear(&message("memory_query", json!({"pairs": [], "like": null})));
    told.hear(&memory_reply());
    told.hear(&plan());
    assert_eq!(told.next(), Some((Role::Planner, "a plan", 2 * SECOND)));
}

#[test]
fn whoever_speaks_is_alive() {
    let mut told = Told::new(&[subtask(A), subtask(B)]);
    told.wait(30 * SECOND);
    told.hear_from(Role::Executor, &Warning { role: Role::Executor, message: "busy".to_owned() }.into());
    assert_eq!(told.watch.next_due(), Some(67 * SECOND));
    told.hear_from(Role::Planner, &Warning { role: Role::Planner, message: "me too".to_owned() }.into());
    assert_eq!(told.watch.next_due(), Some(67 * SECOND), "only one's own word counts");
}

#[test]
fn a_person_may_take_any_time() {
    let call = "00000000-0000-0000-0000-00000000000c";
    let asked = message(
        "approval_requested",
        json!({"subtask_id": A, "call_id": call, "tool": "shell", "command": "rm x", "effects": [],
            "rule": "consent-to-change", "reason": "it exists", "person": true}),
    );
    let decided = message(
        "approval_decided",
        json!({"call_id": call, "granted": true, "scope": "once", "reason": "fine"}),
    );
    let mut told = Told::new(&[subtask(A)]);
    told.wait(10 * SECOND);
    told.hear_from(Role::Executor, &asked);
    assert_eq!(told.watch.next_due(), None);
    assert_eq!(told.watch.overdue(100_000 * SECOND), None);
    told.wait(1000 * SECOND);
    told.hear_from(Role::User, &decided);
    assert_eq!(
        told.watch.next_due(),
        Some((10 + 1000 + 37) * SECOND),
        "the executor has the time that it had when it asked"
    );
}

#[test]
fn the_result_settles_everything() {
    let mut told = Told::new(&[subtask(A), subtask(B), fault(Role::Planner)]);
    told.hear(&Message::FinalResult(final_result()));
    assert_eq!(told.next(), None);
}

fn final_result() -> artoo_types::FinalResult {
    serde_json::from_value(json!({
        "run_id": RunId::OPERATOR, "task_id": "t", "summary": "", "output": null,
        "loss": {"D": 1.0, "P": 0.0, "Omega": 0.0, "L": 0.6}, "grad_l": 0.0, "grad_goal": 0.0, "replans": 0,
        "prev_directive": "init", "directive": "abandon", "unmet": [], "partial": [],
    }))
    .unwrap()
}
