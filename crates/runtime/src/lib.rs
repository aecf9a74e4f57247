//! Composition root: [`Artoo::builder`] combines roles, models, tools and memory; each run gets its own roles
//! on the bus, a supervisor that guarantees exactly one final result, and a journal.
//! ```no_run
//! # async fn example(model: std::sync::Arc<dyn artoo_llm_client::LlmClient>, request: artoo_runtime::RunRequest)
//! # -> Result<(), Box<dyn std::error::Error>> {
//! use artoo_runtime::Artoo;
//! let artoo = Artoo::builder().model(model).data_folder("/home/ada/.artoo".into()).build()?;
//! let result = artoo.start(request)?.finished().await;
//! println!("{}", result.summary);
//! artoo.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! *Architecture invariant*: this crate contains no policy. It wires, schedules and watches; the roles decide
//! what a plan, a verdict or a directive is. It reads no environment.

mod acceptance;
mod artoo;
mod assembly;
mod audit;
mod background_jobs;
mod builder;
mod call_rehearsal;
mod command;
mod command_checks;
mod continued_judge;
pub mod control;
mod deadlines;
mod dispatch;
mod dreaming;
mod error;
pub mod events;
mod executor_settings;
mod exit_code;
pub mod explain;
mod folder_hint;
mod folder_listing;
mod foreign_solver;
mod guided_limits;
pub mod journal;
mod notes;
mod offer;
mod options;
pub mod owner_only;
mod plan_gate;
mod question;
mod rejection;
mod request;
mod restart;
pub mod resume;
mod retention;
mod role_deadlines;
mod role_tasks;
pub mod roles;
mod run;
mod run_tools;
pub mod runs;
pub mod sessions;
mod spending;
mod successor;
mod supervisor;
mod until_stopped;
mod user_question;
mod waiting;
mod workplace;

pub use acceptance::Acceptance;
pub use artoo::Artoo;
pub use artoo_meta_validator::{OutputSchema, OutputSchemaError};
pub use builder::{Builder, MakeSolver};
pub use deadlines::Deadlines;
pub use dispatch::Dispatch;
pub use dreaming::Dreams;
pub use error::{BuildError, StartError};
pub use exit_code::{exit_code, exit_code_with};
pub use notes::{NoteRefused, Noter};
pub use offer::Offer;
pub use question::{Question, Questions};
pub use rejection::{reason, rejected};
pub use request::RunRequest;
pub use role_deadlines::{Overdue, Watch};
pub use run::{Answerer, Canceller, Interruption, Run};
pub use user_question::{Answer, UserQuestion};
