//! Other systems than this one: the compiler looks at the code for each whose standard library is installed.

use std::path::Path;

use crate::{
    Result,
    command::{Program, cargo},
    terminal::say,
};

/// Systems that artoo is to work on. Windows is none: the sandbox, the undo store and the terminal are written for Unix.
const SYSTEMS: [&str; 3] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "aarch64-apple-darwin"];

/// Crates that build C code (the cryptography of TLS) or depend on one that does: a check of them needs a C compiler for the system.
const WITH_C: [&str; 6] =
    ["artoo-cli", "artoo-llm-http", "artoo-llm-local", "artoo-runtime", "artoo-tools", "xtask"];

/// Checks what can be checked, and says what cannot.
///
/// # Errors
/// The code does not compile for a system.
pub fn check() -> Result<()> {
    for system in SYSTEMS {
        let library = Program::new("rustc", ["--print=target-libdir", "--target", system]).text()?;
        if Path::new(library.trim()).is_dir() {
            of(system).run()?;
            say(format!("{system}: checked, without {}", WITH_C.join(", ")));
        } else {
            say(format!(
                "{system}: NOT checked, its standard library is not installed (rustup target add {system})"
            ));
        }
    }
    Ok(())
}

fn of(system: &str) -> Program {
    let check = cargo(["check", "--workspace", "--lib", "--quiet", "--target", system]);
    check.args(WITH_C.map(|name| format!("--exclude={name}")))
}
