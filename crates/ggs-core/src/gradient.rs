//! The two gradients and their trends.

use artoo_types::DecidingGradient;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Parameters, Reading};

/// Both differences to the previous round; 0 in the first round, which has none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gradients {
    /// L minus the previous L.
    pub loss: f64,
    /// α·D + β·P minus its previous value.
    pub goal: f64,
}

impl Gradients {
    /// The differences between two rounds.
    pub fn between(before: Option<&Reading>, now: &Reading) -> Self {
        before.map_or_else(Self::default, |before| Self {
            loss: now.loss.l - before.loss.l,
            goal: now.goal - before.goal,
        })
    }

    /// The deciding one.
    pub fn deciding(&self, parameters: &Parameters) -> f64 {
        match parameters.deciding_gradient {
            DecidingGradient::Goal => self.goal,
            DecidingGradient::Loss => self.loss,
        }
    }
}

/// What a gradient says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    /// −ε or less: the loss falls.
    Improving,
    /// Nearer to 0 than ε: no signal.
    Plateau,
    /// ε or more: the loss rises.
    Worsening,
}

impl Trend {
    /// Every trend, in the order of the specification's table.
    pub const ALL: [Self; 3] = [Self::Improving, Self::Plateau, Self::Worsening];

    /// The trend of a gradient. The table leaves ±ε itself open; its action grid counts it as a signal, and
    /// so does this.
    /// ```
    /// use artoo_ggs_core::Trend;
    /// assert_eq!(Trend::of(0.1, 0.1), Trend::Worsening);
    /// assert_eq!(Trend::of(-0.1, 0.1), Trend::Improving);
    /// assert_eq!(Trend::of(0.0999, 0.1), Trend::Plateau);
    /// ```
    pub fn of(gradient: f64, epsilon: f64) -> Self {
        if gradient >= epsilon {
            Self::Worsening
        } else if gradient <= -epsilon {
            Self::Improving
        } else {
            Self::Plateau
        }
    }
}
