//! Arguments of `artoo policy`.

use clap::Subcommand;

/// What can be asked of the rules.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Say what a command would do, without running it, and what would be decided about it
    Check {
        /// The command, as a shell would read it
        #[arg(value_name = "SHELL_TEXT")]
        text: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// List your own rules of consent, and where they stand
    Rules {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}
