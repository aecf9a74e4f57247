//! R2, the planner: turns a task into subtasks with criteria, and plans again under the controller's directive.
//!
//! The model drafts; code decides what of the draft may stand. [`compile`] turns criteria into checks, numbers the
//! groups and adds second derivations; [`validate`] refuses what cannot be evaluated or what a directive blocks.
//!
//! To replace the planner, implement [`Planner`] and hand it to the runtime's builder. [`validate`] applies to yours as well.
//!
//! *Architecture invariant*: this crate knows no other role. It computes no loss, runs no tool and judges no output; it reads no
//! environment, no clock and no file.

mod actor;
mod behaviour;
mod compile;
mod draft;
mod error;
mod model_planner;
mod prompt;
mod replan;
mod report;
mod validate;

pub use actor::{Settings, run};
pub use behaviour::{FailureContext, Inventory, PlanContext, Planner, Previous, ToolBrief};
pub use compile::{CompileOptions, compile};
pub use draft::{AnswerKind, CriterionDraft, PlanDraft, SubTaskDraft};
pub use error::PlanError;
pub use model_planner::{ModelPlanner, REPORT_PROMPT, SYSTEM_PROMPT};
pub use report::report_template;
pub use validate::{Violation, validate};
