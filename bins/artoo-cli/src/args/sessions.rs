//! Arguments of `artoo sessions`.

use std::path::PathBuf;

use clap::Subcommand;

/// What can be done with sessions.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List sessions, the last used first
    #[command(alias = "ls")]
    List {
        /// Print one JSON object per session
        #[arg(long)]
        json: bool,
        /// The most sessions to list
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
    },
    /// Show what was asked in a session and what came of it
    Show {
        /// The session's id, the beginning or end of it, or its name; `last` is the last used
        #[arg(value_name = "SESSION")]
        session: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Give a session a name
    Rename {
        /// The session
        #[arg(value_name = "SESSION")]
        session: String,
        /// Its name: one line
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Write a session as Markdown
    Export {
        /// The session
        #[arg(value_name = "SESSION")]
        session: String,
        /// Into this file, which must not be there yet [default: standard output]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Delete a session
    ///
    /// Its runs stay, and what they changed can still be taken back. `--with-runs` deletes them, too.
    #[command(aliases = ["remove", "rm"])]
    Delete {
        /// The session
        #[arg(value_name = "SESSION")]
        session: String,
        /// Delete the records of its runs, too, as `artoo runs delete` does
        #[arg(long)]
        with_runs: bool,
        /// Ask nothing
        #[arg(long, short, requires = "with_runs")]
        yes: bool,
    },
}
