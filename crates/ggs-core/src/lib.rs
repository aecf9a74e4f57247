//! The controller of the slow loop as a pure state machine: a round's verdicts go in, the next action comes
//! out. It contains the loss, both gradients, the table of 24 cells, the order of decisions, Law 2 and the
//! blocked sets.
//!
//! *Architecture invariant*: values in, values out. This crate knows no role, no message, no prompt and no
//! model; it is not async and never sees a file, a clock, a random number or the network. Elapsed time and
//! the usable tools are part of the [`Observation`]. [`GoalGradientSolver`] can be stored after any step and
//! restored without a difference.
//! ```
//! use artoo_ggs_core::{GoalGradientSolver, Observation, Profile, Report, Rule};
//! use artoo_types::{MacroState, PrevDirective};
//!
//! let mut solver = GoalGradientSolver::new(Profile::Default.parameters());
//! let decision = solver.step(&Observation {
//!     report: Report::AllMet,
//!     elapsed_ms: 4_000,
//!     criteria: Vec::new(),
//!     failures: Vec::new(),
//!     deliverable: true,
//!     missing_file: None,
//!     gave_up: None,
//!     inventory: Default::default(),
//!     programs: Default::default(),
//! });
//! assert_eq!(MacroState::from(decision.state), MacroState::Accept);
//! assert_eq!(decision.rule, Rule::EveryCriterionMet);
//! assert_eq!(decision.prev_directive, PrevDirective::Init);
//! ```
//!
//! Source: specification v0.8, R7; the project's departures are in `docs/deviations.md`, "Control", and their
//! reasons in `docs/design/controller.md`.

mod blocked;
mod decision;
mod distance;
mod gradient;
mod loss;
mod observation;
mod omega;
mod parameters;
mod plausibility;
mod rationale;
mod solver;
mod table;

pub use artoo_types::{DecidingGradient, Hyperparameters, Weighing};
pub use blocked::{Blocked, Tried};
pub use decision::{Decision, Rule, State};
pub use distance::{distance, heaviest_failure, unmet};
pub use gradient::{Gradients, Trend};
pub use loss::{Reading, loss};
pub use observation::{Bearing, FailedCall, FailedSubTask, JudgedCriterion, Observation, Report, Standing};
pub use omega::omega;
pub use parameters::{ParameterError, Parameters, Profile, UnknownProfile};
pub use plausibility::{dominant_class, implausibility, only_denied};
pub use solver::{GoalGradientSolver, SolverState};
pub use table::{Budget, Cell, Nearness, Process};
