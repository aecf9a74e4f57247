//! The order of decisions, Law 2, refusals and the counter of replans.

use artoo_ggs_core::{
    Bearing, Decision, FailedSubTask, GoalGradientSolver, Hyperparameters, JudgedCriterion, Observation,
    Parameters, Profile, Report, Rule, State,
};
use artoo_types::{ActionState, FailureClass, GaveUp, GiveUpKind, Limits, MacroState, PrevDirective};

use crate::fixtures::{at, criterion, failure, failure_of, gap, met, programs, share, skipped, tools, unmet};

fn run(parameters: Parameters, rounds: impl IntoIterator<Item = Observation>) -> Vec<Decision> {
    let mut solver = GoalGradientSolver::new(parameters);
    rounds.into_iter().map(|round| solver.step(&round)).collect()
}

fn states(decisions: &[Decision]) -> Vec<(MacroState, Rule)> {
    decisions.iter().map(|decision| (decision.state.into(), decision.rule)).collect()
}

fn first(observation: Observation) -> (MacroState, Rule) {
    let decision = GoalGradientSolver::new(Parameters::default()).step(&observation);
    (decision.state.into(), decision.rule)
}

const ABANDON: MacroState = MacroState::Abandon;

#[test]
fn accept_is_accept_whatever_the_budget_says() {
    let all_met = Observation { report: Report::AllMet, ..gap(vec![met(), met()]) };
    let spent =
        run(Parameters::default(), [share(2, 0, 2), share(2, 0, 2), share(2, 0, 2), at(900_000, all_met)]);
    let last = spent.last().unwrap();
    assert_eq!((last.state.into(), last.rule), (MacroState::Accept, Rule::EveryCriterionMet));
    // Lesson 44: the ancestor wrote a loss of zero here. This one is computed.
    assert_eq!((last.loss.d.get(), last.loss.p.get(), last.loss.omega.get()), (0.0, 0.0, 1.0));
    assert_eq!(last.loss.l, 0.4);
    assert!(last.unmet.is_empty());
}

#[test]
fn all_met_with_an_unmet_criterion_is_no_accept() {
    let observation = Observation { report: Report::AllMet, ..share(1, 0, 2) };
    assert_eq!(first(observation), (MacroState::ChangePath, Rule::ActionGrid));
}

#[test]
fn the_budget_comes_before_closeness() {
    let parameters = Parameters::new(Hyperparameters { theta: 0.2, ..Hyperparameters::default() }).unwrap();
    let decision = GoalGradientSolver::new(parameters).step(&at(150_000, share(1, 0, 4)));
    assert_eq!((decision.state.into(), decision.rule), (ABANDON, Rule::BudgetSpent));
}

/// Fact 1: the ancestor called "every subtask matched, a task criterion unmet" a success with D = 0.
#[test]
fn fact_1_an_unmet_task_criterion_enters_the_distance_and_is_named() {
    let mut observation = gap(vec![met(), met(), met(), unmet(FailureClass::Logical)]);
    observation.criteria[3].subtask_id = None;
    for (profile, d, end) in
        [(Profile::Default, 0.5, MacroState::BreakSymmetry), (Profile::SpecV08, 0.25, MacroState::Success)]
    {
        let decision = GoalGradientSolver::new(profile.parameters()).step(&observation);
        assert_eq!((decision.loss.d.get(), decision.state.into()), (d, end), "{profile}");
        assert_eq!(decision.unmet.len(), 1);
        assert_eq!(decision.unmet[0].subtask_id, None);
    }
}

/// Twenty minor things were done, but not the request itself: that was a success with D = 0.05.
#[test]
fn lesson_nothing_is_close_enough_without_the_main_wish() {
    for (bearing, ends) in [
        (Bearing::Whole, [MacroState::BreakSymmetry, MacroState::Success]),
        (Bearing::Deed, [MacroState::BreakSymmetry, MacroState::Success]),
        (Bearing::Part, [MacroState::Success, MacroState::Success]),
    ] {
        let mut observation = share(1, 1, 20);
        observation.criteria[0].bearing = bearing;
        for (profile, end) in Profile::ALL.into_iter().zip(ends) {
            let decision = GoalGradientSolver::new(profile.parameters()).step(&observation);
            assert_eq!(MacroState::from(decision.state), end, "{profile} {bearing:?}");
        }
        // A deed that was not started is missing as well.
        observation.criteria[0].standing = skipped();
        let decision = GoalGradientSolver::new(Parameters::default()).step(&observation);
        let is_success = MacroState::from(decision.state) == MacroState::Success;
        assert_eq!(is_success, bearing == Bearing::Part);
    }
}

