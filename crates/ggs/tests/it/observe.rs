//! Conversion of reports into observations.

use std::collections::BTreeSet;

use artoo_ggs::{Round, observe};
use artoo_ggs_core::{Bearing, Observation, Report, Standing, Weighing};
use artoo_types::{
    CallEnding, Check, CriterionVerdict, FailureClass, GapEntry, Mode, OutcomeStatus, ReplanRequest,
    StepKind, SubTaskOutcome, ToolCall, ToolName,
};
use serde_json::{Value, json};

use crate::fixtures::{
    ENVIRONMENTAL, LOGICAL, all_met, call, fail, failed, failed_call, matched, outcome, pass, replan,
};

fn distance(observation: &Observation) -> artoo_types::UnitInterval {
    artoo_ggs_core::distance(observation, Weighing::Wish)
}

fn seen(request: &ReplanRequest) -> Observation {
    observe(&Round::from(request), 5_000, &Default::default(), &Default::default())
}

fn targets(outcome: SubTaskOutcome) -> Vec<(String, FailureClass)> {
    let observation = seen(&replan(vec![outcome]));
    let calls = observation.failures.into_iter().flat_map(|failure| failure.failed_calls);
    calls.map(|call| (call.target.target, call.class)).collect()
}

#[test]
fn verdicts_become_standings() {
    let mut request = replan(vec![matched(1, &["a"]), failed(2, &["b"], LOGICAL)]);
    request.task_verdicts = vec![fail("t", ENVIRONMENTAL)];
    let observation = seen(&request);
    let got: Vec<_> =
        observation.criteria.iter().map(|c| (c.text.as_str(), c.subtask_id.is_some())).collect();
    assert_eq!(got, [("a", true), ("b", true), ("t", false)]);
    assert_eq!(observation.criteria[0].standing, Standing::Met);
    assert_eq!(distance(&observation).get(), 0.75, "half of the steps, and all of the whole");
    assert_eq!((observation.elapsed_ms, observation.deliverable), (5_000, true));
}

#[test]
fn plausible_failures_carry_their_history() {
    let attempt = |number, unmet: &[&str]| GapEntry {
        attempt: number,
        unmet_criteria: unmet.iter().map(|text| (*text).to_owned()).collect(),
        failure_class: None,
    };
    let mut outcome = failed(1, &["tone", "other"], LOGICAL);
    for verdict in &mut outcome.criteria_verdicts {
        verdict.mode = Mode::Plausible;
    }
    outcome.gap_trajectory =
        vec![attempt(1, &["other"]), attempt(2, &["other"]), attempt(3, &["other", "tone"])];
    let observation = seen(&replan(vec![outcome]));
    let weights: Vec<_> = observation.criteria.iter().map(|criterion| criterion.weight()).collect();
    assert_eq!(weights, [1.0 / 3.0, 1.0]);
}

#[test]
fn skipped_criteria_weigh_fully_and_have_no_class() {
    let mut skipped = outcome(2, OutcomeStatus::Skipped, vec![fail("b", FailureClass::Unknown)]);
    skipped.criteria_verdicts[0].mode = Mode::Plausible;
    let observation = seen(&replan(vec![matched(1, &["a"]), skipped]));
    assert_eq!(observation.criteria[1].standing, Standing::Skipped { reason: "not run".to_owned() });
    assert_eq!(distance(&observation).get(), 0.5);
    assert!(observation.failures.is_empty());
}

/// Fact 1: a gap must not vanish because no verdict shows it.
#[test]
fn fact_1_a_gap_always_has_an_unmet_criterion() {
    let contradictions = [
        replan(vec![matched(1, &["a"])]),
        replan(vec![outcome(1, OutcomeStatus::Failed, vec![pass("a")])]),
        replan(vec![outcome(1, OutcomeStatus::Failed, Vec::new())]),
        replan(vec![outcome(1, OutcomeStatus::Skipped, Vec::new())]),
        replan(Vec::new()),
    ];
    for request in contradictions {
        assert!(distance(&seen(&request)).get() > 0.0, "{request:?}");
    }
    let whole = seen(&replan(vec![matched(1, &["a"])]));
    let standing = &whole.criteria[1].standing;
    assert!(
        matches!(standing, Standing::Unmet { reason, .. } if reason == "the count is missing"),
        "{standing:?}"
    );
}

