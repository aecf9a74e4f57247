//! What a program shows, and what it is answered.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod programs;
