//! Tests of what is redacted, what is not, and the properties that hold for every text.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod corpus;
mod forms;
mod json;
mod laws;
mod private_keys;
