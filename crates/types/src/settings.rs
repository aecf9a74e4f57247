//! What the controller of a run goes by: on record, so that each of its decisions can be computed again.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{BlockedProgram, ToolName};

/// What R7 of this run goes by, besides what the run reports to it. The supervisor to the observers, at the start of each run.
///
/// With it and the reports of R4b a journal holds every input of every directive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ControlSettings {
    /// The version of artoo, for example `0.1.0`: another one may decide otherwise.
    pub version: String,
    /// Whose solver decides.
    pub solver: SolverOrigin,
    /// The numbers, with the run's limits in them.
    pub hyperparameters: Hyperparameters,
    /// The tools that a plan can use. Blocking never takes the last of them.
    pub tools: BTreeSet<ToolName>,
    /// The programs by which its commands can find something out. Blocking never takes the last of them either.
    #[serde(default)]
    pub programs: BTreeSet<BlockedProgram>,
}

/// Whose solver decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SolverOrigin {
    /// artoo's Goal Gradient Solver.
    BuiltIn,
    /// One that the embedding program brought.
    Foreign,
}

/// Every number that the controller depends on. `artoo_ggs_core::Parameters` is the same after checking.
///
/// Source: specification v0.8, "Loss Hyperparameters"; the default is that table with the goal gradient
/// deciding.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Hyperparameters {
    /// α, the weight of the distance D; above 0, at most 1000.
    pub alpha: f64,
    /// β, the weight of the implausibility P; 0 to 1000.
    pub beta: f64,
    /// λ, the weight of the cost Ω; 0 to 1000.
    pub lambda: f64,
    /// w₁, the part of Ω that replans make; 0 to 1.
    pub replan_weight: f64,
    /// w₂, the part of Ω that time makes; 0 to 1.
    pub time_weight: f64,
    /// ε: a gradient this far from 0, or farther, is a signal; above 0, at most 1000.
    pub epsilon: f64,
    /// δ: a distance this small, or smaller, is close enough; 0 to 1. With 0 nothing but every criterion met
    /// will do.
    pub delta: f64,
    /// ρ: an implausibility above this means that the approach is wrong; 0 to 1.
    pub rho: f64,
    /// θ: a cost this high, or higher, ends the run; 0 to 1.
    pub theta: f64,
    /// Replans after the first plan; 3 replans are up to 4 plans.
    pub max_replans: u32,
    /// What the time part of Ω is measured against, in milliseconds; above 0.
    pub time_budget_ms: u64,
    /// Worsening rounds in a row that end the run (Law 2); above 0.
    pub law2_rounds: u32,
    /// Which gradient decides.
    pub deciding_gradient: DecidingGradient,
    /// What the criteria weigh in D.
    pub weighing: Weighing,
}

impl Default for Hyperparameters {
    fn default() -> Self {
        Self {
            alpha: 0.6,
            beta: 0.3,
            lambda: 0.4,
            replan_weight: 0.6,
            time_weight: 0.4,
            epsilon: 0.1,
            delta: 0.3,
            rho: 0.5,
            theta: 0.8,
            max_replans: 3,
            time_budget_ms: 300_000,
            law2_rounds: 2,
            deciding_gradient: DecidingGradient::Goal,
            weighing: Weighing::Wish,
        }
    }
}

/// Which of the two gradients the table and Law 2 go by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecidingGradient {
    /// The difference of α·D + β·P: time alone moves nothing.
    #[default]
    Goal,
    /// The specification's difference of L, which holds the clock.
    Loss,
}

/// What the criteria weigh in D, and what may be called a success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weighing {
    /// By the person's wish: a criterion of the whole weighs as much as all steps together, and what any run meets weighs nothing.
    #[default]
    Wish,
    /// The specification's: each criterion alike.
    Alike,
}
