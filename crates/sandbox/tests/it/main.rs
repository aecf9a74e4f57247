//! Runs real commands under the kernel's real rules.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failing test panics and a skipped one says so"
)]

mod bench;
mod confined;
mod escapes;
mod killed;
mod network;
mod ordinary;
mod output;
mod sealed;
mod started;
