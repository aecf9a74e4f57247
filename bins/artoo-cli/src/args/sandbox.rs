//! Arguments of `artoo sandbox`.

use std::time::Duration;

use clap::Args;

use super::PermissionArgs;
use crate::config::parse_span;

/// One command of the person's own, and what it may do.
#[derive(Clone, Debug, Args)]
pub(crate) struct SandboxArgs {
    /// The command, as a shell would read it
    #[arg(value_name = "SHELL_TEXT")]
    pub(crate) command: String,

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
