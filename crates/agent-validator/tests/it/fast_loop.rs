//! Tests of the fast loop as a state machine.

use artoo_agent_validator::{FastLoop, Step};
use artoo_types::{
    CallEnding, Check, CorrectionSignal, CriterionVerdict, ExecutionFailure, ExecutionResult,
    ExecutionStatus, FailureClass, Finding, GapEntry, OutcomeStatus, SubTaskOutcome,
};
use proptest::prelude::*;
use serde_json::json;

use crate::fixtures::{call, counted, counting, fail, failing, pass, unfinished, verdict};

fn fast_loop(max_retries: u32) -> FastLoop {
    FastLoop::new(counting(1), max_retries)
}

fn outcome(step: Option<Step>) -> SubTaskOutcome {
    let Some(Step::Done(outcome)) = step else { panic!("{step:?}") };
    outcome
}

fn correction(step: Option<Step>) -> CorrectionSignal {
    let Some(Step::Correct(correction)) = step else { panic!("{step:?}") };
    correction
}

#[test]
fn an_attempt_that_passes_is_matched() {
    let outcome = outcome(fast_loop(2).conclude(&counted(1, 1, "3"), vec![verdict(pass())]));
    let gap = GapEntry { attempt: 1, unmet_criteria: Vec::new(), failure_class: None };
    let expected = SubTaskOutcome {
        output: json!("3"),
        gap_trajectory: vec![gap],
        criteria_verdicts: vec![verdict(pass())],
        tool_calls: vec![call(1, "3", true)],
        ..SubTaskOutcome::of(&counting(1), OutcomeStatus::Matched)
    };
    assert_eq!(outcome, expected);
}

/// Of two unmet criteria only one was reported, and the second was fixed an attempt later.
#[test]
fn lesson_a_correction_names_all_that_is_wrong() {
    let named = |criterion: &str, reason: &str| CriterionVerdict {
        criterion: criterion.to_owned(),
        finding: Finding::failure(FailureClass::Logical, reason.to_owned()),
        ..verdict(pass())
    };
    let verdicts =
        vec![named("It is red", "it is blue"), verdict(pass()), named("It is round", "it is square")];
    let corrected = correction(fast_loop(2).conclude(&counted(1, 1, "many"), verdicts));
    assert_eq!(corrected.what_was_wrong, "It is red: it is blue\nIt is round: it is square");
    assert!(corrected.what_to_do.ends_with("It is red; It is round"), "{}", corrected.what_to_do);
}

#[test]
fn a_correction_names_what_was_wrong_and_the_trajectory_keeps_it() {
    let mut fast_loop = fast_loop(2);
    let logical = || vec![verdict(pass()), verdict(fail(FailureClass::Logical))];
    let corrected = correction(fast_loop.conclude(&counted(1, 1, "many"), logical()));
    assert_eq!((corrected.attempt_number, corrected.failure_class), (1, FailureClass::Logical));
    assert_eq!(corrected.failed_criterion, "It is one number");
    assert_eq!(corrected.what_was_wrong, "it has no number");
    assert!(corrected.what_to_do.contains("It is one number"), "{}", corrected.what_to_do);
    let second = vec![verdict(fail(FailureClass::Environmental))];
    assert_eq!(correction(fast_loop.conclude(&counted(1, 2, "many"), second)).attempt_number, 2);
    let ended = outcome(fast_loop.conclude(&counted(1, 3, "many"), logical()));
    assert_eq!(ended.status, OutcomeStatus::Failed);
    assert_eq!(ended.failure_reason.as_deref(), Some("it has no number"));
    let attempts: Vec<_> = ended.gap_trajectory.iter().map(|gap| (gap.attempt, gap.failure_class)).collect();
    let (logical, environmental) = (Some(FailureClass::Logical), Some(FailureClass::Environmental));
    assert_eq!(attempts, [(1, logical), (2, environmental), (3, logical)]);
    // Every call of every attempt.
    assert_eq!(ended.tool_calls.len(), 3);
}

