//! Arguments of `artoo sandbox`.

use std::time::Duration;

use clap::Args;

use super::PermissionArgs;
use super::quoted::quoted;
use crate::config::parse_span;

/// One command of the person's own, and what it may do.
#[derive(Clone, Debug, Args)]
pub(crate) struct SandboxArgs {
    /// The command, as a shell would read it
    #[arg(value_name = "SHELL_TEXT", required_unless_present = "program")]
    command: Option<String>,
    /// A program and its arguments, behind `--`; no shell reads them
    #[arg(value_name = "PROGRAM", last = true, conflicts_with = "command")]
    program: Vec<String>,

    /// Print one JSON object about what came of it, its output included, and nothing else
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// What it may do, and where.
    #[command(flatten)]
    pub(crate) permissions: PermissionArgs,

    /// End the command after this time, with exit code 124 [default: it may take as long as it takes]
    #[arg(long, value_name = "TIME", value_parser = parse_span, help_heading = "Limits")]
    pub(crate) timeout: Option<Duration>,
}

impl SandboxArgs {
    /// A command that was typed at the prompt.
    pub(crate) fn of_text(command: &str, permissions: PermissionArgs, timeout: Option<Duration>) -> Self {
        Self { command: Some(command.to_owned()), program: Vec::new(), json: false, permissions, timeout }
    }

    /// The command as shell text.
    pub(crate) fn text(&self) -> String {
        self.command.clone().unwrap_or_else(|| quoted(&self.program))
    }
}