/// Lesson 30: a criterion omitted by the judge is unmet, whatever the outcome's status.
#[test]
fn lesson_30_a_criterion_without_a_verdict_is_not_met() {
    let mut silent = matched(1, &["a", "b"]);
    silent.criteria_verdicts.pop();
    let observation =
        observe(&Round::from(&all_met(vec![silent])), 0, &Default::default(), &Default::default());
    let unmet = artoo_ggs_core::unmet(&observation);
    assert_eq!(
        unmet.iter().map(|unmet| (unmet.criterion.as_str(), unmet.reason.as_str())).collect::<Vec<_>>(),
        [("b", "it was not judged")]
    );
    // A verdict in other words is still the verdict on its criterion.
    let mut reworded = matched(1, &["a"]);
    reworded.criteria[0].text = "A".to_owned();
    let observation =
        observe(&Round::from(&all_met(vec![reworded])), 0, &Default::default(), &Default::default());
    assert!(artoo_ggs_core::unmet(&observation).is_empty());
    // Nothing was judged for a skipped subtask.
    let mut skipped = outcome(1, OutcomeStatus::Skipped, vec![fail("a", FailureClass::Unknown)]);
    skipped.criteria_verdicts.clear();
    let criteria = seen(&replan(vec![skipped])).criteria;
    assert_eq!((criteria.len(), criteria[0].text.as_str()), (1, "a"));
}

#[test]
fn a_summary_of_all_met_is_just_that() {
    let observation = observe(
        &Round::from(&all_met(vec![matched(1, &["a"])])),
        0,
        &Default::default(),
        &Default::default(),
    );
    assert_eq!(observation.report, Report::AllMet);
    assert!(observation.criteria.iter().all(|criterion| criterion.standing == Standing::Met));
    // A summary that omits a failed outcome does not hide it from D.
    let hiding = observe(
        &Round::from(&all_met(vec![failed(1, &["a"], LOGICAL)])),
        0,
        &Default::default(),
        &Default::default(),
    );
    assert_eq!(distance(&hiding).get(), 0.5);
}

/// Fact 4: the ancestor parsed targets out of strings and never found one. These are typed.
#[test]
fn fact_4_targets_are_typed_calls() {
    let outcome = SubTaskOutcome {
        tool_calls: vec![
            call(1, "shell", "ls"),
            failed_call(2, "shell", "curl   a", ENVIRONMENTAL),
            failed_call(3, "shell", "rm b", FailureClass::Denied),
            failed_call(4, "shell", "curl a", LOGICAL),
        ],
        ..failed(1, &["a"], LOGICAL)
    };
    assert_eq!(targets(outcome), [("curl a".to_owned(), LOGICAL), ("rm b".to_owned(), FailureClass::Denied)]);
}

#[test]
fn a_call_made_good_or_cancelled_did_not_fail() {
    let outcome = SubTaskOutcome {
        tool_calls: vec![
            failed_call(1, "shell", "curl a", ENVIRONMENTAL),
            call(2, "shell", "curl a"),
            ToolCall { ending: CallEnding::Cancelled, ..failed_call(3, "shell", "sleep 9", ENVIRONMENTAL) },
        ],
        ..failed(1, &["a"], LOGICAL)
    };
    assert_eq!(targets(outcome), []);
}

