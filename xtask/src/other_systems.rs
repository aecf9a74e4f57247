//! Other systems than this one: the compiler looks at the code for each whose standard library is installed.

use std::{collections::BTreeSet, path::Path};

use crate::{
    Result,
    command::{Program, cargo},
    terminal::say,
};

/// Systems that artoo is to work on. Windows is none: the sandbox, the undo store and the terminal are written for Unix.
const SYSTEMS: [&str; 3] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "aarch64-apple-darwin"];

/// Checks what can be checked, and says what cannot.
///
/// # Errors
/// The code does not compile for a system.
pub fn check() -> Result<()> {
    let with_c = with_c()?;
    for system in SYSTEMS {
        let library = Program::new("rustc", ["--print=target-libdir", "--target", system]).text()?;
        if Path::new(library.trim()).is_dir() {
            of(system, &with_c).run()?;
            say(format!("{system}: checked, without {}", with_c.join(", ")));
        } else {
            say(format!(
                "{system}: NOT checked, its standard library is not installed (rustup target add {system})"
            ));
        }
    }
    Ok(())
}

/// Crates of the workspace that build C code (the cryptography of TLS) or depend on one that does: a check of them needs a C compiler
/// for the system.
fn with_c() -> Result<Vec<String>> {
    let tree = cargo([
        "tree",
        "--workspace",
        "--invert=cc",
        "--edges=normal,build",
        "--prefix=none",
        "--format={p}",
    ]);
    let tree = tree.text()?;
    let ours =
        tree.lines().filter_map(|line| line.split(' ').next()).filter(|name| name.starts_with("artoo"));
    Ok(ours.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect())
}

fn of(system: &str, with_c: &[String]) -> Program {
    let check = cargo(["check", "--workspace", "--lib", "--quiet", "--target", system]);
    check.args(with_c.iter().map(|name| format!("--exclude={name}")))
}
