//! What the task as a whole was found to lack.

use artoo_ggs_core::{Decision, State};
use artoo_types::{TerminalState, UnmetCriterion};

use crate::Round;

/// What was missing when the whole was last judged: it still is if a later plan fails before that.
#[derive(Debug, Default)]
pub struct Lacks(Vec<UnmetCriterion>);

impl Lacks {
    /// Takes a round. A round in which the whole was not judged changes nothing.
    pub fn judged(&mut self, round: &Round, decision: &Decision) {
        if !round.task_verdicts.is_empty() {
            let of_the_whole = decision.unmet.iter().filter(|unmet| unmet.subtask_id.is_none());
            self.0 = of_the_whole.cloned().collect();
        }
    }

    /// Everything that a result with this final decision names as unmet.
    pub fn unmet(&self, decision: &Decision) -> Vec<UnmetCriterion> {
        let forgotten = self.0.iter().filter(|unmet| !decision.unmet.contains(unmet));
        let forgotten = forgotten.filter(|_| decision.state != State::Terminal(TerminalState::Accept));
        decision.unmet.iter().chain(forgotten).cloned().collect()
    }
}