#[test]
fn only_started_calls_count_as_use_of_a_tool() {
    let refused =
        |number, class| ToolCall { ending: CallEnding::Refused, ..failed_call(number, "glob", "*", class) };
    let failing = || failed_call(2, "shell", "find docs", LOGICAL);
    let of = |tool_calls: Vec<ToolCall>| {
        let outcome = SubTaskOutcome { tool_calls, ..failed(1, &["a"], LOGICAL) };
        seen(&replan(vec![outcome])).failures[0].clone()
    };
    let failure = of(vec![refused(1, LOGICAL), failing()]);
    let tools: Vec<_> = failure.tools.iter().map(ToString::to_string).collect();
    assert_eq!(tools, ["shell"]);
    let programs: Vec<_> = failure.programs.iter().map(|led| led.program.as_str()).collect();
    assert_eq!(programs, ["find"], "a refused call led nothing");
    let mut unopened = failed_call(3, "shell", "find . > x/y", ENVIRONMENTAL);
    unopened.stderr.shown = "bash: line 1: x/y: No such file or directory".to_owned();
    let failure = of(vec![unopened]);
    assert_eq!((failure.programs.len(), failure.failed_calls.len()), (0, 1), "it was never started");
    // A rule of the executor refuses what is known, too: the call that did well was blocked because it was asked for
    // again. A person's refusal counts.
    let again = ToolCall { ending: CallEnding::Refused, ..failed_call(5, "glob", "*", LOGICAL) };
    assert_eq!(of(vec![call(4, "glob", "*"), again]).failed_calls, []);
    assert_eq!(of(vec![refused(6, FailureClass::Denied)]).failed_calls.len(), 1);
}

/// Observed: `edit_file` and `python3` were blocked after they had worked, and the next plan had nothing to
/// repair the file with. Real work, finding 2: "MUST NOT use the program python3" in a project whose tests must run,
/// after a judge had found a fault in the answer. Only its own calls speak against a tool or a program.
#[test]
fn lesson_what_worked_is_not_blocked() {
    let held_against = |kind: StepKind, calls: Vec<ToolCall>| {
        let outcome = SubTaskOutcome { kind, tool_calls: calls, ..failed(1, &["a"], LOGICAL) };
        let failure = seen(&replan(vec![outcome])).failures[0].clone();
        let programs: Vec<_> = failure.programs.into_iter().map(|led| led.program).collect();
        let names =
            |tools: BTreeSet<ToolName>| tools.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        (names(failure.tools), names(failure.worked), programs.join(" "))
    };
    let unknown = FailureClass::Unknown;
    let cut =
        || ToolCall { ending: CallEnding::Cancelled, ..failed_call(1, "shell", "sleep 9", ENVIRONMENTAL) };
    let table = [
        // A program that failed once and did well once is not the cause; one that only failed is.
        (
            vec![
                failed_call(1, "shell", "python3 test.py", LOGICAL),
                call(2, "edit_file", "a.py"),
                call(3, "shell", "python3 test.py"),
                failed_call(4, "shell", "perl x", LOGICAL),
            ],
            ("shell", "edit_file", "perl"),
        ),
        (
            vec![call(1, "shell", "python3 a.py"), failed_call(2, "shell", "python3 b.py", LOGICAL)],
            ("", "shell", ""),
        ),
        (vec![failed_call(1, "shell", "curl a", ENVIRONMENTAL)], ("shell", "", "curl")),
        // A wrong answer from calls that did well, and a deed that changed nothing, are not the tools' fault.
        (vec![call(1, "glob", "*"), call(2, "shell", "find docs")], ("", "glob shell", "")),
        // A red test suite and a search without a hit: nobody knows why.
        (
            vec![
                failed_call(1, "shell", "python3 -m unittest", unknown),
                failed_call(2, "shell", "grep x a", unknown),
            ],
            ("", "shell", ""),
        ),
        // The effect of an interrupted call is unknown.
        (vec![cut()], ("", "shell", "")),
    ];
    for (calls, (tools, worked, programs)) in table {
        for kind in [StepKind::Change, StepKind::Create, StepKind::FindOut] {
            let expected = (tools.to_owned(), worked.to_owned(), programs.to_owned());
            assert_eq!(held_against(kind, calls.clone()), expected, "{calls:#?}");
        }
    }
}

/// Each failed call has its own class, whatever the verdicts of its round say, so that memory files it under its own.
#[test]
fn each_failed_call_has_its_own_class() {
    let calls = || {
        vec![
            failed_call(1, "shell", "cat a", ENVIRONMENTAL),
            failed_call(2, "shell", "awk b", LOGICAL),
            failed_call(3, "shell", "grep c", FailureClass::Unknown),
            failed_call(4, "shell", "cat a", LOGICAL),
        ]
    };
    let own = [
        ("cat a".to_owned(), LOGICAL),
        ("awk b".to_owned(), LOGICAL),
        ("grep c".to_owned(), FailureClass::Unknown),
    ];
    for class in [LOGICAL, ENVIRONMENTAL, FailureClass::Unknown] {
        assert_eq!(targets(SubTaskOutcome { tool_calls: calls(), ..failed(1, &["a"], class) }), own);
    }
}

