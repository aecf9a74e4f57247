//! `Decision`: the output of a step.

use artoo_types::{
    ActionState, DominantClass, Loss, MacroState, PrevDirective, TerminalState, UnmetCriterion,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Blocked, Cell};

/// What to do after a round, and everything that a reader needs to see why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// What to do.
    pub state: State,
    /// The rule that decided.
    pub rule: Rule,
    /// Where the round lies in the table, which need not be what decided.
    pub cell: Cell,
    /// The loss of the round.
    pub loss: Loss,
    /// L now minus L before; 0 in the first round.
    pub grad_l: f64,
    /// α·D + β·P now minus the same before; 0 in the first round.
    pub grad_goal: f64,
    /// The directive before.
    pub prev_directive: PrevDirective,
    /// Replans before this round: 0 while the first plan is judged.
    pub replans_used: u32,
    /// What the next plan may not use; empty for terminal states.
    pub blocked: Blocked,
    /// Every criterion that is not met; empty for `accept`, never empty for `success`.
    pub unmet: Vec<UnmetCriterion>,
    /// The more frequent class among the failures.
    pub failure_class: DominantClass,
    /// The criterion that weighs most in D.
    pub failed_criterion: Option<String>,
    /// Why, in plain words for a person.
    pub rationale: String,
}

impl Decision {
    /// The round that was judged, from 1.
    pub fn round(&self) -> u32 {
        self.replans_used.saturating_add(1)
    }

    /// The first number that is NaN or infinite, by its name on the wire. No decision of the default solver
    /// has one; JSON cannot represent it, so a record with it could not be read again.
    pub fn not_a_number(&self) -> Option<(&'static str, f64)> {
        [("loss.L", self.loss.l), ("grad_l", self.grad_l), ("grad_goal", self.grad_goal)]
            .into_iter()
            .find(|(_, value)| !value.is_finite())
    }
}

/// Ends the run, or asks for another plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum State {
    /// The run ends.
    Terminal(TerminalState),
    /// Another plan.
    Action(ActionState),
}

impl From<State> for MacroState {
    fn from(state: State) -> Self {
        match state {
            State::Terminal(state) => state.into(),
            State::Action(state) => state.into(),
        }
    }
}

/// The rules in the order in which they are asked; the first that applies decides.
///
/// Source: `docs/deviations.md`, "Order of decisions".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The meta-validator reported every criterion met, and none is unmet: `accept`, whatever Ω is.
    EveryCriterionMet,
    /// Ω ≥ θ: `abandon`.
    BudgetSpent,
    /// D ≤ δ, neither the request as a whole nor a deed is missing, something is unmet, and there is something to hand over: `success`.
    CloseEnough,
    /// All that failed was refused by a person: `abandon`, because a refusal is not worked around.
    OnlyDenied,
    /// Law 2, worsening rounds in a row: `abandon`.
    KeepsWorsening,
    /// Another plan would be needed and none is left: `abandon`.
    NoReplansLeft,
    /// Another plan would be needed, and there is nothing left that it could use: `abandon`, rather than rounds without a call.
    NoMeansLeft,
    /// Another plan would be needed, and a file that the request names is nowhere: `abandon`, rather than looks in vain.
    FileMissing,
    /// A step was given up, and what was looked at bears that out: `abandon`, because giving up is an answer.
    GaveUp,
    /// |gradient| and P: one of the four action states.
    ActionGrid,
}
