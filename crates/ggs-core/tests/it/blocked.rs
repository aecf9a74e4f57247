//! The blocked sets.

use artoo_ggs_core::{
    Blocked, Decision, FailedCall, FailedSubTask, GoalGradientSolver, Observation, Parameters, State, Trend,
    Tried,
};
use artoo_types::{ActionState, BlockedApproach, FailureClass};
use proptest::prelude::*;

use crate::fixtures::{any_observation, failure, failure_of, programs, share, target, tool, tools};

const LOGICAL: FailureClass = FailureClass::Logical;
const ENVIRONMENTAL: FailureClass = FailureClass::Environmental;

/// A round in which one subtask failed with one call.
fn round(failed: usize, logical: usize, tool_name: &str, input: &str) -> Observation {
    let class = if logical > 0 { LOGICAL } else { ENVIRONMENTAL };
    Observation {
        failures: vec![failure(failed as u128, tool_name, input, class)],
        ..share(failed, logical, 8)
    }
}

fn run(rounds: impl IntoIterator<Item = Observation>) -> Vec<Decision> {
    let mut solver = GoalGradientSolver::new(Parameters::default());
    rounds.into_iter().map(|round| solver.step(&round)).collect()
}

fn approach(tool_name: &str, number: usize) -> BlockedApproach {
    BlockedApproach { tool: tool(tool_name), approach: format!("intent {number}") }
}

/// Lesson 73: the same blocked site was tried again and again, because nothing was remembered between rounds.
#[test]
fn lesson_73_failed_inputs_stay_blocked_over_all_rounds() {
    let got =
        run([round(8, 0, "shell", "curl a"), round(8, 0, "shell", "curl b"), round(8, 0, "glob", "*.md")]);
    let sizes: Vec<_> = got.iter().map(|decision| decision.blocked.targets.len()).collect();
    assert_eq!(sizes, [1, 2, 3]);
    let all = [target("shell", "curl a"), target("shell", "curl b"), target("glob", "*.md")];
    assert_eq!(got[2].blocked.targets, all.into_iter().collect());
    assert!(got.iter().all(|decision| decision.blocked.tools.is_empty()));
}

#[test]
fn refine_blocks_the_latest_inputs_while_it_improves_and_all_while_it_worsens() {
    let improving = run([round(8, 0, "shell", "a"), round(5, 0, "shell", "b")]);
    assert_eq!(improving[1].blocked.targets, [target("shell", "b")].into_iter().collect());
    let worsening = run([round(5, 0, "shell", "a"), round(8, 0, "shell", "b")]);
    assert_eq!(
        worsening[1].blocked.targets,
        [target("shell", "a"), target("shell", "b")].into_iter().collect()
    );
}

#[test]
fn change_approach_blocks_this_rounds_tools_while_it_improves_and_all_while_it_worsens() {
    let improving = run([round(8, 8, "shell", "a"), round(5, 5, "glob", "b")]);
    assert_eq!(improving[1].blocked.tools, tools(&["glob"]));
    let worsening = run([round(5, 5, "shell", "a"), round(8, 8, "glob", "b")]);
    assert_eq!(worsening[1].blocked.tools, tools(&["glob", "shell"]));
    assert!(worsening[1].blocked.targets.is_empty());
}

#[test]
fn break_symmetry_does_not_go_back_to_a_tool_that_failed_before() {
    let got = run([round(8, 8, "shell", "a"), round(8, 8, "glob", "b")]);
    assert_eq!(got[0].blocked.tools, tools(&["shell"]));
    assert_eq!(got[1].blocked.tools, tools(&["glob", "shell"]));
}

/// Section 3.2 of the lessons: on one-tool tasks, blocking `shell` left nothing to work with.
#[test]
fn the_last_usable_tool_stays_and_what_failed_with_it_does_not() {
    let only_shell = Observation { inventory: tools(&["shell"]), ..round(8, 8, "shell", "ls") };
    let blocked = run([only_shell])[0].blocked.clone();
    assert_eq!(
        blocked,
        Blocked {
            tools: tools(&[]),
            targets: [target("shell", "ls")].into_iter().collect(),
            approaches: [approach("shell", 8)].into_iter().collect(),
            ..Blocked::default()
        }
    );
}

