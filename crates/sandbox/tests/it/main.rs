//! Runs real commands under the kernel's real rules.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failing test panics and a skipped one says so"
)]

mod confined;
mod descriptors;
mod escapes;
mod everyday_programs;
mod killed;
mod late_secrets;
mod limits;
mod network;
mod other_processes;
mod output;
mod piped;
mod private_network;
mod read_only;
mod sealed;
mod setup;
mod shared_memory;
mod started;
mod unix_sockets;
