//! R1, the perceiver: carries the user's request into the system with full fidelity.
//!
//! A receiver, not a resolver: it adds no assumption, sets no criterion and picks no tool. Where there is no earlier turn
//! to resolve, the request is copied by code, word for word, and no model is asked; where it surely cannot be understood ("do it again"),
//! the person is asked.
//!
//! To replace it, implement [`Perceiver`], hand it to the runtime's builder, and let [`conformance`] put it to the contract.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! use std::sync::Arc;
//! use artoo_llm_client::{LlmClient, doubles::ScriptedModel};
//! use artoo_perceiver::{Dialogue, FaithfulPerceiver, Perceived, Perceiver, conformance};
//!
//! let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new()); // it knows no answer, and needs none
//! let request = conformance::request("How many files changed yesterday?");
//! let perceived = FaithfulPerceiver.perceive(&request, &Dialogue::new(true), &model).await?;
//! assert!(matches!(perceived, Perceived::Task(task) if task.intent == "How many files changed yesterday?"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! *Architecture invariant*: this crate knows no other role. It reads no environment, no clock and no file; what it needs of
//! place and time is in the request.

mod actor;
mod behaviour;
#[cfg(feature = "test-util")]
pub mod conformance;
mod dialogue;
mod error;
mod faithful;
mod guided;
mod open_request;

pub use actor::run;
pub use behaviour::Perceiver;
pub use dialogue::{Dialogue, Exchange, MAX_QUESTIONS, MAX_ROUNDS, Perceived};
pub use error::PerceiveError;
pub use faithful::{ASKING_PROMPT, FaithfulPerceiver, MAX_REQUEST_BYTES, SYSTEM_PROMPT};
pub use guided::GUIDED_PROMPT;
