//! What artoo makes of requests that nobody tuned it to. [`eval`] grades runs of requests that are drawn from families, [`professional`] work
//! of many steps that was played by hand, [`learn`] what memory is worth, and [`soak`] runs against a server that is hostile by seed.
//!
//! *Architecture invariant*: artoo is a program here, started as a person starts it. Graders are functions from values to values, and no model
//! decides anything.

pub mod by_hand;
pub mod cli;
pub mod eval;
pub mod learn;
pub mod professional;
mod rng;
pub mod soak;

use xtask::{Error, Result, command, files, machine, terminal, verify};
