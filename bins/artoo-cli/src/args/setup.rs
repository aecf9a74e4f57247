//! Arguments of `artoo setup`.

use clap::Args;

/// First-run choices.
#[derive(Debug, Args)]
pub(crate) struct SetupArgs {
    /// Ask nothing: take the embedded model, and fetch it if it is not there
    #[arg(long, short)]
    pub(crate) yes: bool,
}
