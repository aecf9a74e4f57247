//! R1, the perceiver: turns the user's request into a task without changing its meaning.
//!
//! It adds no assumption, sets no criterion and picks no tool. Without earlier turns to resolve, code copies
//! the request word for word and no model is asked; if the request surely cannot be understood ("do it
//! again"), the person is asked.
//!
//! To replace it, implement [`Perceiver`], pass it to the runtime's builder, and run the [`conformance`]
//! suite against it.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! use std::sync::Arc;
//! use artoo_llm_client::{LlmClient, doubles::ScriptedModel};
//! use artoo_perceiver::{Dialogue, DefaultPerceiver, Perceived, Perceiver, conformance};
//!
//! let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new()); // it knows no answer, and needs none
//! let request = conformance::request("How many files changed yesterday?");
//! let perceived = DefaultPerceiver.perceive(&request, &Dialogue::new(true), &model).await?;
//! assert!(matches!(perceived, Perceived::Task(task) if task.intent == "How many files changed yesterday?"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! *Architecture invariant*: this crate knows no other role. It reads no environment, no clock and no file;
//! the request contains everything it needs about place and time.

mod actor;
mod behaviour;
#[cfg(feature = "test-util")]
pub mod conformance;
mod dangling_request;
mod default_perceiver;
mod dialogue;
mod error;
mod guided;

pub use actor::run;
pub use behaviour::Perceiver;
pub use default_perceiver::{ASKING_PROMPT, DefaultPerceiver, MAX_REQUEST_BYTES, SYSTEM_PROMPT};
pub use dialogue::{Dialogue, Exchange, MAX_QUESTIONS, MAX_ROUNDS, Perceived};
pub use error::PerceiveError;
pub use guided::GUIDED_PROMPT;
