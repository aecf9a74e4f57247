//! R4b, the meta-validator: the fan-in gate of the medium loop.
//!
//! It collects the outcomes of a plan. If any did not match, it requests a replan at once, without a model.
//! If all matched, code merges their outputs and decides the task criteria that have a check. The remaining
//! criteria go to a judge, together with the question whether the request is met as it was said, so nothing
//! is accepted unseen. An accepted result is composed into one text, or into a value of the person's schema,
//! and code checks that for unsupported claims.
//!
//! To replace the judge, implement [`TaskJudge`], pass it to the runtime's builder, and run the
//! [`conformance`] suite against it.
//!
//! ```
//! use artoo_meta_validator::merge;
//! assert_eq!(merge(&[]), serde_json::Value::Null);
//! ```
//!
//! *Architecture invariant*: this crate knows no other role. It computes no loss, never speaks to the
//! planner, retries no subtask and writes nothing to memory.

mod actor;
mod after_the_work;
mod answer_contradictions;
mod answer_parts;
mod behaviour;
mod compose;
mod confidence;
#[cfg(feature = "test-util")]
pub mod conformance;
mod contradictions;
mod doubts;
mod empty_archive;
mod fan_in;
mod file_endings;
mod left_alone;
mod merge;
mod model_judge;
mod not_made;
mod output_schema;
mod prompt;
mod refusal;
mod structured_output;

pub use actor::{Settings, run};
pub use artoo_judging::{Excerpts, Grounds, JudgeError, NoRerun, Rerun, WHOLE};
pub use behaviour::{TaskContext, TaskJudge};
pub use compose::ANSWER_PROMPT;
pub use fan_in::{FanIn, Gathered};
pub use merge::merge;
pub use model_judge::{CONTINUED_PROMPT, CRITERIA_PROMPT, GUIDED_PROMPT, ModelTaskJudge, SYSTEM_PROMPT};
pub use output_schema::{MAX_SCHEMA_BYTES, OutputSchema, OutputSchemaError};
pub use structured_output::STRUCTURED_PROMPT;
