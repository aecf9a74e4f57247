//! Runs servers of others, under the kernel's real rules.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod at_an_address;
mod bad_servers;
mod configuration;
mod conformance;
mod consents;
mod killed;
mod pinned;
mod questions;
mod setup;
mod talking;
