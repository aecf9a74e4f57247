//! Arguments of `artoo model`.

use clap::{Args, Subcommand};

/// What can be done with embedded models.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum ModelCommand {
    /// Say which models there are and which are installed
    #[command(alias = "ls")]
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
        #[arg(value_name = "MODEL")]
        name: Option<String>,
    },
    /// Delete an installed model
    #[command(aliases = ["delete", "rm"])]
    Remove {
        /// The model [default: the default model]
        #[arg(value_name = "MODEL")]
        name: Option<String>,
    },
}

/// `artoo model pull`.
#[derive(Clone, Debug, Args)]
pub(crate) struct PullArgs {
    /// The model [default: the default model]
    #[arg(value_name = "MODEL")]
    pub(crate) name: Option<String>,
    /// Take it from this URL or file; size and hash are checked all the same
    #[arg(long, value_name = "URL|FILE")]
    pub(crate) from: Option<String>,
}
