//! A command with subcommands of which one is meant where none is named: `artoo runs` lists the runs.

use clap::{Args, Subcommand};

use super::{
    AuditCommand, ConfigCommand, McpCommand, McpListArgs, MemoryCommand, ModelCommand, PolicyCommand,
    ReportArgs, RunsCommand, SessionsCommand,
};
use crate::args::memory::JsonArgs;

/// How many rows a list has where the user names no number.
pub(super) const ROWS: usize = 20;

/// The subcommand, if one is named.
#[derive(Clone, Debug, Args)]
pub(crate) struct Group<C: Subcommand> {
    /// The subcommand.
    #[command(subcommand)]
    command: Option<C>,
}

impl<C: Subcommand + Default> Group<C> {
    /// The named subcommand, or the one that is meant without a name.
    pub(crate) fn command(self) -> C {
        self.command.unwrap_or_default()
    }
}

impl<C: Subcommand> From<C> for Group<C> {
    fn from(command: C) -> Self {
        Self { command: Some(command) }
    }
}

impl Default for RunsCommand {
    fn default() -> Self {
        Self::List { json: false, limit: ROWS }
    }
}

impl Default for SessionsCommand {
    fn default() -> Self {
        Self::List { json: false, limit: ROWS }
    }
}

impl Default for MemoryCommand {
    fn default() -> Self {
        Self::Stats(JsonArgs { json: false })
    }
}

impl Default for ModelCommand {
    fn default() -> Self {
        Self::List { json: false }
    }
}

impl Default for AuditCommand {
    fn default() -> Self {
        Self::Report(ReportArgs { since: None, json: false })
    }
}

impl Default for PolicyCommand {
    fn default() -> Self {
        Self::Rules { json: false }
    }
}

impl Default for ConfigCommand {
    fn default() -> Self {
        Self::Show { json: false }
    }
}

impl Default for McpCommand {
    fn default() -> Self {
        Self::List(McpListArgs { json: false })
    }
}
