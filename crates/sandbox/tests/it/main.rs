//! Runs real commands under the kernel's real rules.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failing test panics and a skipped one says so"
)]

mod confined;
mod escapes;
mod everyday_programs;
mod killed;
mod network;
mod output;
mod sealed;
mod setup;
mod started;
