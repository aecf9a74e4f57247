//! `cargo xtask`: see [`xtask`].

use std::process::ExitCode;

use clap::Parser;
use xtask::{cli, terminal};

fn main() -> ExitCode {
    match cli::run(cli::Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::failure(&error);
            ExitCode::FAILURE
        }
    }
}
