//! The explanation page as data.

use artoo_ggs_core::{Blocked, Cell, Rule, Standing};
use artoo_types::{
    Amount, AnswerOrigin, Basis, BlockedTarget, Confidence, ControlSettings, Fault, Loss, MacroState, Mode,
    PrevDirective, RunId, TerminalState,
};
use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::memory::RoundMemory;
use crate::journal::RunState;

/// Why a run went as it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// Version of this format: 1.
    pub v: u32,
    /// The run; `None` where its journal holds nothing readable.
    pub run_id: Option<RunId>,
    /// When it began.
    pub started: Option<DateTime<FixedOffset>>,
    /// The request, verbatim.
    pub request: Option<String>,
    /// What its controller went by; `None` where the journal does not tell, so that nothing can be computed again.
    pub settings: Option<ControlSettings>,
    /// The version of artoo that computed this page.
    pub computed_by: String,
    /// Its rounds, in order. The last may be without a decision.
    pub rounds: Vec<Round>,
    /// Its end; `None` where none is on record.
    pub end: Option<End>,
    /// Where the run stands: at work, ended, killed.
    #[serde(default)]
    pub state: RunState,
    /// What it cost, up to its end: the sum of its rounds.
    pub cost: Cost,
    /// The currency of its amounts, in the user's words; `None` where the request names no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// What is wrong with the journal, where something is. The page tells what came before.
    pub damage: Option<String>,
}

/// One plan, what came of it, and what was decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Round {
    /// Its number, from 1.
    pub round: u32,
    /// What its plan changed; `None` where there was no plan.
    pub plan: Option<PlanChange>,
    /// What memory had to do with it.
    #[serde(default, skip_serializing_if = "RoundMemory::is_empty")]
    pub memory: RoundMemory,
    /// Calls that were refused: blocked, made before, or not allowed.
    pub refused: Vec<RefusedCall>,
    /// How many criteria the controller saw; `None` where the round was never reported to it.
    pub criteria: Option<usize>,
    /// The criteria that are not met, as the controller saw them, or, of a round that was never reported to it, as they stood.
    pub unmet: Vec<Unmet>,
    /// What was decided; `None` where nothing was.
    pub decided: Option<Decided>,
    /// What it cost.
    pub cost: Cost,
}

/// What a plan changed, by what its subtasks are to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanChange {
    /// Matched before; the output is used again.
    pub kept: Vec<String>,
    /// Of the plan before, in the same words, and run again.
    pub again: Vec<String>,
    /// Of the plan before, and not of this one.
    pub replaced: Vec<String>,
    /// Not of the plan before.
    pub new: Vec<String>,
}

/// A call that was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedCall {
    /// The tool and its arguments in normal form.
    #[serde(flatten)]
    pub call: BlockedTarget,
    /// Why.
    pub reason: String,
}

/// A criterion that is not met.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unmet {
    /// In words.
    pub criterion: String,
    /// How a failure weighs.
    pub mode: Mode,
    /// What its subtask was to do; `None` is a criterion of the task.
    pub subtask: Option<String>,
    /// Class and reason, or why it was skipped.
    #[serde(flatten)]
    pub standing: Standing,
    /// What it adds to the numerator of D, 0 to 1.
    pub weight: f64,
}

/// A decision of the controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decided {
    /// Whether the journal holds the decision. Where not, the numbers and the words are those that the record leads to.
    pub recorded: bool,
    /// The directive before.
    pub prev: PrevDirective,
    /// The directive.
    pub current: MacroState,
    /// D, P, Omega and L.
    #[serde(flatten)]
    pub loss: Loss,
    /// L now minus L before.
    pub grad_l: f64,
    /// α·D + β·P now minus the same before.
    pub grad_goal: f64,
    /// What the next plan may not use.
    pub blocked: Blocked,
    /// Why, in the controller's words; empty where the journal keeps none.
    pub rationale: String,
    /// Whether it follows from what is on record.
    #[serde(flatten)]
    pub follows: Follows,
}

/// Whether a recorded decision is the one that artoo's solver takes on the recorded inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "follows", rename_all = "snake_case")]
pub enum Follows {
    /// It is.
    Yes {
        /// What decided.
        #[serde(flatten)]
        grounds: Grounds,
    },
    /// It is not: another solver decided, another version, or the journal was changed.
    No {
        /// What artoo's solver decides.
        computed: MacroState,
        /// What decides there.
        #[serde(flatten)]
        grounds: Grounds,
        /// Where the two differ.
        differences: Vec<Difference>,
    },
    /// It cannot be told.
    Unknown {
        /// Why.
        reason: String,
    },
}

/// A field that is not what it would be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// Its name.
    pub field: String,
    /// What the journal says.
    pub recorded: Value,
    /// What the inputs lead to.
    pub computed: Value,
}

/// The rule that decided, and the cell of the table in which the round lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Grounds {
    /// The rule.
    pub rule: Rule,
    /// The cell.
    pub cell: Cell,
    /// Its number in the specification, 1 to 24.
    pub number: u8,
    /// What the cell alone would say.
    pub cell_says: MacroState,
    /// How far the blocking reaches back, where the sign of the gradient decided it.
    pub urgency: Option<Reach>,
}

/// Of which rounds the failures are blocked. Source: specification v0.8, "∇L Sign as Urgency Modulator".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// This round's: the loss does not rise.
    ThisRound,
    /// Those of every round: the loss rises.
    EveryRound,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct End {
    /// How; `None` where a fault ended it.
    pub directive: Option<TerminalState>,
    /// The fault.
    pub fault: Option<Fault>,
    /// One or two sentences.
    pub summary: String,
    /// What the result rests on.
    #[serde(default, skip_serializing_if = "Basis::is_evidence")]
    pub basis: Basis,
    /// How the outputs of several steps were made one answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerOrigin>,
    /// How far it is to be believed, where every criterion is met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Why there is no value that meets the schema that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_error: Option<String>,
    /// Replans used.
    pub replans: u32,
    /// The exit code of its `artoo run`.
    pub exit_code: u8,
}

/// What something cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Model calls.
    pub model_calls: u64,
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Tool calls that were carried out.
    pub tool_calls: u64,
    /// Milliseconds, without the time that a person was asked.
    pub elapsed_ms: u64,
    /// Money, by the prices of the request; `None` where one of the calls has no price: a part would pass for the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Amount>,
}

impl Explanation {
    /// The recorded decisions that do not follow from the recorded inputs, with their round numbers.
    pub fn departures(&self) -> impl Iterator<Item = (u32, &[Difference])> {
        self.rounds.iter().filter_map(|round| match &round.decided.as_ref()?.follows {
            Follows::No { differences, .. } => Some((round.round, differences.as_slice())),
            Follows::Yes { .. } | Follows::Unknown { .. } => None,
        })
    }
}

impl std::ops::Add for Cost {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            model_calls: self.model_calls.saturating_add(other.model_calls),
            prompt_tokens: self.prompt_tokens.saturating_add(other.prompt_tokens),
            completion_tokens: self.completion_tokens.saturating_add(other.completion_tokens),
            tool_calls: self.tool_calls.saturating_add(other.tool_calls),
            elapsed_ms: self.elapsed_ms.saturating_add(other.elapsed_ms),
            amount: match (self.model_calls, other.model_calls) {
                (0, _) => other.amount,
                (_, 0) => self.amount,
                (_, _) => self.amount.zip(other.amount).map(|(one, two)| one.saturating_add(two)),
            },
        }
    }
}
