//! The tasks of the workspace, behind `cargo xtask`: [`verify`] runs everything that must pass, [`tidy`] proves what no
//! compiler checks, [`quickstart`] takes a fresh machine to its first answer, [`eval`] grades real runs, [`mod@bench`]
//! measures what artoo costs without the model.
//!
//! *Architecture invariant*: nothing of artoo depends on this crate, and without its dev-dependencies it depends on nothing of
//! artoo. The rules of [`tidy`] and the graders of [`eval`] are functions from values to values; only [`command`] starts processes and
//! only [`terminal`] prints.

pub mod bench;
pub mod by_hand;
pub mod cli;
pub mod command;
mod draw;
pub mod error;
pub mod eval;
pub mod files;
mod follow_ups;
pub mod learn;
pub mod machine;
pub mod other_systems;
pub mod professional;
pub mod quickstart;
pub mod readmes;
pub mod release;
pub mod schema;
pub mod screencast;
pub mod terminal;
pub mod tidy;
pub mod verify;

pub use error::{Error, Result};
