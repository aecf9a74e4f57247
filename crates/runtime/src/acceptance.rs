//! `Acceptance`: which checks are required before a run is accepted.

/// The checks that can be disabled to measure the benefit of each. Keep all of them enabled to rely on
/// results.
///
/// Design: `docs/design/acceptance.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// Whether calls are repeated without their subject.
    pub dependence: bool,
    /// Whether a guided model's commands are sampled.
    pub sampling: bool,
    /// Whether a judge sees the whole before it is accepted.
    pub last_judge: bool,
    /// Whether that judge goes on with the executor's conversation, where both have the same model. Otherwise it begins
    /// anew, and is shown the work again.
    pub continued_judge: bool,
}

impl Default for Acceptance {
    /// All checks.
    fn default() -> Self {
        Self { dependence: true, sampling: true, last_judge: true, continued_judge: true }
    }
}
