//! A solver of the program's own, which decides after each round: this one is the default that never plans again. The model follows a
//! script.

mod scene;

use artoo::TerminalState;
use artoo::roles::ggs::Solver;
use artoo::roles::ggs_core::{Decision, GoalGradientSolver, Observation, State};

struct OneShot(GoalGradientSolver);

impl Solver for OneShot {
    fn step(&mut self, observation: &Observation) -> Decision {
        let decision = self.0.step(observation);
        let state = match decision.state {
            State::Terminal(state) => state,
            State::Action(_) => TerminalState::Abandon,
        };
        Decision { state: State::Terminal(state), ..decision }
    }
}

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let own = |parameters| OneShot(GoalGradientSolver::new(parameters));
    scene::accepted("Where is my shopping list?", |builder| builder.solver(own)).await
}
