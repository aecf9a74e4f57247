//! The dispatcher alone: plans and outcomes in, manifests and subtasks out.

use artoo_runtime::Dispatch;
use artoo_types::{
    Arguments, CallEnding, CallId, EarlierResult, Message, OutcomeStatus, Plan, PlannedSubTask, RunId,
    SubTask, SubTaskId, SubTaskOutcome, TaskId, ToolCall, ToolName,
};
use serde_json::json;
use uuid::Uuid;

use crate::doubles::subtask;

struct Bench {
    dispatch: Dispatch,
    minted: u128,
    round: u32,
}

impl Bench {
    fn new() -> Self {
        Self { dispatch: Dispatch::new(RunId::OPERATOR), minted: 0, round: 0 }
    }

    /// Each plan is for the next round.
    fn plan(&mut self, kept: &[SubTaskId], subtasks: Vec<PlannedSubTask>) -> Vec<Message> {
        self.round += 1;
        self.same_round(kept, subtasks)
    }

    fn same_round(&mut self, kept: &[SubTaskId], subtasks: Vec<PlannedSubTask>) -> Vec<Message> {
        let plan = Plan { kept: kept.to_vec(), ..Plan::new(TaskId::from_text("task"), self.round, subtasks) };
        let minted = &mut self.minted;
        self.dispatch.on_plan(&plan, || {
            *minted += 1;
            id(*minted)
        })
    }

    fn end(&mut self, number: u128, status: OutcomeStatus, output: &str) -> Vec<Message> {
        self.dispatch.on_outcome(&outcome(number, status, output))
    }
}

fn id(number: u128) -> SubTaskId {
    SubTaskId::new(Uuid::from_u128(number))
}

fn outcome(number: u128, status: OutcomeStatus, output: &str) -> SubTaskOutcome {
    let call = |command: &str, failed: bool| ToolCall {
        failure: failed.then(|| artoo_types::CallFailure {
            class: artoo_types::FailureClass::Logical,
            reason: "it failed".to_owned(),
            hint: None,
        }),
        duration_ms: 1,
        ..ToolCall::new(
            CallId::new(Uuid::nil()),
            ToolName::new("shell"),
            Arguments::from_iter([("command".to_owned(), json!(command))]),
            CallEnding::Exited { status: i32::from(failed) },
            chrono::DateTime::parse_from_rfc3339("2026-01-01T00:00:00Z").unwrap(),
        )
    };
    SubTaskOutcome {
        output: json!(output),
        tool_calls: vec![call("wrong", true), call("find docs", false)],
        ..SubTaskOutcome::new(id(number), RunId::OPERATOR, format!("step {number}"), status)
    }
}

fn tasks(messages: &[Message]) -> Vec<&SubTask> {
    messages.iter().filter_map(Message::payload::<SubTask>).collect()
}

fn intents(messages: &[Message]) -> Vec<&str> {
    tasks(messages).into_iter().map(|task| task.intent.as_str()).collect()
}

#[test]
fn the_manifest_comes_first_and_names_every_subtask() {
    let mut bench = Bench::new();
    let messages = bench.plan(&[id(77)], vec![subtask(2, "b", &["x"]), subtask(1, "a", &["x"])]);
    let Message::DispatchManifest(manifest) = &messages[0] else { panic!("{messages:?}") };
    assert_eq!(
        (manifest.subtask_ids.as_slice(), manifest.kept.as_slice()),
        ([id(1), id(2)].as_slice(), [id(77)].as_slice())
    );
    assert_eq!(intents(&messages), ["a"]);
    assert_eq!(messages.len(), 2);
}

/// A plan that was delivered twice ran its subtasks twice.
#[test]
fn a_plan_that_comes_twice_is_dispatched_once() {
    let mut bench = Bench::new();
    bench.plan(&[], vec![subtask(1, "a", &["x"]), subtask(2, "b", &["x"])]);
    let again = bench.same_round(&[], vec![subtask(1, "a", &["x"]), subtask(2, "b", &["x"])]);
    assert!(matches!(&again[..], [Message::Warning(_)]), "{again:?}");
    assert_eq!(intents(&bench.end(1, OutcomeStatus::Matched, "")), ["b"], "the first goes on undisturbed");
}

#[test]
fn a_group_begins_when_the_one_before_has_matched_completely() {
    let mut bench = Bench::new();
    let messages =
        bench.plan(&[], vec![subtask(1, "a", &["x"]), subtask(1, "b", &["x"]), subtask(4, "c", &["x"])]);
    assert_eq!(intents(&messages), ["a", "b"]);
    assert_eq!(bench.end(2, OutcomeStatus::Matched, ""), []);
    assert_eq!(intents(&bench.end(1, OutcomeStatus::Matched, "")), ["c"]);
    assert_eq!(bench.end(3, OutcomeStatus::Matched, ""), []);
}

