//! The suite accepts the default solver and rejects broken ones.

use artoo_ggs::Solver;
use artoo_ggs::conformance::{Breach, check, check_limits};
use artoo_ggs_core::{
    Blocked, Decision, GoalGradientSolver, Hyperparameters, Observation, Parameters, Profile, Report, State,
};
use artoo_types::{TerminalState, UnitInterval};

fn default_solver() -> GoalGradientSolver {
    GoalGradientSolver::new(Profile::Default.parameters())
}

#[test]
fn both_profiles_and_strict_mode_conform() {
    for parameters in
        [Profile::Default.parameters(), Profile::SpecV08.parameters(), Parameters::default().strict()]
    {
        assert_eq!(check(|| Box::new(GoalGradientSolver::new(parameters))), Ok(()));
    }
}

/// The default solver with a defect in each decision.
struct Broken(GoalGradientSolver, Defect);

type Defect = fn(&mut Decision, &Observation);

impl Solver for Broken {
    fn step(&mut self, observation: &Observation) -> Decision {
        let mut decision = self.0.step(observation);
        (self.1)(&mut decision, observation);
        decision
    }
}

#[test]
fn broken_solvers_are_caught() {
    let table: [(Defect, Breach); 9] = [
        (|d, _| d.state = State::Terminal(TerminalState::Abandon), Breach::NotAccepted),
        (|d, _| d.state = State::Terminal(TerminalState::Accept), Breach::Accept),
        (|d, _| d.state = State::Terminal(TerminalState::Success), Breach::Success),
        (|d, _| d.unmet.clear(), Breach::Unnamed),
        (|d, _| d.replans_used = 7, Breach::Count),
        (|d, _| d.grad_l = f64::NAN, Breach::NotFinite),
        (|d, _| d.loss.l = f64::INFINITY, Breach::NotFinite),
        (|d, _| d.prev_directive = Default::default(), Breach::Chain),
        (
            |d, o| {
                if matches!(d.state, State::Action(_)) {
                    d.blocked = Blocked { tools: o.inventory.clone(), ..Default::default() };
                }
            },
            Breach::NoToolLeft,
        ),
    ];
    for (fault, breach) in table {
        assert_eq!(check(|| Box::new(Broken(default_solver(), fault))), Err(breach));
    }
}

/// Requests another plan until all is met, without end.
struct Endless(u32);

impl Solver for Endless {
    fn step(&mut self, observation: &Observation) -> Decision {
        let mut decision = default_solver().step(observation);
        if observation.report == Report::AllMet {
            decision.replans_used = self.0;
            if self.0 > 0 {
                decision.prev_directive =
                    artoo_types::PrevDirective::Action(artoo_types::ActionState::Refine);
            }
            return decision;
        }
        let refine = artoo_types::ActionState::Refine;
        decision.state = State::Action(refine);
        decision.replans_used = self.0;
        if self.0 > 0 {
            decision.prev_directive = artoo_types::PrevDirective::Action(refine);
        }
        self.0 += 1;
        decision
    }
}

#[test]
fn an_endless_solver_is_caught() {
    assert_eq!(check(|| Box::new(Endless(0))), Err(Breach::Endless));
}

/// The default solver against the limits of a run, with `change` applied to its parameters and `defect` to
/// its decisions.
fn within_limits(change: fn(&mut Hyperparameters), defect: Defect) -> Result<(), Breach> {
    check_limits(|parameters| {
        let mut values = Hyperparameters::from(parameters);
        change(&mut values);
        Box::new(Broken(GoalGradientSolver::new(Parameters::new(values).unwrap()), defect))
    })
}

#[test]
fn solvers_that_go_beyond_the_limits_are_caught() {
    assert_eq!(within_limits(|_| {}, |_, _| {}), Ok(()));
    assert_eq!(within_limits(|values| values.max_replans = 9, |_, _| {}), Err(Breach::TooManyReplans));
    assert_eq!(within_limits(|values| values.theta = 1.0, |_, _| {}), Err(Breach::BudgetIgnored));
    assert_eq!(within_limits(|_| {}, |d, _| d.loss.omega = UnitInterval::ZERO), Err(Breach::Omega));
    // Giving up does not satisfy them.
    let gives_up: Defect = |d, _| d.state = State::Terminal(TerminalState::Abandon);
    assert_eq!(within_limits(|_| {}, gives_up), Err(Breach::NotAccepted));
}
