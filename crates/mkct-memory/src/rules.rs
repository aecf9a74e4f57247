//! `Rules`: the Dreamer's thresholds.

/// The thresholds by which the Dreamer promotes, demotes and forgets.
///
/// [`Rules::default`] are the settled ones, [`Rules::spec_v0_8`] the specification's to the letter.
/// ```
/// use artoo_mkct_memory::{Bankruptcy, Rules};
/// assert_eq!(Rules::default().forget_min_age_days, 1.0);
/// assert_eq!(Rules::spec_v0_8().forget_min_age_days, 0.0);
/// assert_eq!(Rules::spec_v0_8().bankruptcy, Bankruptcy::Negative);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Entries of a pair whose attention is below this are forgotten. Specification v0.8, "Physical
    /// Forgetting".
    pub forget_below: f64,
    /// Minimum age in days of a forgotten entry; otherwise a `refine` Megram (f = 0.10) would be garbage at
    /// birth. `docs/deviations.md`, "Forgetting".
    pub forget_min_age_days: f64,
    /// Minimum attention of a pair for a rule. Specification v0.8, "Upward flow".
    pub promote_attention: f64,
    /// Minimum decision of a pair for a rule, in either direction. Specification v0.8, "Upward flow".
    pub promote_decision: f64,
    /// The decay rate per day of a demoted rule. Specification v0.8, "Trust Bankruptcy".
    pub demoted_k: f64,
    /// When a rule is demoted.
    pub bankruptcy: Bankruptcy,
}

/// When a rule of level C loses its timelessness. Source: `docs/deviations.md`, "Trust bankruptcy has
/// polarity".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bankruptcy {
    /// A rule is demoted when experience contradicts it: a constraint when the decision is positive, a
    /// practice when it is negative and two experiences still contradict it, each with a clear sign of its
    /// own. A single failure demotes no practice.
    Contradicted,
    /// Every rule is demoted when the decision is negative, as in the specification. A constraint then
    /// demotes itself.
    Negative,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            forget_below: 0.1,
            forget_min_age_days: 1.0,
            promote_attention: 5.0,
            promote_decision: 3.0,
            demoted_k: 0.05,
            bankruptcy: Bankruptcy::Contradicted,
        }
    }
}

impl Rules {
    /// The literal rules of specification v0.8, for comparison.
    pub fn spec_v0_8() -> Self {
        Self { forget_min_age_days: 0.0, bankruptcy: Bankruptcy::Negative, ..Self::default() }
    }
}
