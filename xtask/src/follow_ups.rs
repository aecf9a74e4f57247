//! `cargo xtask follow-ups`: measures how the embedded model understands follow-up requests. Prints totals
//! and each failed case.

use crate::{
    Result, cli,
    command::{Program, cargo},
    terminal::step,
    verify::{self, Build},
};

/// Finds the model as artoo does, and runs the suite.
///
/// # Errors
/// A build fails, or the model is unavailable. A misunderstood case is a line, not an error.
pub(crate) fn run(options: &cli::FollowUps) -> Result<()> {
    let artoo = match &options.binary {
        Some(binary) => binary.clone(),
        None => step("build artoo", || verify::artoo(Build::Release))?,
    };
    step("obtain the embedded model", || Program::new(&artoo, ["model", "pull"]).run())?;
    let file = Program::new(&artoo, ["model", "path"]).text()?;
    let suite = cargo(["run", "--release", "--quiet", "--package=xtask", "--example=follow-ups", "--"]);
    step("ask", || suite.args([file.trim()]).run())
}