#[test]
fn what_a_criterion_says_of_the_wish_is_a_fact() {
    let mut deed = outcome(1, OutcomeStatus::Matched, vec![pass("it ended well"), pass("it is there")]);
    deed.kind = StepKind::Create;
    deed.criteria[0].check = Some(Check::ExitStatus { equals: 0 });
    let mut request = replan(vec![deed.clone(), matched(2, &["b"])]);
    request.task_verdicts =
        vec![pass("the parts fit"), CriterionVerdict { whole: true, ..fail("the request", LOGICAL) }];
    let bearings = |request: &ReplanRequest| -> Vec<Bearing> {
        seen(request).criteria.iter().map(|criterion| criterion.bearing).collect()
    };
    let all = [Bearing::Nothing, Bearing::Deed, Bearing::Part, Bearing::Part, Bearing::Whole];
    assert_eq!(bearings(&request), all);
    // A criterion that says nothing when met is significant when unmet.
    deed.criteria_verdicts[0] = fail("it ended well", LOGICAL);
    assert_eq!(bearings(&replan(vec![deed]))[0], Bearing::Deed);
}

#[test]
fn deliverable_is_any_output_with_content() {
    let table = [
        (json!(""), false),
        (Value::Null, false),
        (json!("x"), true),
        (json!([]), true),
        (json!(false), true),
    ];
    for (output, expected) in table {
        let observation = seen(&replan(vec![SubTaskOutcome { output, ..failed(1, &["a"], LOGICAL) }]));
        assert_eq!(observation.deliverable, expected);
    }
}

/// The failed inputs and programs of each subtask to which a gap is attributed, for these outcomes and task verdicts.
fn held(outcomes: Vec<SubTaskOutcome>, task_verdicts: Vec<CriterionVerdict>) -> Vec<Vec<String>> {
    let observation = seen(&ReplanRequest { task_verdicts, ..replan(outcomes) });
    let of_it = |failure: artoo_ggs_core::FailedSubTask| {
        let programs = failure.programs.into_iter().map(|led| led.program);
        programs.chain(failure.failed_calls.into_iter().map(|call| call.target.target)).collect()
    };
    observation.failures.into_iter().map(of_it).collect()
}

fn done(number: u128, command: &str) -> SubTaskOutcome {
    let tool_calls =
        vec![failed_call(number + 10, "shell", "awk x", LOGICAL), call(number, "shell", command)];
    SubTaskOutcome { tool_calls, ..matched(number, &["a"]) }
}

/// Each subtask met its criteria, but the whole did not: what failed in them is not to be repeated. What did well in
/// them is not blocked: whether the next plan is the same is decided by the plan.
#[test]
fn where_only_the_whole_falls_short_what_failed_for_it_is_in_question() {
    let both = || vec![done(1, "find docs"), done(2, "python3 x.py")];
    for class in [LOGICAL, ENVIRONMENTAL] {
        assert_eq!(held(both(), vec![pass("s"), fail("t", class)]), [["awk", "awk x"], ["awk", "awk x"]]);
    }
    for class in [FailureClass::Denied, FailureClass::Unknown] {
        assert_eq!(held(both(), vec![fail("t", class)]), [[""; 0]; 0], "{class:?} says nothing of the means");
    }
    assert_eq!(held(both(), Vec::new()), [[""; 0]; 0], "nothing of the task was judged");
    // If a subtask failed, the gap is attributed to it.
    let observation = seen(&ReplanRequest {
        task_verdicts: vec![fail("t", LOGICAL)],
        ..replan(vec![done(1, "find docs"), failed(2, &["b"], LOGICAL)])
    });
    assert_eq!(observation.failures.len(), 1);
}
