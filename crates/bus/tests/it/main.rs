//! Integration tests of the bus.

mod contract;
mod fixtures;
mod observers;
mod order;
mod ports;
mod run_clock;
mod runs;
