//! `cargo xtask`: see [`xtask`].

use std::process::ExitCode;

use xtask::{cli, terminal};

fn main() -> ExitCode {
    match cli::run(cli::Arguments::read(std::env::args_os())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::failure(&error);
            ExitCode::FAILURE
        }
    }
}
