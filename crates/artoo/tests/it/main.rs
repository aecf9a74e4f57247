//! The facade: its examples run, are as short as they claim, and its public items are few.
#![cfg(test)]
#![expect(clippy::duplicate_mod, reason = "each example is a program of its own, and they share modules")]

mod api;
mod examples;
mod runs;
