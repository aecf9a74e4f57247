//! Whether a run that has taken much shall go on: when it is asked, the question and the answer.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Amount;

/// After how much of its work a run asks whether it shall go on, and again after as much more. Counted over the whole
/// run: all roles, all attempts, all plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checkpoints {
    /// Model calls; none where they are not asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<NonZeroU64>,
    /// Tokens read that no cache spared; none where they are not asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<NonZeroU64>,
}

impl Checkpoints {
    /// Never.
    pub const NONE: Self = Self { turns: None, tokens: None };

    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }
}

impl Default for Checkpoints {
    /// 200 model calls, and 2,000,000 tokens.
    fn default() -> Self {
        Self { turns: NonZeroU64::new(200), tokens: NonZeroU64::new(2_000_000) }
    }
}

/// A question whether the run shall go on, since it has taken as much as this. Supervisor to the user. No model is
/// asked anything and the run's clock rests until the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContinuationRequested {
    /// Which question of this kind, from 1.
    pub number: u32,
    /// Model calls so far.
    pub turns: u64,
    /// Tokens read so far that no cache spared.
    pub tokens: u64,
    /// Whether some of them are estimates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// What all calls cost so far; none where the price of some of them is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Amount>,
    /// The currency, in the user's words; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub currency: String,
}

/// The answer. From the user. A no ends the run with what there is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContinuationDecided {
    /// To which question.
    pub number: u32,
    /// Yes or no. Without somebody to ask, no.
    pub granted: bool,
    /// Who decided and why, for the record.
    pub reason: String,
}

impl ContinuationRequested {
    /// What the run has taken, in words: `200 model calls, 1843000 uncached tokens read`.
    ///
    /// ```
    /// use artoo_types::{Amount, ContinuationRequested};
    ///
    /// let asked = ContinuationRequested {
    ///     number: 1, turns: 200, tokens: 1_843_000, estimated: false, cost: Amount::new(3.5), currency: "EUR".into(),
    /// };
    /// assert_eq!(asked.taken(), "200 model calls, 1843000 uncached tokens read, 3.5 EUR");
    /// ```
    pub fn taken(&self) -> String {
        let estimated = if self.estimated { " (estimated)" } else { "" };
        let cost = self.cost.map(|cost| format!(", {cost} {}", self.currency).trim_end().to_owned());
        let calls = if self.turns == 1 { "model call" } else { "model calls" };
        let (turns, tokens) = (self.turns, self.tokens);
        format!("{turns} {calls}, {tokens} uncached tokens read{estimated}{}", cost.unwrap_or_default())
    }
}
