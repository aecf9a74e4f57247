//! Development tasks of the workspace, behind `cargo xtask`: [`verify`] runs everything that must pass,
//! [`tidy`] checks what no compiler checks, [`quickstart`] takes a fresh machine to its first answer,
//! [`mod@bench`] measures artoo's cost without the model,
//! [`mod@package`] builds what users install. Real runs are graded by `artoo-evaluation`, which
//! [`cli`] passes `eval` and `learn` on to.
//!
//! *Architecture invariant*: nothing of artoo depends on this crate, and without its dev-dependencies it
//! depends on nothing of artoo. The rules of [`tidy`] are functions from values to values; only
//! [`command`] starts processes and only [`terminal`] prints.

pub mod bench;
pub mod cli;
pub mod command;
pub mod error;
pub mod files;
mod follow_ups;
pub mod machine;
mod metadata;
pub mod other_systems;
pub mod package;
pub mod quickstart;
pub mod readmes;
pub mod release;
pub mod schema;
pub mod screencast;
pub mod terminal;
pub mod test_tools;
pub mod tidy;
pub mod verify;

pub use error::{Error, Result};
