//! Integration tests of the auditor.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod account;
mod anomalies;
mod canary;
mod fixtures;
mod follow;
mod hostile;
mod laws;
mod log;
mod reports;
mod restart;
mod role;
mod scene;
mod verify;
mod writer;