#[test]
fn the_tool_with_the_least_against_it_is_spared() {
    let observation = Observation {
        failures: vec![
            failure(1, "glob", "a", LOGICAL),
            failure(2, "shell", "b", LOGICAL),
            failure(3, "shell", "c", LOGICAL),
        ],
        inventory: tools(&["glob", "shell"]),
        ..share(8, 8, 8)
    };
    let decision = &run([observation])[0];
    assert_eq!(decision.blocked.tools, tools(&["shell"]));
    assert_eq!(decision.blocked.approaches, [approach("glob", 1)].into_iter().collect());
    assert!(
        decision
            .rationale
            .ends_with("glob stays usable, because no other tool is left; what failed with it does not.")
    );
}

#[test]
fn where_nobody_says_what_is_usable_no_tool_is_blocked() {
    let decision = &run([Observation { inventory: tools(&[]), ..round(8, 8, "shell", "ls") }])[0];
    assert!(decision.blocked.tools.is_empty());
    assert_eq!(decision.blocked.approaches.len(), 1);
}

#[test]
fn what_a_person_refused_stays_blocked_under_every_directive() {
    for class in [FailureClass::Denied, FailureClass::Forbidden] {
        let refused = Observation { failures: vec![failure(1, "shell", "rm a", class)], ..share(8, 8, 8) };
        let got = run([refused, round(5, 5, "glob", "b"), round(4, 0, "glob", "c")]);
        assert!(
            got.iter().all(|decision| decision.blocked.targets.contains(&target("shell", "rm a"))),
            "{got:?}"
        );
    }
}

/// `shell` was blocked as a whole because `perl` had failed in it, and what was left could compute nothing.
#[test]
fn a_program_is_blocked_and_its_tool_stays() {
    let round = |names: &[&str]| Observation {
        failures: vec![failure_of(1, names)],
        programs: programs(&["awk", "perl", "python3"]),
        ..share(8, 8, 8)
    };
    let got = run([round(&["perl"]), round(&["awk"])]);
    let expected = |names: &[&str]| Blocked { programs: programs(names), ..Blocked::default() };
    assert_eq!(got[0].blocked, expected(&["perl"]));
    assert_eq!(got[1].blocked, expected(&["awk", "perl"]));
}

#[test]
fn the_last_program_stays_and_what_failed_with_it_does_not() {
    let round = Observation {
        failures: vec![failure_of(1, &["awk"]), failure_of(2, &["awk", "perl"])],
        programs: programs(&["awk", "perl"]),
        ..share(8, 8, 8)
    };
    let solo = Observation { failures: vec![failure_of(1, &["awk"]), failure_of(3, &["perl"])], ..round };
    let decision = &run([solo])[0];
    assert_eq!(
        decision.blocked,
        Blocked {
            programs: programs(&["awk"]),
            spared: programs(&["perl"]),
            targets: [target("shell", "perl x")].into_iter().collect(),
            ..Blocked::default()
        }
    );
    assert!(decision.rationale.ends_with(
        "perl stays usable in shell, because no other program is left; what failed with it does not."
    ));
}

/// A program that also did what it should stays, and the call that failed does not: the specification leaves inputs
/// out because the tool changes, and here it does not.
#[test]
fn what_failed_with_a_program_that_stays_is_blocked_itself() {
    let call = |input: &str, class| FailedCall { target: target("shell", input), class };
    let round = |calls| Observation {
        failures: vec![FailedSubTask { failed_calls: calls, ..failure_of(1, &["perl"]) }],
        programs: programs(&["perl", "python3"]),
        ..share(8, 8, 8)
    };
    let got = run([
        round(vec![call("perl x", LOGICAL), call("python3 a.py", LOGICAL)]),
        round(vec![call("python3 b.py", ENVIRONMENTAL), call("python3 -m unittest", FailureClass::Unknown)]),
    ]);
    let expected = |inputs: &[&str]| Blocked {
        programs: programs(&["perl"]),
        targets: inputs.iter().map(|input| target("shell", input)).collect(),
        ..Blocked::default()
    };
    assert_eq!(got[0].blocked, expected(&["python3 a.py"]));
    assert_eq!(
        got[1].blocked,
        expected(&["python3 a.py", "python3 b.py"]),
        "nobody knows why the tests are red"
    );
    let covered = |input: &str| got[1].blocked.covers(&target("shell", input));
    assert!(covered("cat a | perl -e 1") && !covered("python3 a.py"));
}

