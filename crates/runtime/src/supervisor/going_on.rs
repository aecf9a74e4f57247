//! Whether a run that has taken much goes on: the question to the user, and the effect of the answer.

use artoo_types::{ContinuationDecided, ContinuationRequested, FaultKind, Role};

use super::{Supervisor, fault};
use crate::spending::nobody_says_to_go_on;

impl Supervisor<'_> {
    /// Asks whether the run goes on; until the answer no model is asked anything. Without anybody to ask it ends.
    pub(super) fn may_it_go_on(&mut self, asked: ContinuationRequested) {
        if self.stopping || self.is_over() || self.going_on.is_some() {
            return;
        }
        if !self.may_ask {
            return self.fail(nobody_says_to_go_on(&asked));
        }
        self.gate.shut();
        self.going_on = Some(asked.clone());
        if let Err(error) = self.port.publish(asked.clone()) {
            tracing::debug!(%error, "a question could not be published");
            self.fail(nobody_says_to_go_on(&asked));
        }
    }

    /// The answer to that.
    pub(super) fn goes_on(&mut self, decision: &ContinuationDecided) {
        let Some(asked) = self.going_on.take_if(|asked| asked.number == decision.number) else { return };
        if decision.granted {
            self.gate.open();
        } else if !self.stopping {
            let message = format!("you ended the run after it had taken {}", asked.taken());
            self.fail(fault(Role::User, FaultKind::Declined, message));
        }
    }
}
