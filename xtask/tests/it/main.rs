//! The tasks over the real workspace.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

mod schemas;
mod tidy;
