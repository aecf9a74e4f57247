//! Tests of the tasks on the real workspace.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

mod schemas;
mod tidy;