/// Fact 2: a success with no output at all.
#[test]
fn fact_2_without_a_deliverable_close_enough_is_not_success() {
    let observation = Observation { deliverable: false, ..share(1, 0, 4) };
    assert_eq!(first(observation), (MacroState::ChangePath, Rule::ActionGrid));
}

#[test]
fn a_gap_that_no_verdict_shows_is_not_success() {
    assert_eq!(first(gap(vec![met(), met()])), (MacroState::ChangePath, Rule::ActionGrid));
    assert_eq!(first(gap(Vec::new())), (MacroState::ChangePath, Rule::ActionGrid));
}

#[test]
fn without_any_criterion_the_report_decides() {
    let nothing_to_meet = Observation { report: Report::AllMet, ..gap(Vec::new()) };
    assert_eq!(first(nothing_to_meet), (MacroState::Accept, Rule::EveryCriterionMet));
}

#[test]
fn strict_mode_knows_no_success() {
    let mut solver = GoalGradientSolver::new(Parameters::default().strict());
    let decision = solver.step(&share(1, 0, 100));
    assert_eq!((decision.state.into(), decision.rule), (MacroState::ChangePath, Rule::ActionGrid));
    let decision = solver.step(&Observation { report: Report::AllMet, ..gap(vec![met()]) });
    assert_eq!(decision.rule, Rule::EveryCriterionMet);
}

