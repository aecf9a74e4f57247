//! R2, the planner: turns a task into subtasks with criteria, and plans again under the controller's
//! directive.
//!
//! The model writes a draft; code decides which parts of it are valid. [`compile()`] turns criteria into
//! checks and numbers the groups; [`validate()`] rejects plans that cannot be evaluated, and repetitions of
//! the plan that failed.
//!
//! To replace the planner, implement [`Planner`], pass it to the runtime's builder, and run the
//! [`conformance`] suite against it. [`validate()`] applies to your implementation as well.
//!
//! ```
//! use artoo_planner::{Violation, conformance, validate};
//! use artoo_types::Plan;
//!
//! let cx = conformance::context("How many files are in docs?");
//! let plan = Plan::new(cx.spec.task_id.clone(), 1, Vec::new());
//! assert_eq!(validate(&plan, &cx), [Violation::Empty]);
//! ```
//!
//! *Architecture invariant*: this crate knows no other role. It computes no loss, runs no tool and judges no
//! output; it reads no environment, no clock and no file.

mod actor;
mod behaviour;
mod compile;
#[cfg(feature = "test-util")]
pub mod conformance;
mod direct;
mod directed;
mod draft;
mod error;
mod guessed_pattern;
mod guided;
mod masked_names;
mod memory_query;
mod model_planner;
mod prompt;
mod question;
mod recalled;
mod replan;
mod schema;
mod suggestion;
mod validate;

pub use actor::{Settings, run};
pub use behaviour::{
    FailureContext, FolderListing, Inventory, ListFolder, Listed, PlanContext, Planner, Previous, Shortcuts,
    ToolBrief,
};
pub use compile::{Author, compile};
pub use direct::ANSWER_PROMPT;
pub use draft::{CriterionDraft, PlanDraft, SubTaskDraft};
pub use error::PlanError;
pub use guided::GUIDED_PROMPT;
pub use memory_query::Asking;
pub use model_planner::{ModelPlanner, REPORT_PROMPT, SYSTEM_PROMPT};
pub use question::short_prompt;
pub use recalled::Recalled;
pub use validate::{Violation, validate};
