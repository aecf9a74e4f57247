//! `artoo completions`: prints a shell completion script.

use clap::CommandFactory;

use crate::args::{Cli, CompletionArgs};
use crate::error::{CommandError, Exit};
use crate::terminal::Terminal;

/// Prints the script.
pub(crate) fn run(terminal: &mut Terminal, args: &CompletionArgs) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "artoo", &mut script);
    terminal.data(&String::from_utf8_lossy(&script))?;
    Ok(Exit::OK)
}