#[test]
fn three_replans_are_four_plans() {
    let decisions = run(Parameters::default(), vec![share(4, 0, 4); 4]);
    let path = (MacroState::ChangePath, Rule::ActionGrid);
    assert_eq!(states(&decisions), [path, path, path, (ABANDON, Rule::NoReplansLeft)]);
    assert_eq!(decisions.iter().map(|d| d.replans_used).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(decisions[3].round(), 4);
}

#[test]
fn where_no_replan_is_allowed_the_first_plan_is_the_last() {
    let limits = Limits { max_replans: 0, ..Limits::default() };
    let parameters = Parameters::default().with_limits(&limits).unwrap();
    let decisions = run(parameters, [share(4, 0, 4)]);
    assert_eq!(states(&decisions), [(ABANDON, Rule::NoReplansLeft)]);
    assert_eq!(decisions[0].loss.omega.get(), 0.0);
}

/// Fact 16: in the ancestor Law 2 could never decide anything, because the budget always did first.
#[test]
fn fact_16_two_worsening_rounds_end_the_run() {
    let decisions = run(Parameters::default(), [share(3, 0, 8), share(5, 0, 8), share(7, 0, 8)]);
    let expected = [
        (MacroState::ChangePath, Rule::ActionGrid),
        (MacroState::Refine, Rule::ActionGrid),
        (ABANDON, Rule::KeepsWorsening),
    ];
    assert_eq!(states(&decisions), expected);
    assert!(decisions[2].loss.omega.get() < 0.8);
}

#[test]
fn one_round_without_worsening_starts_law_2_anew() {
    let rounds = [share(3, 0, 8), share(5, 0, 8), share(5, 0, 8), share(7, 0, 8)];
    let decisions = run(Parameters::default(), rounds);
    assert_eq!(decisions[3].rule, Rule::NoReplansLeft);
}

#[test]
fn law_2_needs_more_than_epsilon() {
    let parameters =
        Parameters::new(Hyperparameters { alpha: 1.0, epsilon: 0.25, ..Hyperparameters::default() }).unwrap();
    // D rises by exactly epsilon in each round: a signal for the table, but not "greater than epsilon".
    let decisions = run(parameters, [share(2, 0, 4), share(3, 0, 4), share(4, 0, 4)]);
    assert_eq!(decisions[2].grad_goal, 0.25);
    assert_eq!(decisions[2].rule, Rule::ActionGrid);
    assert_eq!(decisions[2].state, State::Action(ActionState::Refine));
}

/// Fact 8: in the ancestor a refusal triggered a replan, and the replan looked for a way around it.
#[test]
fn fact_8_a_run_that_only_lacks_what_was_refused_ends() {
    let refused = gap(vec![unmet(FailureClass::Denied), unmet(FailureClass::Denied), skipped(), met()]);
    assert_eq!(first(refused), (ABANDON, Rule::OnlyDenied));
    let with_other_work = gap(vec![unmet(FailureClass::Denied), unmet(FailureClass::Environmental)]);
    assert_eq!(first(with_other_work), (MacroState::ChangePath, Rule::ActionGrid));
    // What is never allowed is no refusal of a person: another way may lead there.
    let never_allowed = gap(vec![unmet(FailureClass::Forbidden), unmet(FailureClass::Denied)]);
    assert_eq!(first(never_allowed), (MacroState::ChangePath, Rule::ActionGrid));
    let only_skipped = gap(vec![skipped(), skipped()]);
    assert_eq!(first(only_skipped), (MacroState::ChangePath, Rule::ActionGrid));
}

#[test]
fn the_transfer_of_states_is_recorded() {
    let decisions = run(Parameters::default(), [share(8, 8, 8), share(6, 6, 8), share(2, 0, 8)]);
    assert_eq!(
        states(&decisions),
        [
            (MacroState::BreakSymmetry, Rule::ActionGrid),
            (MacroState::ChangeApproach, Rule::ActionGrid),
            (MacroState::Success, Rule::CloseEnough),
        ]
    );
    assert_eq!(
        decisions.iter().map(|decision| decision.prev_directive).collect::<Vec<_>>(),
        [
            PrevDirective::Init,
            PrevDirective::Action(ActionState::BreakSymmetry),
            PrevDirective::Action(ActionState::ChangeApproach),
        ]
    );
}

#[test]
fn after_the_end_nothing_changes() {
    let decisions = run(Parameters::default(), [share(1, 0, 8), share(8, 8, 8)]);
    assert_eq!(decisions[0], decisions[1]);
}

#[test]
fn reasons_are_words_for_people() {
    let worse = run(Parameters::default(), [share(3, 0, 8), share(5, 0, 8), share(7, 0, 8)]);
    assert_eq!(
        worse.iter().map(|decision| decision.rationale.as_str()).collect::<Vec<_>>(),
        [
            "3 of 8 criteria are not met. This was the first plan, and nothing shows that the approach is wrong: keep the \
             approach, but use other inputs or places.",
            "5 of 8 criteria are not met. The result gets worse, and nothing shows that the approach is wrong: keep the \
             approach and tighten it.",
            "7 of 8 criteria are not met. The last 2 plans each made the result worse.",
        ]
    );
    let close = GoalGradientSolver::new(Profile::Default.parameters()).step(&share(1, 0, 4));
    assert_eq!(
        close.rationale,
        "1 of 4 criteria is not met. So little is missing that another try is not worth its cost."
    );
}

/// Rounds in which every call was refused led nowhere, one after the other, until the replans were used up.
#[test]
fn a_directed_plan_without_a_single_call_is_the_end() {
    let silent = || FailedSubTask {
        tools: tools(&[]),
        failed_calls: Vec::new(),
        ..failure(1, "shell", "", FailureClass::Logical)
    };
    let round = |failure| Observation { failures: vec![failure], ..share(8, 8, 8) };
    let tried = || failure(1, "shell", "a", FailureClass::Logical);
    let decisions = run(Parameters::default(), [round(tried()), round(silent())]);
    assert_eq!(states(&decisions)[1], (ABANDON, Rule::NoMeansLeft));
    // In the first round nothing was blocked yet, and a model that did not answer (no class) may do so the
    // next time.
    assert_eq!(run(Parameters::default(), [round(silent())])[0].rule, Rule::ActionGrid);
    let mute = Observation { failures: vec![silent()], ..share(8, 0, 8) };
    assert_eq!(run(Parameters::default(), [round(tried()), mute])[1].rule, Rule::ActionGrid);
}

/// Twenty-seven calls searched for a file that did not exist, until the time was used up.
#[test]
fn a_file_that_is_nowhere_is_the_end() {
    let missing = |observation| Observation { missing_file: Some("data/a.csv".to_owned()), ..observation };
    let all_met = |observation| Observation { report: Report::AllMet, ..observation };
    let decision = &run(Parameters::default(), [missing(share(8, 0, 8))])[0];
    assert_eq!(states(std::slice::from_ref(decision)), [(ABANDON, Rule::FileMissing)]);
    assert_eq!(
        decision.rationale,
        "data/a.csv is not there, and no file below the working folder that is not hidden has that name."
    );
    // It revokes nothing that is met, or nearly met.
    assert_eq!(
        run(Parameters::default(), [missing(all_met(share(0, 0, 8)))])[0].rule,
        Rule::EveryCriterionMet
    );
    assert_eq!(run(Parameters::default(), [missing(share(1, 0, 8))])[0].rule, Rule::CloseEnough);
}

#[test]
fn a_step_that_failed_with_every_program_is_the_end() {
    let round = |names: &[&str], number| Observation {
        failures: vec![failure_of(number, names)],
        programs: programs(&["awk", "find"]),
        ..share(8, 8, 8)
    };
    let decisions = run(Parameters::default(), [round(&["awk"], 1), round(&["find"], 1)]);
    assert_eq!(
        decisions.iter().map(|decision| decision.rule).collect::<Vec<_>>(),
        [Rule::ActionGrid, Rule::NoMeansLeft]
    );
    // Of two different steps each may still use what the other failed with.
    assert_eq!(
        run(Parameters::default(), [round(&["awk"], 1), round(&["find"], 2)])[1].rule,
        Rule::ActionGrid
    );
}

/// Only the whole falls short of its criteria. What the steps used is blocked, but none of them is a dead
/// end.
#[test]
fn a_step_that_matched_with_every_program_is_not_the_end() {
    let whole = JudgedCriterion { subtask_id: None, ..criterion("all of it", unmet(FailureClass::Logical)) };
    let done = |names: &[&str]| FailedSubTask { failed_calls: Vec::new(), ..failure_of(1, names) };
    let round = |failure: FailedSubTask| Observation {
        criteria: vec![criterion("a part", met()), whole.clone()],
        failures: vec![failure],
        programs: programs(&["awk", "find"]),
        ..gap(Vec::new())
    };
    let decisions = run(Parameters::default(), [round(done(&["awk"])), round(done(&["awk", "find"]))]);
    let grid = (MacroState::BreakSymmetry, Rule::ActionGrid);
    assert_eq!(states(&decisions), [grid, grid]);
    assert_eq!(decisions[0].blocked.programs, programs(&["awk"]));
    assert_eq!((decisions[1].blocked.programs.len(), decisions[1].blocked.spared.len()), (1, 1));
    let silent = || FailedSubTask { tools: tools(&[]), ..done(&[]) };
    let decisions = run(Parameters::default(), [round(silent()), round(silent())]);
    assert_eq!(states(&decisions), [grid, grid]);
}

/// Review 056114a, trap 3: 23 calls where two show that it is impossible.
#[test]
fn what_is_given_up_ends_the_run() {
    let gave_up = GaveUp {
        kind: GiveUpKind::Impossible,
        reason: "The table has no column for prices".to_owned(),
        question: None,
    };
    let given = |observation| Observation { gave_up: Some(gave_up.clone()), ..observation };
    let decision = &run(Parameters::default(), [given(share(8, 0, 8))])[0];
    assert_eq!(states(std::slice::from_ref(decision)), [(ABANDON, Rule::GaveUp)]);
    assert_eq!(decision.rationale, "The table has no column for prices.");
    // Nearly done is not done if the rest was declared impossible; what is met is met.
    assert_eq!(run(Parameters::default(), [given(share(1, 0, 8))])[0].rule, Rule::GaveUp);
    let met = Observation { report: Report::AllMet, ..share(0, 0, 8) };
    assert_eq!(run(Parameters::default(), [given(met)])[0].rule, Rule::EveryCriterionMet);
}
