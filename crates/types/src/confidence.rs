//! How far a result that nothing speaks against is to be believed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::UnitInterval;

/// How far a result that meets every criterion is to be believed. R4b to R7, and with the result to the person.
///
/// ```
/// use artoo_types::{Confidence, UnitInterval};
///
/// let share = |value: f64| UnitInterval::new(value).unwrap();
/// let sure = Confidence { value: share(0.8), least: share(0.6), why: "two commands agree".to_owned(), is_measured: true };
/// assert!(sure.confirms());
/// assert!(!Confidence { value: share(0.3), ..sure }.confirms());
/// ```
///
/// Source: `docs/deviations.md`, "Confidence".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Confidence {
    /// The share of such results that are right, as far as it was measured for the model.
    pub value: UnitInterval,
    /// From which value on a result is accepted.
    pub least: UnitInterval,
    /// What it comes from, in words.
    pub why: String,
    /// Whether the share was measured for the model. Otherwise it is no more than what the judge says of itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_measured: bool,
}

impl Confidence {
    /// Whether it is enough to accept.
    pub fn confirms(&self) -> bool {
        self.value >= self.least
    }
}
