//! R3, the executor: runs one subtask by calling tools, and reports what it did.
//!
//! The model chooses the calls; code carries them out, records every one with its result, and refuses what a directive
//! blocks, what was called before in the same way, and what a second derivation may not repeat.
//!
//! To replace it, implement [`Executor`], hand it to the runtime's builder, and let [`conformance`] put it to the contract; the
//! rules at the call apply to yours as well.
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
//! *Architecture invariant*: this crate knows no other role. It judges no output, retries nothing by itself and writes
//! nothing to memory; it reads no environment and no clock.

mod action;
mod actor;
mod approval_broker;
mod approvals;
mod behaviour;
#[cfg(feature = "test-util")]
pub mod conformance;
mod end;
mod error;
mod foreign_word;
mod guard;
mod guided;
mod ledger;
mod model_executor;
mod prompt;
mod provenance;
mod schemas;
mod tool_gateway;
mod tool_loop;

pub use action::Action;
pub use actor::{Settings, run};
pub use approvals::{Approvals, Standing, Terms};
pub use behaviour::{Attempt, AttemptContext, CallTool, Executor, ToolSpec};
pub use error::ExecuteError;
pub use guided::GUIDED_PROMPT;
pub use ledger::{Blocked, CallStopped, Ledger, Ruling};
pub use model_executor::ModelExecutor;
pub use provenance::Provenance;
pub use tool_loop::SYSTEM_PROMPT;
