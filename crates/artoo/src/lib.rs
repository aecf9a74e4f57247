//! artoo inside another program: [`Artoo::builder`] takes a model and a folder for records, [`Artoo::run`] a [`Request`]; the
//! [`Run`] is a stream of [`events`](Run::events) and a future of the one [`FinalResult`].
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! # #[cfg(feature = "http")] {
//! use artoo::http::{HttpConfig, OpenAiCompatible};
//! use artoo::{Artoo, Request};
//!
//! let model = OpenAiCompatible::new(HttpConfig::new("http://127.0.0.1:11434", "qwen3:8b"))?;
//! let artoo = Artoo::builder().model(model).data_folder("/var/lib/my-program/artoo").build()?;
//! let result = artoo.run(Request::new("How many .txt files are here?").folder("/srv/letters"))?.await;
//! println!("{}", result.summary);
//! artoo.close().await;
//! # }
//! # Ok(())
//! # }
//! ```
//!
//! Nothing that existed before a run is changed without consent: [`Builder::person`] says who is asked. Without one, the answer is no.
//!
//! # Features
//!
//! | feature | brings | default |
//! |---|---|---|
//! | `http` | [`http`]: OpenAI-compatible servers and Anthropic's | yes |
//! | `local-model` | `local`: a GGUF file on the CPU | no |
//! | `memory` | `memory`: a memory that outlives the process | no |
//! | `web` | `Builder::web`: runs may search the web and read pages | no |
//! | `test-util` | `llm::doubles`, models that follow a script; `conformance` in the modules of [`roles`] | no |
//!
//! A role is an `async-trait`, and everything runs on `tokio` with IO and time.
//!
//! # Beyond this door
//!
//! Types that a role needs are in the crates that are named here: [`types`], [`tools`], [`llm`], and [`roles`] for who replaces a
//! planner, an executor, a judge or the solver. What this door does not offer is one step behind it: [`Builder::runtime`] and
//! [`Request::runtime`] take everything that `artoo-runtime` does, [`Artoo::runtime`] and [`Run::runtime`] give it.
//!
//! *Architecture invariant*: this crate adds no behaviour. It fills in what a program of its own has (the clock, the home folder, the
//! variables of the process) and hands everything else to `artoo-runtime`.

mod answering;
mod artoo;
mod builder;
mod error;
mod request;
mod run;

pub use answering::{Answer, Person, Question};
pub use artoo::Artoo;
pub use artoo_llm_client as llm;
#[cfg(feature = "http")]
pub use artoo_llm_http as http;
#[cfg(feature = "local-model")]
pub use artoo_llm_local as local;
#[cfg(feature = "memory")]
pub use artoo_memory_store as memory;
pub use artoo_runtime as runtime;
pub use artoo_runtime::{events::Event, roles};
pub use artoo_tools as tools;
pub use artoo_types as types;
pub use artoo_types::{FinalResult, TerminalState};
pub use builder::Builder;
pub use error::Error;
pub use request::Request;
pub use run::Run;
