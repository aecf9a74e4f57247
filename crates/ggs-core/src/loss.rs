//! L, the loss of a round, and its time-independent part.

use artoo_types::{Loss, UnitInterval};
use serde::{Deserialize, Serialize};

use crate::{Observation, Parameters, distance, implausibility, omega};

/// L = α·D + β·(1 − Ω)·P + λ·Ω: the weight of the process falls as the budget does.
///
/// Source: specification v0.8, "The Loss Function".
pub fn loss(d: UnitInterval, p: UnitInterval, omega: UnitInterval, parameters: &Parameters) -> Loss {
    let process = parameters.beta * (1.0 - omega.get()) * p.get();
    let l = parameters.alpha * d.get() + process + parameters.lambda * omega.get();
    Loss { d, p, omega, l }
}

/// The measurements of one round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The loss and its parts.
    pub loss: Loss,
    /// α·D + β·P: the distance to the goal, without the budget. Source: `docs/deviations.md`, "Gradient".
    pub goal: f64,
}

impl Reading {
    /// Measures a round.
    pub fn of(observation: &Observation, replans_used: u32, parameters: &Parameters) -> Self {
        let d = distance(observation, parameters.weighing);
        let p = implausibility(observation);
        let omega = omega(replans_used, observation.elapsed_ms, parameters);
        Self {
            loss: loss(d, p, omega, parameters),
            goal: parameters.alpha * d.get() + parameters.beta * p.get(),
        }
    }
}
