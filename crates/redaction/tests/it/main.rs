//! Tests of what is redacted, what is not, and the properties that hold for every text.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod corpus;
mod examples;
mod json;
mod learned_keys;
mod private_keys;
mod properties;
