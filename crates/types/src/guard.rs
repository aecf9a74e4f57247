//! What memory makes of plans and calls. Source: specification v0.8, R5, "Action selection"; `docs/deviations.md`, "Memory".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{BlockedTarget, CallId, MegramId, Potentials, TagPair};

/// What R2 made of what was recalled. Every Megram of the reply is either used or ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanMemory {
    /// Rules, experiences and laws that were in the prompt from which the plan was made. Empty for a guided model, whose plan is one
    /// step whatever memory says. What the executor was told is in [`ExecutionResult::told`](crate::ExecutionResult::told).
    pub used: Vec<MegramId>,
    /// Those that were left out: of pairs that memory advises to ignore, beyond what fits, or not what the plan was made from.
    pub ignored: Vec<MegramId>,
}

impl PlanMemory {
    /// Whether nothing was recalled.
    pub fn is_empty(&self) -> bool {
        self.used.is_empty() && self.ignored.is_empty()
    }
}

/// Does memory advise against this call? R3 to R5, before the call is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GuardQuery {
    /// The call.
    pub call_id: CallId,
    /// Its tool and its input in normal form.
    pub call: BlockedTarget,
    /// Where experience of this call is filed, in the place and for the request of this run.
    pub pairs: Vec<TagPair>,
}

/// The answer. R5 to R3.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GuardReply {
    /// The call.
    pub call_id: CallId,
    /// What memory holds against it; `None` if nothing.
    pub guard: Option<MemoryGuard>,
}

/// A call that memory advises against, as the executor is held to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryGuard {
    /// The tool and its input in normal form.
    pub target: BlockedTarget,
    /// How it is held back.
    pub action: GuardAction,
    /// The potentials of its pairs together, when the call was about to be made.
    pub potentials: Potentials,
    /// Whether a rule forbids it. Experience alone holds only while the run has changed nothing: after a change the same call is another
    /// question.
    #[serde(default)]
    pub by_rule: bool,
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
