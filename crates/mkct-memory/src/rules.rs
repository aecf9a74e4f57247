//! The numbers by which the Dreamer decides.

/// The numbers by which the Dreamer promotes, demotes and forgets.
///
/// [`Rules::default`] are the settled ones, [`Rules::spec_v0_8`] the specification's to the letter.
///
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
    /// No entry younger than this is forgotten, in days; otherwise a `refine` Megram (f = 0.10) would be
    /// garbage at birth. `docs/deviations.md`, "Forgetting".
    pub forget_min_age_days: f64,
    /// The least attention of a pair that gets a rule. Specification v0.8, "Upward flow".
    pub promote_attention: f64,
    /// The least decision, in either direction, of a pair that gets a rule. Specification v0.8, "Upward
    /// flow".
    pub promote_decision: f64,
    /// The decay rate per day of a rule that fell. Specification v0.8, "Trust Bankruptcy".
    pub demoted_k: f64,
    /// When a rule falls.
    pub bankruptcy: Bankruptcy,
}

/// When a rule of the C layer loses its timelessness. Source: `docs/deviations.md`, "Trust bankruptcy has
/// polarity".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bankruptcy {
    /// A rule falls when experience contradicts it: a constraint when the decision is positive, a practice
    /// when it is negative and two experiences still speak against it, each with a clear sign of its own. One
    /// failure fells no practice.
    Contradicted,
    /// Every rule falls when the decision is negative, as the specification has it. A constraint then demotes
    /// itself.
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