/// Lessons 27 and 13: a result that is not the next one of this subtask changes nothing.
#[test]
fn lesson_27_only_the_awaited_result_counts() {
    let mut fast_loop = fast_loop(2);
    let passed = || vec![verdict(pass())];
    assert_eq!(fast_loop.conclude(&counted(2, 1, "of another subtask"), passed()), None);
    assert_eq!(fast_loop.conclude(&counted(1, 2, "too early"), passed()), None);
    correction(fast_loop.conclude(&counted(1, 1, "x"), vec![verdict(fail(FailureClass::Logical))]));
    assert_eq!(fast_loop.conclude(&counted(1, 1, "a second time"), passed()), None);
    let ended = outcome(fast_loop.conclude(&counted(1, 2, "3"), passed()));
    assert_eq!((ended.gap_trajectory.len(), ended.tool_calls.len()), (2, 2));
    assert_eq!(fast_loop.conclude(&counted(1, 3, "too late"), passed()), None);
}

#[test]
fn some_failures_end_a_subtask_at_once() {
    let completed = || counted(1, 1, "x");
    let table = [
        ("denied", completed(), FailureClass::Denied),
        ("unknown", completed(), FailureClass::Unknown),
        (
            "infrastructure",
            ExecutionResult { failure: failing(FailureClass::Environmental, true), ..completed() },
            FailureClass::Environmental,
        ),
        (
            "failed",
            unfinished(completed(), ExecutionStatus::Failed, FailureClass::Logical),
            FailureClass::Logical,
        ),
    ];
    for (name, result, class) in table {
        let verdicts = vec![verdict(fail(FailureClass::Logical)), verdict(fail(class))];
        assert_eq!(outcome(fast_loop(2).conclude(&result, verdicts)).status, OutcomeStatus::Failed, "{name}");
    }
    let unsure = unfinished(completed(), ExecutionStatus::Uncertain, FailureClass::Logical);
    correction(fast_loop(2).conclude(&unsure, vec![verdict(fail(FailureClass::Logical))]));
}

/// Lesson 83: a failed execution was accepted. Even passing verdicts cannot make it match.
#[test]
fn lesson_83_a_failed_execution_never_matches() {
    for status in [ExecutionStatus::Failed, ExecutionStatus::Uncertain] {
        let result = unfinished(counted(1, 1, "3"), status, FailureClass::Logical);
        let ended = outcome(fast_loop(2).conclude(&result, vec![verdict(pass())]));
        assert_eq!(ended.status, OutcomeStatus::Failed, "{status:?}");
    }
    let contradiction =
        ExecutionResult { failure: failing(FailureClass::Logical, false), ..counted(1, 1, "3") };
    assert_eq!(
        outcome(fast_loop(2).conclude(&contradiction, vec![verdict(pass())])).status,
        OutcomeStatus::Failed
    );
}

/// Observed with the embedded model: three attempts that requested the same calls, which were refused.
#[test]
fn a_correction_that_changed_nothing_is_not_given_once_more() {
    let wrong = || vec![verdict(fail(FailureClass::Logical))];
    let refused = |attempt, output: &str| {
        let mut call = call(7, "", false);
        call.ending = CallEnding::Refused;
        ExecutionResult { tool_calls: vec![call], ..counted(1, attempt, output) }
    };
    let after = |second: ExecutionResult| {
        let mut fast_loop = fast_loop(2);
        correction(fast_loop.conclude(&counted(1, 1, "many"), wrong()));
        fast_loop.conclude(&second, wrong())
    };
    assert_eq!(outcome(after(refused(2, "many"))).status, OutcomeStatus::Failed);
    // A new output or a call that ran counts as progress.
    correction(after(refused(2, "a lot")));
    correction(after(counted(1, 2, "many")));
    // Before the first attempt there was no correction.
    correction(fast_loop(2).conclude(&refused(1, ""), wrong()));
}

