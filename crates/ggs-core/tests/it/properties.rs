//! The laws of the controller over arbitrary runs.

use artoo_ggs_core::{
    Bearing, Decision, GoalGradientSolver, Observation, Profile, Rule, Standing, State, Weighing,
};
use artoo_types::{ActionState, MacroState, PrevDirective, TerminalState};
use proptest::prelude::*;

use crate::fixtures::{any_far_observation, any_observation, any_parameters, any_profile, at, share};

fn run(profile: Profile, rounds: &[Observation]) -> Vec<Decision> {
    let mut solver = GoalGradientSolver::new(profile.parameters());
    rounds.iter().map(|round| solver.step(round)).collect()
}

fn misses_the_wish(round: &Observation) -> bool {
    let wished = |bearing| matches!(bearing, Bearing::Whole | Bearing::Deed);
    round.criteria.iter().any(|criterion| wished(criterion.bearing) && criterion.standing != Standing::Met)
}

fn timed(rounds: &[Observation], times: &[u64]) -> Vec<Observation> {
    rounds.iter().zip(times).map(|(round, ms)| at(*ms, round.clone())).collect()
}

fn increasing(steps: Vec<u64>) -> Vec<u64> {
    steps
        .into_iter()
        .scan(0, |sum, step| {
            *sum += step;
            Some(*sum)
        })
        .collect()
}

proptest! {
    #[test]
    fn every_run_ends_within_its_replans(
        parameters in any_parameters(),
        rounds in prop::collection::vec(any_observation(), 12),
    ) {
        let mut solver = GoalGradientSolver::new(parameters);
        let steps = rounds.iter().map(|round| solver.step(round));
        let actions = steps.take_while(|decision| matches!(decision.state, State::Action(_))).count();
        prop_assert!(actions <= parameters.max_replans as usize);
    }

    /// The promise of each rule, for every round of every run and with any parameters.
    #[test]
    fn every_decision_keeps_its_rules_promise(
        parameters in any_parameters(),
        rounds in prop::collection::vec(any_observation(), 1..8),
    ) {
        let mut solver = GoalGradientSolver::new(parameters);
        for round in &rounds {
            let decision = solver.step(round);
            let accepted = decision.rule == Rule::EveryCriterionMet;
            let spent = decision.loss.omega.get() >= parameters.theta;
            let near = decision.loss.d.get() <= parameters.delta;
            let nameable = round.deliverable && !decision.unmet.is_empty();
            let state = MacroState::from(decision.state);
            prop_assert_eq!(accepted, state == MacroState::Accept);
            prop_assert!(!accepted || decision.unmet.is_empty());
            if !accepted && spent {
                prop_assert_eq!(state, MacroState::Abandon);
            }
            let missed = parameters.weighing == Weighing::Wish && misses_the_wish(round);
            prop_assert_eq!(!accepted && !spent && near && !missed && nameable, state == MacroState::Success);
            if let State::Action(action) = decision.state {
                prop_assert_eq!(action, decision.cell.action());
                prop_assert!(decision.replans_used < parameters.max_replans);
                prop_assert_eq!(&round.missing_file, &None);
            } else {
                prop_assert_eq!(&decision.blocked, &Default::default());
                break;
            }
        }
    }

    #[test]
    fn the_chain_of_directives_has_no_gap(
        profile in any_profile(),
        rounds in prop::collection::vec(any_observation(), 1..6),
    ) {
        let mut expected = PrevDirective::Init;
        for (i, decision) in run(profile, &rounds).into_iter().enumerate() {
            prop_assert_eq!(decision.prev_directive, expected);
            prop_assert_eq!(decision.replans_used as usize, i);
            match decision.state {
                State::Action(action) => expected = PrevDirective::Action(action),
                State::Terminal(_) => break,
            }
        }
    }

    /// Default profile: two runs that differ only in the clock differ only in when the budget ends them.
    #[test]
    fn the_clock_alone_never_changes_an_action_state(
        rounds in prop::collection::vec(any_far_observation(), 1..5),
        steps in prop::collection::vec(0_u64..120_000, 5),
        other_steps in prop::collection::vec(0_u64..120_000, 5),
    ) {
        let one = run(Profile::Default, &timed(&rounds, &increasing(steps)));
        let other = run(Profile::Default, &timed(&rounds, &increasing(other_steps)));
        for (one, other) in one.iter().zip(&other) {
            if one.rule == Rule::BudgetSpent || other.rule == Rule::BudgetSpent {
                break;
            }
            prop_assert_eq!(one.state, other.state);
            prop_assert_eq!(one.rule, other.rule);
            prop_assert_eq!(&one.blocked, &other.blocked);
            prop_assert_eq!(&one.rationale, &other.rationale);
            prop_assert_eq!(one.grad_goal, other.grad_goal);
        }
    }

    /// Profile `spec-v0.8`: the deciding gradient is the difference of L, including the clock.
    #[test]
    fn the_literal_profile_decides_by_the_difference_of_the_loss(
        rounds in prop::collection::vec(any_far_observation(), 2..5),
        steps in prop::collection::vec(0_u64..120_000, 5),
    ) {
        let decisions = run(Profile::SpecV08, &timed(&rounds, &increasing(steps)));
        for pair in decisions.windows(2) {
            let [before, now] = pair else { continue };
            let ended = matches!(before.state, State::Terminal(_));
            prop_assert!(ended || now.grad_l == now.loss.l - before.loss.l);
            if let State::Action(action) = now.state {
                let signal = now.grad_l.abs() >= 0.1;
                let wrong = now.loss.p.get() > 0.5;
                let expected = match (signal, wrong) {
                    (false, false) => ActionState::ChangePath,
                    (false, true) => ActionState::BreakSymmetry,
                    (true, false) => ActionState::Refine,
                    (true, true) => ActionState::ChangeApproach,
                };
                prop_assert_eq!(action, expected);
            }
        }
    }
}

fn two_rounds(profile: Profile, ms: u64) -> MacroState {
    run(profile, &[at(10_000, share(8, 0, 8)), at(10_000 + ms, share(8, 0, 8))])[1].state.into()
}

/// Fact 16: with D and P constant and P = 0, a round of more than 37 s reads as worsening in the
/// specification's gradient. The literal profile keeps that; the default does not have it.
#[test]
fn fact_16_the_clock_reads_as_worsening_in_the_literal_profile_only() {
    assert_eq!(two_rounds(Profile::SpecV08, 37_000), MacroState::ChangePath);
    assert_eq!(two_rounds(Profile::SpecV08, 38_000), MacroState::Refine);
    assert_eq!(two_rounds(Profile::Default, 37_000), MacroState::ChangePath);
    assert_eq!(two_rounds(Profile::Default, 38_000), MacroState::ChangePath);
    assert_eq!(two_rounds(Profile::Default, 250_000), MacroState::ChangePath);
}

#[test]
fn fact_16_two_slow_rounds_trip_law_2_in_the_literal_profile_only() {
    let slow = [at(0, share(8, 0, 8)), at(40_000, share(8, 0, 8)), at(80_000, share(8, 0, 8))];
    let literal = &run(Profile::SpecV08, &slow)[2];
    assert_eq!(
        (literal.state, literal.rule),
        (State::Terminal(TerminalState::Abandon), Rule::KeepsWorsening)
    );
    assert_eq!(run(Profile::Default, &slow)[2].state, State::Action(ActionState::ChangePath));
}
