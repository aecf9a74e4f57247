//! The `Solver` trait: the replaceable behaviour of R7.

use artoo_ggs_core::{Decision, GoalGradientSolver, Observation};

/// Decides after each round of a run whether the run ends, and if not, what the next plan must change.
///
/// # Contract
///
/// - One solver serves one run. `step` is called once per report of the meta-validator, in order, and never
///   again after a terminal decision.
/// - The solver owns the count of replans: [`Decision::replans_used`] is 0 for the first round and grows by
///   one with each action state. It must eventually reach a terminal state, whatever it observes: nothing
///   else counts replans.
/// - `accept` means that the report says so and that no criterion is unmet, and if both hold the decision is
///   `accept`, whatever the budget. `success` names at least one unmet criterion and is given only if there
///   is something to deliver.
/// - Every number is finite. JSON has no other, so a decision with NaN in it would make the record of the run
///   unreadable: it is refused, and the run ends with a fault.
/// - The same steps give the same decisions: a journal can be replayed.
///
/// # What an implementation must not do
///
/// Wait, call a model, read a clock or a random number, or keep state outside itself: `step` runs on the
/// role's task between two messages. It must not block the last tool of the inventory, and cannot fail: it
/// abandons what it cannot interpret.
///
/// # Cancellation
///
/// A cancelled run is ended by the role. The solver is dropped without a last call.
///
/// # Example
///
/// A baseline that accepts or gives up, and never replans:
/// ```
/// use artoo_ggs::Solver;
/// use artoo_ggs_core::{Decision, GoalGradientSolver, Hyperparameters, Observation, Parameters};
///
/// struct OneShot(GoalGradientSolver);
///
/// impl Solver for OneShot {
///     fn step(&mut self, observation: &Observation) -> Decision {
///         self.0.step(observation)
///     }
/// }
///
/// let values = Hyperparameters { max_replans: 0, delta: 0.0, ..Default::default() };
/// let solver = OneShot(GoalGradientSolver::new(Parameters::new(values).unwrap()));
/// # let _: Box<dyn Solver> = Box::new(solver);
/// ```
///
/// [`crate::conformance::check`] and [`crate::conformance::check_limits`] test whether an implementation
/// keeps this contract.
pub trait Solver: Send {
    /// Judges one round.
    fn step(&mut self, observation: &Observation) -> Decision;
}

impl Solver for GoalGradientSolver {
    fn step(&mut self, observation: &Observation) -> Decision {
        Self::step(self, observation)
    }
}
