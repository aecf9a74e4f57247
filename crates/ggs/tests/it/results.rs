//! The final results for the person.

use artoo_types::{
    Basis, Confidence, DirectAnswer, FailureClass, Fault, FaultKind, FinalResult, Message, OutcomeStatus,
    OutcomeSummary, PrevDirective, Role, SubTaskOutcome, TerminalState, UnitInterval,
};
use serde_json::{Value, json};

use crate::fixtures::{
    ENVIRONMENTAL, LOGICAL, all_met, envelope, envelope_at, fail, failed, fault, matched, outcome, pass,
    replan, role, story, task,
};

/// The final result that a sequence of messages leads to.
fn result_of(messages: impl IntoIterator<Item = Message>) -> FinalResult {
    let mut role = role();
    let mut out = role.on(&envelope(task()));
    for message in messages {
        out.extend(role.on(&envelope(message)));
    }
    out.extend(role.on_report_deadline());
    let mut results = out.into_iter().filter_map(|message| {
        let Message::FinalResult(result) = message else { return None };
        Some(result)
    });
    results.next().unwrap()
}

/// One subtask that met three criteria and missed one.
fn nearly() -> SubTaskOutcome {
    let verdicts = vec![pass("a"), pass("b"), pass("c"), fail("d", ENVIRONMENTAL)];
    outcome(1, OutcomeStatus::Failed, verdicts)
}

#[test]
fn accept_hands_over_the_merged_output() {
    let result = result_of([all_met(vec![matched(1, &["a"])]).into()]);
    assert_eq!(result.directive, TerminalState::Accept);
    assert_eq!(result.output, json!("3 files"));
    assert_eq!(result.summary, "There are 3 files.");
    assert!(result.unmet.is_empty() && result.partial.is_empty() && result.fault.is_none());
    assert_eq!(result.loss.d.get(), 0.0);
    assert!(result.loss.omega.get() > 0.0);
}

#[test]
fn an_accept_without_criteria_says_that_nothing_was_checked() {
    let mut summary = all_met(Vec::new());
    summary.task_verdicts.clear();
    let result = result_of([summary.into()]);
    assert_eq!(result.directive, TerminalState::Accept);
    assert_eq!(result.summary, "There are 3 files. No criterion was set, so nothing was checked.");
}

/// Fact 2: the ancestor's success with 3 of 4 criteria was a green tick with no output.
#[test]
fn fact_2_success_hands_over_what_failed_and_names_what_is_missing() {
    let result = result_of([replan(vec![nearly()]).into()]);
    assert_eq!(result.directive, TerminalState::Success);
    assert_eq!(result.output, json!("output 1"));
    assert_eq!(result.partial[0].status, OutcomeStatus::Failed);
    assert_eq!(
        result.summary,
        "Not complete: expected 3, found 2.\nSo little is missing that another try is not worth its cost.\nMissing: d.\n\
         Outputs that failed their checks are handed over, marked."
    );
    assert_eq!(result.unmet.len(), 1);
}

#[test]
fn several_outputs_are_labelled() {
    let result = result_of([replan(vec![nearly(), matched(2, &["e"])]).into()]);
    assert_eq!(
        result.output,
        json!([
            {"intent": "subtask 2", "status": "matched", "output": "output 2"},
            {"intent": "subtask 1", "status": "failed", "output": "output 1"},
        ])
    );
}

/// Four plans, none of which gets near the goal.
fn hopeless() -> Vec<Message> {
    (0..4).map(|_| replan(vec![matched(1, &["a"]), failed(2, &["b", "c"], ENVIRONMENTAL)]).into()).collect()
}

/// Fact 3: the ancestor's abandon dropped every output.
#[test]
fn fact_3_abandon_hands_over_what_matched_and_labels_the_rest() {
    let result = result_of(hopeless());
    assert_eq!(result.directive, TerminalState::Abandon);
    assert_eq!(result.replans, 3);
    assert_eq!(result.output, json!("output 1"));
    let statuses: Vec<_> = result.partial.iter().map(|output| output.status).collect();
    assert_eq!(statuses, [OutcomeStatus::Matched, OutcomeStatus::Failed]);
    assert_eq!(
        result.summary,
        "Not finished: expected 3, found 2.\nThe replans allowed are used.\nDone: step 1: subtask 1.\nMissing:\n- b\n- c\n\
         Outputs that failed their checks are handed over, marked.\n\
         Next: allow more time or replans, or ask for a smaller step."
    );
}

#[test]
fn abandon_without_a_match_hands_over_nothing_as_a_result() {
    let result = result_of((0..4).map(|_| replan(vec![failed(2, &["b", "c"], ENVIRONMENTAL)]).into()));
    assert_eq!(result.output, Value::Null);
    assert_eq!(result.partial.len(), 1);
}

#[test]
fn the_planners_advice_stands_behind_what_code_says_and_says_none_of_it_again() {
    let mut messages = hopeless();
    messages.push(story("Everything went very well! The replans allowed are used.").into());
    let result = result_of(messages);
    assert_eq!(
        result.summary,
        "Not finished: expected 3, found 2.\nThe replans allowed are used.\nDone: step 1: subtask 1.\nMissing:\n- b\n- c\n\
         Outputs that failed their checks are handed over, marked.\nNext: Everything went very well!"
    );
}

#[test]
fn an_empty_story_is_no_story() {
    let mut messages = hopeless();
    messages.push(story("  ").into());
    assert!(result_of(messages).summary.contains("Next: allow more time"));
}

