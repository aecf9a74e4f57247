//! What is a secret, what is none, and the laws that hold for every text.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod corpus;
mod forms;
mod json;
mod laws;
mod private_keys;
