//! `artoo completions`: prints a shell completion script.

use crate::args::CompletionArgs;
use crate::completion::script;
use crate::error::{CommandError, Exit};
use crate::terminal::Terminal;

/// Prints the script.
pub(crate) fn run(terminal: &mut Terminal, args: &CompletionArgs) -> Result<Exit, CommandError> {
    terminal.data(&script(args.shell)?)?;
    Ok(Exit::OK)
}
