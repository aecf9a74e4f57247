//! Whole runs: every role, over the bus, with a scripted model and real tools.
#![cfg(test)]

mod accept;
mod cancel;
mod doubles;
mod endings;
mod faults;
mod house;
