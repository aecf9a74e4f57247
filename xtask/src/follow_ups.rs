//! `cargo xtask follow-ups`: what the embedded model makes of what people say next. Sums are printed, and
//! each case that went wrong.

use crate::{
    Result, cli,
    command::{Program, cargo},
    terminal::step,
    verify::{self, Build},
};

/// Finds the model as artoo does, and puts the suite to it.
///
/// # Errors
/// A build fails, or the model cannot be had. A case that was not understood is a line, not an error.
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
