//! R3, the executor: runs one subtask by calling tools, and reports what it did.
//!
//! The model chooses the calls; code executes them, records each one with its result, and refuses calls that
//! a directive blocks, and duplicates of earlier calls.
//!
//! To replace it, implement [`Executor`], pass it to the runtime's builder, and run the [`conformance`] suite
//! against it; the call rules apply to your implementation as well.
//!
//! ```
//! use artoo_executor::Action;
//! let turn = serde_json::json!({"answer": "3"});
//! assert_eq!(Action::read(&turn), Some(Action::Answer("3".to_owned())));
//! // Before anything was shown, there is nothing to answer from.
//! assert!(Action::schema(&[], false, true).violation(&turn)?.is_some());
//! # Ok::<(), artoo_llm_client::LlmError>(())
//! ```
//!
//! *Architecture invariant*: this crate knows no other role. It judges no output, retries nothing by itself
//! and writes nothing to memory; it reads no environment and no clock.

mod action;
mod actor;
mod approval_broker;
mod approvals;
mod attempt_end;
mod behaviour;
#[cfg(feature = "test-util")]
pub mod conformance;
mod endings;
mod environment;
mod error;
mod guard_lookup;
mod guided;
mod ledger;
mod memory_hold;
mod model_executor;
mod prompt;
mod provenance;
mod run_tools;
mod schema_cache;
mod taint_word;
mod told;
mod tool_gateway;
mod tool_loop;

pub use action::Action;
pub use actor::{Settings, run};
pub use approvals::{Approvals, Standing, Terms};
pub use behaviour::{Attempt, AttemptContext, CallTool, Executor, ToolSpec};
pub use endings::User;
pub use environment::Environment;
pub use error::ExecuteError;
pub use guided::GUIDED_PROMPT;
pub use ledger::{Blocked, CallStopped, Ledger, Ruling};
pub use model_executor::ModelExecutor;
pub use provenance::Provenance;
pub use run_tools::{CallTerms, RunTools};
pub use tool_loop::{Conversation, SYSTEM_PROMPT};