/// The output of `wc -l FILE` disagreed with a bare number.
#[test]
fn of_a_number_beside_the_asked_name_the_number_is_delivered() {
    let mut asked = counting(1);
    asked.intent = "How many lines does logs/app.log have?".to_owned();
    asked.success_criteria[0].check = Some(Check::OutputNumber { min: None, max: None });
    let said = |answer: &str| {
        let mut result = counted(1, 1, answer);
        result.verbatim = true;
        outcome(FastLoop::new(asked.clone(), 0).conclude(&result, vec![verdict(pass())])).output
    };
    assert_eq!(said("48 logs/app.log"), json!("48"));
    assert_eq!(said("48 logs/other.log"), json!("48 logs/other.log"));
}

#[test]
fn nothing_judged_is_nothing_matched() {
    let ended = outcome(fast_loop(2).conclude(&counted(1, 1, "3"), Vec::new()));
    assert_eq!(ended.status, OutcomeStatus::Failed);
    assert_eq!(ended.failure_reason.as_deref(), Some("nothing was judged"));
    assert_eq!(ended.gap_trajectory[0].failure_class, None);
}

#[test]
fn an_attempt_is_judged_by_the_calls_of_all() {
    let mut fast_loop = fast_loop(2);
    fast_loop.conclude(&counted(1, 1, "3 files"), vec![verdict(fail(FailureClass::Logical))]);
    let next = ExecutionResult { tool_calls: Vec::new(), ..counted(1, 2, "3") };
    assert_eq!(fast_loop.with_all_calls(&next).tool_calls, [call(1, "3 files", true)]);
}

prop_compose! {
    fn attempts()(
        attempts in prop::collection::vec((0u8..3, any::<bool>(), prop::collection::vec(0u8..6, 0..4)), 1..8)
    ) -> Vec<(ExecutionResult, Vec<u8>)> {
        attempts.into_iter().zip(1..).map(|((status, failed, findings), attempt)| {
            let status = [ExecutionStatus::Completed, ExecutionStatus::Uncertain, ExecutionStatus::Failed][usize::from(status)];
            let failure: Option<ExecutionFailure> = if failed { failing(FailureClass::Logical, false) } else { None };
            (ExecutionResult { status, failure, ..counted(1, attempt, "x") }, findings)
        }).collect()
    }
}

proptest! {
    /// For any attempts: the loop ends within its bound, exactly once, and matches only if everything passed.
    #[test]
    fn bounded_and_never_matched_by_a_word(attempts in attempts(), max_retries in 0u32..4) {
        let mut fast_loop = fast_loop(max_retries);
        let mut ended = false;
        for ((result, findings), number) in attempts.iter().zip(1u32..) {
            let classes = [FailureClass::Logical, FailureClass::Environmental, FailureClass::Denied, FailureClass::Unknown, FailureClass::Forbidden];
            let finding = |kind: &u8| usize::from(*kind).checked_sub(1).map_or_else(pass, |class| fail(classes[class]));
            let verdicts: Vec<_> = findings.iter().map(finding).map(verdict).collect();
            let all_passed = !verdicts.is_empty() && verdicts.iter().all(|verdict| verdict.passed());
            let completed = result.status == ExecutionStatus::Completed && result.failure.is_none();
            match fast_loop.conclude(result, verdicts) {
                None => prop_assert!(ended),
                Some(step) => {
                    prop_assert!(!ended);
                    match step {
                        Step::Correct(correction) => {
                            prop_assert_eq!(correction.attempt_number, number);
                            prop_assert!(number <= max_retries);
                            prop_assert!(findings.iter().all(|kind| *kind < 3 || *kind == 5), "a final class was corrected");
                            prop_assert!(result.status != ExecutionStatus::Failed);
                        }
                        Step::Done(outcome) => {
                            ended = true;
                            prop_assert_eq!(outcome.status == OutcomeStatus::Matched, all_passed && completed);
                            prop_assert_eq!(outcome.gap_trajectory.len(), number as usize);
                        }
                    }
                }
            }
            prop_assert!(ended || number <= max_retries);
        }
    }
}
