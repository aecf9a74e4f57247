//! Tests of the pseudo-terminal with real programs.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod programs;