#[test]
fn a_failure_lets_its_group_end_and_skips_the_rest() {
    let mut bench = Bench::new();
    bench.plan(
        &[],
        vec![
            subtask(1, "a", &["x"]),
            subtask(1, "b", &["x"]),
            subtask(2, "c", &["x", "y"]),
            subtask(3, "d", &["x"]),
        ],
    );
    assert_eq!(bench.end(1, OutcomeStatus::Failed, ""), []);
    let messages = bench.end(2, OutcomeStatus::Matched, "");
    let skipped: Vec<_> = messages
        .iter()
        .map(
            |message| {
                if let Message::SubTaskOutcome(outcome) = message { outcome } else { panic!("{message:?}") }
            },
        )
        .map(|outcome| (outcome.subtask_id, outcome.status, outcome.criteria_verdicts.len()))
        .collect();
    assert_eq!(skipped, [(id(3), OutcomeStatus::Skipped, 2), (id(4), OutcomeStatus::Skipped, 1)]);
}

#[test]
fn outcomes_that_come_twice_late_or_from_nowhere_move_nothing() {
    let mut bench = Bench::new();
    bench.plan(&[], vec![subtask(1, "a", &["x"]), subtask(1, "b", &["x"]), subtask(2, "c", &["x"])]);
    assert_eq!(bench.end(1, OutcomeStatus::Matched, ""), []);
    assert_eq!(bench.end(1, OutcomeStatus::Failed, ""), [], "a second time");
    assert_eq!(bench.end(99, OutcomeStatus::Failed, ""), [], "from nowhere");
    assert_eq!(bench.end(3, OutcomeStatus::Matched, ""), [], "of a subtask that waits");
    assert_eq!(intents(&bench.end(2, OutcomeStatus::Matched, "")), ["c"]);
    assert_eq!(intents(&bench.plan(&[], vec![subtask(1, "e", &["x"])])), ["e"]);
    assert_eq!(bench.end(3, OutcomeStatus::Failed, ""), [], "of the plan before");
}

fn earlier(number: u128, output: &str, left_out_bytes: u64) -> EarlierResult {
    EarlierResult { intent: format!("step {number}"), output: output.to_owned(), left_out_bytes }
}

#[test]
fn outputs_are_handed_on_with_what_they_answer() {
    let mut bench = Bench::new();
    let planned = PlannedSubTask { context: "From R2.".to_owned(), ..subtask(2, "b", &["x"]) };
    bench.plan(&[], vec![subtask(1, "a", &["x"]), planned]);
    let messages = bench.end(1, OutcomeStatus::Matched, "three");
    let task = tasks(&messages)[0];
    assert_eq!((task.context.as_str(), &task.earlier), ("From R2.", &vec![earlier(1, "three", 0)]));
}

/// The next step saw only 1,500 characters of an output, and only eight of thirty steps.
#[test]
fn what_is_handed_on_is_bounded_together_and_says_what_is_missing() {
    let mut bench = Bench::new();
    let mut plan: Vec<_> = (1..=30).map(|group| subtask(group, "a", &["x"])).collect();
    plan.push(subtask(31, "last", &["x"]));
    bench.plan(&[], plan);
    let mut messages = bench.end(1, OutcomeStatus::Matched, "short");
    for number in 2..=30 {
        messages = bench.end(number, OutcomeStatus::Matched, &"é".repeat(2000));
    }
    let handed_on = &tasks(&messages)[0].earlier;
    assert_eq!((handed_on.len(), &handed_on[0]), (30, &earlier(1, "short", 0)));
    for (number, result) in (2..).zip(&handed_on[1..]) {
        assert_eq!(result, &earlier(number, &"é".repeat(413), 4000 - 826));
    }
    let together: usize = handed_on.iter().map(|result| result.output.len()).sum();
    assert!((23_900..=24_000).contains(&together), "{together}");
}

#[test]
fn a_plan_that_only_keeps_runs_nothing() {
    let mut bench = Bench::new();
    assert_eq!(bench.plan(&[id(9)], Vec::new()).len(), 1);
}

#[test]
fn kept_outputs_are_handed_on_again() {
    let mut bench = Bench::new();
    bench.plan(&[], vec![subtask(1, "a", &["x"]), subtask(1, "b", &["x"])]);
    bench.end(1, OutcomeStatus::Matched, "seventeen");
    bench.end(2, OutcomeStatus::Failed, "");
    let messages = bench.plan(&[id(1)], vec![subtask(1, "b again", &["x"])]);
    assert_eq!(tasks(&messages)[0].earlier, [earlier(1, "seventeen", 0)]);
}
