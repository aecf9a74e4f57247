//! Consent seen from outside.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod rules;
