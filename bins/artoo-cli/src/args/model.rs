//! Arguments of `artoo model`.

use clap::{Args, Subcommand};

/// What can be done with embedded models.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelCommand {
    /// Say which models there are and which are installed
    List {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Fetch a model, or go on with a fetch that was interrupted
    Pull(PullArgs),
    /// Print the path of an installed model's file
    Path {
        /// The model [default: the default model]
        name: Option<String>,
    },
    /// Delete an installed model
    Remove {
        /// The model [default: the default model]
        name: Option<String>,
    },
}

/// `artoo model pull`.
#[derive(Debug, Args)]
pub(crate) struct PullArgs {
    /// The model [default: the default model]
    pub(crate) name: Option<String>,
    /// Take it from this URL or file instead of the known sources; size and hash are checked all the same
    #[arg(long, value_name = "URL|FILE")]
    pub(crate) from: Option<String>,
}
