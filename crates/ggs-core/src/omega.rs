//! Omega, the used share of the budget.

use artoo_types::UnitInterval;

use crate::Parameters;

/// Ω = w₁ · min(1, replans/maxReplans) + w₂ · min(1, elapsed/budget), within 0 and 1.
///
/// `replans_used` are the replans before this round: 0 while the first plan is judged. If none is allowed and
/// none was used, none of that budget is used.
/// Source: specification v0.8, "The Loss Function"; the caps: `docs/deviations.md`, "Omega".
/// ```
/// use artoo_ggs_core::{Parameters, omega};
/// let parameters = Parameters::default();
/// assert_eq!(omega(0, 0, &parameters).get(), 0.0);
/// assert_eq!(omega(3, 150_000, &parameters).get(), 0.8);
/// assert_eq!(omega(9, u64::MAX, &parameters).get(), 1.0);
/// ```
pub fn omega(replans_used: u32, elapsed_ms: u64, parameters: &Parameters) -> UnitInterval {
    let replans =
        if replans_used == 0 { 0.0 } else { f64::from(replans_used) / f64::from(parameters.max_replans) };
    let time = elapsed_ms as f64 / parameters.time_budget_ms as f64;
    UnitInterval::clamped(
        parameters.replan_weight * replans.min(1.0) + parameters.time_weight * time.min(1.0),
    )
}