#[test]
fn a_refusal_is_named_with_what_could_be_done() {
    let result = result_of([replan(vec![failed(1, &["a is deleted"], FailureClass::Denied)]).into()]);
    assert_eq!(result.replans, 0);
    assert_eq!(
        result.summary,
        "Not finished: expected 3, found 2.\n\
         It needs an action that was not allowed, and a refusal is not worked around.\nMissing: a is deleted.\n\
         Outputs that failed their checks are handed over, marked.\n\
         Next: consent to it, or ask for something that does not need it."
    );
}

/// Lesson 67: the ancestor's safety net wrote a loss of zero, and an abandoned task was shown green.
#[test]
fn lesson_67_a_fault_is_no_perfect_score() {
    let result = result_of([fault(Role::Perceiver, FaultKind::Provider).into()]);
    assert_eq!((result.directive, result.loss.d.get()), (TerminalState::Abandon, 1.0));
    assert_eq!(result.fault, Some(fault(Role::Perceiver, FaultKind::Provider)));
    assert_eq!(result.summary, "Not finished: the model did not answer.\nNext: try again.");
    assert_eq!(result.output, Value::Null);
}

#[test]
fn a_fault_hands_over_what_is_known() {
    let first = replan(vec![matched(1, &["a"]), failed(2, &["b", "c"], LOGICAL)]);
    let since = matched(3, &["b"]);
    let result =
        result_of([first.into(), since.into(), fault(Role::Supervisor, FaultKind::Cancelled).into()]);
    let ids: Vec<_> = result.partial.iter().map(|output| output.intent.as_str()).collect();
    assert_eq!(ids, ["subtask 1", "subtask 3", "subtask 2"]);
    assert_eq!(result.replans, 1);
    assert!(matches!(result.prev_directive, PrevDirective::Action(_)));
    assert_eq!(result.unmet.len(), 2);
    assert!((result.loss.d.get() - 2.0 / 3.0).abs() < 1e-12);
}

#[test]
fn what_a_report_no_longer_names_is_not_handed_over() {
    let dropped = failed(9, &["z"], LOGICAL);
    let report = replan(vec![failed(2, &["b", "c"], LOGICAL)]);
    let result =
        result_of([dropped.into(), report.into(), fault(Role::Supervisor, FaultKind::Cancelled).into()]);
    assert_eq!(result.partial.iter().map(|output| output.intent.as_str()).collect::<Vec<_>>(), ["subtask 2"]);
}

#[test]
fn the_time_of_a_fault_is_in_its_loss() {
    let mut role = role();
    let out = role.on(&envelope_at(150_000, fault(Role::Perceiver, FaultKind::Timeout)));
    let Some(Message::FinalResult(result)) = out.last() else { panic!("{out:?}") };
    assert_eq!(result.loss.omega.get(), 0.2);
    assert_eq!(result.task_id.as_str(), "task");
}

/// A question back to the person appears in the text once, wherever it came first.
#[test]
fn a_question_is_put_once() {
    let asked = |reason: &str, question: Option<&str>| {
        let needed = Fault {
            role: Role::Planner,
            kind: FaultKind::NeedsPerson,
            message: reason.to_owned(),
            hint: question.map(str::to_owned),
            remedy: None,
        };
        result_of([needed.into()]).summary
    };
    assert_eq!(
        asked("Two folders are called docs", Some("Which of the two?")),
        "Not finished: Two folders are called docs.\nNext: ask again, with the answer to this: Which of the two?"
    );
    assert_eq!(
        asked("Which of the two folders?", Some("Which of the two folders?")),
        "Not finished: Which of the two folders?\nNext: ask again, with the answer to that."
    );
}

fn believed(value: f64) -> Confidence {
    let share = |value: f64| UnitInterval::new(value).unwrap();
    Confidence {
        value: share(value),
        least: share(0.6),
        why: "it was found out in one way alone".to_owned(),
        is_measured: true,
    }
}

/// Lesson of issue 16: with a small model the README's own request ended as `accept`, with one of two answers
/// wrong.
#[test]
fn lesson_what_meets_everything_and_is_not_confirmed_is_plausible() {
    let met = |confidence| OutcomeSummary { confidence, ..all_met(vec![matched(1, &["a"])]) };
    let sure = result_of([met(Some(believed(0.6))).into()]);
    assert_eq!((sure.directive, sure.confidence), (TerminalState::Accept, Some(believed(0.6))));
    assert_eq!(result_of([met(None).into()]).directive, TerminalState::Accept);
    let unsure = result_of([met(Some(believed(0.5))).into()]);
    assert_eq!(unsure.directive, TerminalState::Success);
    assert_eq!((unsure.output, unsure.partial, unsure.unmet), (sure.output, Vec::new(), Vec::new()));
    assert_eq!(
        unsure.summary,
        "Plausible, not confirmed: it was found out in one way alone.\n\
         Of results like this one 50 % were right; 60 % would be enough to accept it.\n\
         Next: check it yourself, or ask a more capable model."
    );
    let said = role().on(&envelope(met(Some(believed(0.5)))));
    assert!(!said.iter().any(|message| matches!(message, Message::MegramWrite(_))), "{said:?}");
}

/// An answer in place of a plan is never accepted, and takes the place of nothing that was done.
#[test]
fn an_answer_without_work_is_handed_over_as_that() {
    let answer = || DirectAnswer { task_id: task().task_id, text: "A byte order mark.".to_owned() };
    let result = result_of([answer().into()]);
    assert_eq!((result.basis, result.directive), (Basis::Model, TerminalState::Success));
    assert_eq!((result.output, result.fault), (json!("A byte order mark."), None));
    assert_eq!(result.summary, "From the model's knowledge, not checked.");
    let late = result_of([matched(1, &["a"]).into(), answer().into()]);
    assert_eq!((late.basis, late.directive), (Basis::Evidence, TerminalState::Abandon));
    assert!(late.fault.is_some(), "{late:#?}");
}
