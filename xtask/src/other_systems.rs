//! Other systems than this one: the compiler looks at all Rust code for each whose standard library is there or can be had.

use std::path::Path;

use crate::{
    Result,
    command::{Program, cargo},
    terminal::say,
};

/// Systems that artoo is to work on. Windows is none: the sandbox, the undo store and the terminal are written for Unix.
const SYSTEMS: [&str; 3] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "aarch64-apple-darwin"];

/// Checks what can be checked, and says what cannot. This system is left out: everything else that is tested is tested on it.
///
/// # Errors
/// The code does not compile for a system.
pub fn check() -> Result<()> {
    let here = Program::new("rustc", ["--print=host-tuple"]).text()?;
    for system in SYSTEMS.into_iter().filter(|&system| system != here.trim()) {
        if has_library(system)? || (is_added(system) && has_library(system)?) {
            of(system).run()?;
            say(format!("{system}: checked, without the C code of the cryptography of TLS"));
        } else {
            say(format!(
                "{system}: NOT checked, its standard library cannot be had (rustup target add {system})"
            ));
        }
    }
    Ok(())
}

fn has_library(system: &str) -> Result<bool> {
    let library = Program::new("rustc", ["--print=target-libdir", "--target", system]).text()?;
    Ok(Path::new(library.trim()).is_dir())
}

/// Whether rustup installs it, in two minutes. Without rustup or the network it does not, which is no fault of the code.
fn is_added(system: &str) -> bool {
    let add = Program::new("timeout", ["120", "rustup", "target", "add", system]);
    add.output().is_ok_and(|output| output.status.success())
}

/// A check that links nothing, so that what C code comes to is never asked for: a compiler that does nothing is enough, where
/// one for the system would have to be installed.
fn of(system: &str) -> Program {
    let tools = ["CC", "AR"].map(|tool| format!("{tool}_{}", system.replace('-', "_")));
    let check = cargo(["check", "--workspace", "--lib", "--bins", "--quiet", "--target", system]);
    tools.into_iter().fold(check, |check, tool| check.env(tool, "true"))
}