/// A round in which every call did what it should blocks nothing: a reader's finding is not the tools' fault.
#[test]
fn nothing_is_blocked_where_nothing_failed() {
    let done = FailedSubTask {
        tools: tools(&[]),
        worked: tools(&["shell"]),
        programs: programs(&[]),
        failed_calls: Vec::new(),
        ..failure_of(1, &["perl"])
    };
    let round = || Observation { failures: vec![done.clone()], ..share(8, 8, 8) };
    let got = run([round(), round()]);
    assert!(got.iter().all(|decision| decision.state == State::Action(ActionState::BreakSymmetry)));
    assert!(got.iter().all(|decision| decision.blocked == Blocked::default()), "{got:?}");
    assert!(
        got[0].rationale.ends_with("the approach looks wrong: find another way."),
        "{}",
        got[0].rationale
    );
}

/// A command without a program (`echo`) does not block a tool that runs others.
#[test]
fn a_tool_that_runs_commands_is_never_blocked_as_a_whole() {
    let observation = Observation {
        failures: vec![failure(1, "shell", "echo 3", LOGICAL)],
        programs: programs(&["find"]),
        ..share(8, 8, 8)
    };
    let expected =
        Blocked { targets: [target("shell", "echo 3")].into_iter().collect(), ..Blocked::default() };
    assert_eq!(run([observation])[0].blocked, expected);
}

const ACTIONS: [ActionState; 4] =
    [ActionState::BreakSymmetry, ActionState::ChangeApproach, ActionState::ChangePath, ActionState::Refine];

proptest! {
    #[test]
    fn what_was_tried_only_grows(rounds in prop::collection::vec(any_observation(), 1..6)) {
        let mut tried = Tried::default();
        for round in &rounds {
            let before = tried.clone();
            tried.extend(&Tried::in_round(round));
            prop_assert!(before.targets().is_subset(tried.targets()));
        }
    }

    #[test]
    fn a_usable_tool_always_remains(rounds in prop::collection::vec(any_observation(), 1..5)) {
        let mut tried = Tried::default();
        for round in &rounds {
            let latest = Tried::in_round(round);
            tried.extend(&latest);
            for action in ACTIONS {
                for trend in Trend::ALL {
                    let blocked = tried.blocked(&latest, action, trend, round);
                    prop_assert!(round.inventory.is_empty() || !round.inventory.is_subset(&blocked.tools));
                    prop_assert!(round.programs.is_empty() || !round.programs.is_subset(&blocked.programs));
                    // A tool that runs commands is blocked by program, never as a whole.
                    prop_assert!(round.programs.iter().all(|program| !blocked.tools.contains(&program.tool)));
                    prop_assert!(blocked.spared.is_disjoint(&blocked.programs));
                    prop_assert!(blocked.targets.is_subset(tried.targets()));
                    let failed: Vec<_> = round.failures.iter().flat_map(|failure| &failure.failed_calls).collect();
                    let known = failed.iter().filter(|call| call.class != FailureClass::Unknown);
                    // No known failure of the last round can be repeated, whatever the directive.
                    prop_assert!(known.into_iter().all(|call| blocked.targets.contains(&call.target) || blocked.covers(&call.target)));
                    // Every failing tool is handled, one way or the other.
                    prop_assert!(blocked.approaches.iter().all(|approach| !blocked.tools.contains(&approach.tool)));
                }
            }
        }
    }

    #[test]
    fn worsening_never_blocks_less_than_improving(rounds in prop::collection::vec(any_observation(), 1..5)) {
        let mut tried = Tried::default();
        let mut latest = Tried::default();
        for round in &rounds {
            latest = Tried::in_round(round);
            tried.extend(&latest);
        }
        let known = Observation {
            inventory: tools(&["glob", "other", "read_file", "shell"]),
            programs: programs(&["awk", "find", "other", "python3"]),
            ..share(8, 8, 8)
        };
        for action in [ActionState::ChangeApproach, ActionState::Refine] {
            let less = tried.blocked(&latest, action, Trend::Improving, &known);
            let more = tried.blocked(&latest, action, Trend::Worsening, &known);
            prop_assert!(less.tools.is_subset(&more.tools));
            prop_assert!(less.programs.is_subset(&more.programs));
            // What is blocked with its tool or program need not be blocked by itself.
            prop_assert!(less.targets.iter().all(|t| more.targets.contains(t) || more.covers(t)));
        }
    }
}
