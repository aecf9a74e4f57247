//! R4b, the meta-validator: the fan-in gate of the medium loop.
//!
//! It collects the outcomes of a plan. If any did not match, it asks for a replan at once, without a model. If all matched,
//! code merges their outputs and decides the task criteria that have a check; only the rest go to a model.
//!
//! To replace the judge, implement [`TaskJudge`], hand it to the runtime's builder, and let [`conformance`] put it to the contract.
//!
//! ```
//! use artoo_meta_validator::merge;
//! assert_eq!(merge(&[], &[]), serde_json::Value::Null);
//! ```
//!
//! *Architecture invariant*: this crate knows no other role. It computes no loss, never speaks to the planner, retries no
//! subtask and writes nothing to memory.

mod actor;
mod behaviour;
pub mod conformance;
mod contradiction;
mod fan_in;
mod merge;
mod model_judge;
mod prompt;

pub use actor::{Settings, run};
pub use artoo_judging::JudgeError;
pub use behaviour::{TaskContext, TaskJudge};
pub use fan_in::{FanIn, Gathered};
pub use merge::merge;
pub use model_judge::{ModelTaskJudge, SYSTEM_PROMPT};
