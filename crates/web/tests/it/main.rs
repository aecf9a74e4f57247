//! Calls the tools that read the web as the executor does: through a toolbox, against servers of this machine.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod fetch;
mod fixture;
mod search;
mod server;
