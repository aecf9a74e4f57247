//! What commands say that they do. Nothing of them is run.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod commands;
mod mutations;
mod simulated_files;
mod spellings;
