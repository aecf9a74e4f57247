//! The quantization matrix: what an experience weighs.

use artoo_types::MegramState;

/// The weights of a Megram at birth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Magnitude, 0 to 1.
    pub f: f64,
    /// Valence, −1 to 1.
    pub sigma: f64,
    /// Decay rate per day.
    pub k: f64,
}

/// The row of a state. Source: specification v0.8, "GGS Quantization Matrix".
///
/// ```
/// use artoo_ggs::weights;
/// use artoo_types::MegramState;
/// assert_eq!(weights(MegramState::Abandon).sigma, -1.0);
/// ```
pub const fn weights(state: MegramState) -> Weights {
    let (f, sigma, k) = match state {
        MegramState::Abandon => (0.95, -1.0, 0.05),
        MegramState::Accept => (0.90, 1.0, 0.05),
        MegramState::ChangeApproach => (0.85, -1.0, 0.05),
        MegramState::Success => (0.80, 1.0, 0.05),
        MegramState::BreakSymmetry => (0.75, 1.0, 0.05),
        MegramState::ChangePath => (0.30, 0.0, 0.2),
        MegramState::Refine => (0.10, 0.5, 0.5),
    };
    Weights { f, sigma, k }
}
