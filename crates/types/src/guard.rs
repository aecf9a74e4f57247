//! What memory makes of plans and calls. Source: specification v0.8, R5, "Action selection"; `docs/deviations.md`, "Memory".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{BlockedTarget, MegramId, Potentials};

/// What R2 made of what was recalled. Every Megram of the reply is either used or ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanMemory {
    /// Rules, experiences and laws that the plan was made with.
    pub used: Vec<MegramId>,
    /// Those that were left out: of pairs that memory advises to ignore, or beyond what fits.
    pub ignored: Vec<MegramId>,
    /// What the calls of the plan are held to.
    pub guards: Vec<MemoryGuard>,
}

impl PlanMemory {
    /// Whether nothing was recalled.
    pub fn is_empty(&self) -> bool {
        self.used.is_empty() && self.ignored.is_empty() && self.guards.is_empty()
    }
}

/// A call that memory advises against, as the plan gate and the executor are held to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryGuard {
    /// The tool and its input in normal form.
    pub target: BlockedTarget,
    /// How it is held back.
    pub action: GuardAction,
    /// The potentials of its pair when the plan was made.
    pub potentials: Potentials,
    /// The rule or the experiences behind it, the strongest first.
    pub because: Vec<MegramId>,
    /// The strongest of them in words, for the refusal and the question.
    pub lesson: String,
}

/// How memory holds a call back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GuardAction {
    /// Avoid: the call is refused. A person may override it once.
    Refuse,
    /// Caution: a person is asked before it; where nobody is there, it is done in trial only, and nothing of it lasts.
    Confirm,
}

/// A call that memory held back, and what came of that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Held {
    /// How memory holds it back.
    pub action: GuardAction,
    /// The rule or the experiences behind it, the strongest first.
    pub because: Vec<MegramId>,
    /// What came of it.
    pub came: HeldEnd,
}

/// What came of a call that memory held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeldEnd {
    /// It was not made.
    Refused,
    /// A person agreed to this one call, and it was made like any other.
    Agreed,
    /// It was tried where nothing of it lasts.
    Tried,
}
