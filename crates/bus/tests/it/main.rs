//! Integration tests of the bus.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod contract;
mod fixtures;
mod observers;
mod order;
mod ports;
mod run_clock;
mod runs;
