//! `cargo xtask eval` and its like: see [`artoo_evaluation`].

use std::process::ExitCode;

use artoo_evaluation::cli;
use clap::Parser;
use xtask::terminal;

fn main() -> ExitCode {
    match cli::run(cli::Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::failure(&error);
            ExitCode::FAILURE
        }
    }
}
