//! The specification's table of 24 cells.

use artoo_types::{ActionState, Loss, TerminalState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Parameters, State, Trend};

/// How near the result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Nearness {
    /// D ≤ δ.
    Near,
    /// D > δ.
    Far,
}

/// What the failures say about the approach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Process {
    /// P ≤ ρ: nothing shows that it is wrong.
    Sound,
    /// P > ρ.
    Wrong,
}

/// Whether the run may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Budget {
    /// Ω < θ.
    Within,
    /// Ω ≥ θ.
    Spent,
}

/// One cell of the table. Source: specification v0.8, "Full 24-Cell Enumeration".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The gradient.
    pub trend: Trend,
    /// D.
    pub nearness: Nearness,
    /// P.
    pub process: Process,
    /// Ω.
    pub budget: Budget,
}

impl Cell {
    /// The cell of a loss and the deciding gradient. Comparisons are exactly those of the table.
    pub fn of(loss: &Loss, gradient: f64, parameters: &Parameters) -> Self {
        Self {
            trend: Trend::of(gradient, parameters.epsilon),
            nearness: if loss.d.get() <= parameters.delta { Nearness::Near } else { Nearness::Far },
            process: if loss.p.get() > parameters.rho { Process::Wrong } else { Process::Sound },
            budget: if loss.omega.get() >= parameters.theta { Budget::Spent } else { Budget::Within },
        }
    }

    /// All 24, in the specification's order: the first is its cell #1.
    ///
    /// ```
    /// use artoo_ggs_core::Cell;
    /// assert!(Cell::all().zip(1..).all(|(cell, number)| cell.number() == number));
    /// assert_eq!(Cell::all().count(), 24);
    /// ```
    pub fn all() -> impl Iterator<Item = Self> {
        Trend::ALL.into_iter().flat_map(|trend| {
            [Nearness::Near, Nearness::Far].into_iter().flat_map(move |nearness| {
                [Budget::Within, Budget::Spent].into_iter().flat_map(move |budget| {
                    [Process::Sound, Process::Wrong].into_iter().map(move |process| Self {
                        trend,
                        nearness,
                        process,
                        budget,
                    })
                })
            })
        })
    }

    /// Its number in the specification, 1 to 24.
    pub fn number(self) -> u8 {
        let trend = match self.trend {
            Trend::Improving => 0,
            Trend::Plateau => 8,
            Trend::Worsening => 16,
        };
        let nearness = match self.nearness {
            Nearness::Near => 0,
            Nearness::Far => 4,
        };
        let budget = match self.budget {
            Budget::Within => 0,
            Budget::Spent => 2,
        };
        let process = match self.process {
            Process::Sound => 1,
            Process::Wrong => 2,
        };
        trend + nearness + budget + process
    }

    /// The state that the table gives.
    pub fn state(self) -> State {
        match (self.budget, self.nearness) {
            (Budget::Spent, _) => State::Terminal(TerminalState::Abandon),
            (Budget::Within, Nearness::Near) => State::Terminal(TerminalState::Success),
            (Budget::Within, Nearness::Far) => State::Action(self.action()),
        }
    }

    /// The action that its grid gives, whatever D and Ω are: for the rounds that D would end, if there were
    /// something to deliver.
    pub fn action(self) -> ActionState {
        match (self.trend, self.process) {
            (Trend::Plateau, Process::Sound) => ActionState::ChangePath,
            (Trend::Plateau, Process::Wrong) => ActionState::BreakSymmetry,
            (Trend::Improving | Trend::Worsening, Process::Sound) => ActionState::Refine,
            (Trend::Improving | Trend::Worsening, Process::Wrong) => ActionState::ChangeApproach,
        }
    }
}
