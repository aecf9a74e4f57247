//! Usage totals of a run: calls, tokens, money.

use artoo_types::{Amount, ModelCall, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Calls and what they used, added up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cumulative {
    /// Model calls.
    pub calls: u64,
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Whether some of the counts are estimates.
    #[serde(default)]
    pub estimated: bool,
    /// What all of it cost; none where the price of some of it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// Money that was spent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// How much.
    pub amount: Amount,
    /// The currency, in the user's words; may be empty.
    pub currency: String,
}

/// What one role cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoleUsage {
    /// The role.
    pub role: Role,
    /// Its sum.
    #[serde(flatten)]
    pub usage: Cumulative,
}

impl Cumulative {
    /// Adds a call. If the cost of one call is missing, the total has none: a partial sum would pass for the
    /// whole.
    pub(crate) fn add(&mut self, call: &ModelCall, cost: Option<&Cost>) {
        self.cost = match (self.cost.take(), cost) {
            (None, Some(cost)) if self.calls == 0 => Some(cost.clone()),
            (Some(sum), Some(cost)) => Some(Cost { amount: sum.amount.saturating_add(cost.amount), ..sum }),
            (None, _) | (_, None) => None,
        };
        self.calls = self.calls.saturating_add(1);
        self.prompt_tokens = self.prompt_tokens.saturating_add(call.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(call.completion_tokens);
        self.estimated |= call.estimated;
    }
}
