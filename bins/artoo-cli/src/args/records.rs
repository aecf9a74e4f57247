//! `artoo runs` and `artoo audit`: what past runs left behind.

use std::time::Duration;

use clap::{Args, Subcommand};

use crate::config::parse_span;

/// What can be done with past runs.
#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List past runs, the newest first
    List {
        /// Print one JSON object per run
        #[arg(long)]
        json: bool,
        /// The most runs to list
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
    },
    /// Show what a run did, as it was shown live
    Show {
        /// The run's id, or its beginning or end; `last` is the newest
        #[arg(value_name = "RUN")]
        run: String,
        /// Print the lines of `run --json`
        #[arg(long)]
        json: bool,
    },
    /// Explain why a run went as it did: each round's loss, the rule that decided, what changed, what it cost
    Explain {
        /// The run's id, or its beginning or end; `last` is the newest
        #[arg(value_name = "RUN")]
        run: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Take back what a run did to files: everything, or nothing with the reasons
    Undo {
        /// The run's id, or its beginning or end; `last` is the newest
        #[arg(value_name = "RUN")]
        run: String,
        /// Show what would be taken back, and change nothing
        #[arg(long)]
        dry_run: bool,
        /// Of a run that was killed while it changed files: take what is there now for what it left
        #[arg(long)]
        as_it_is: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

/// What can be done with the audit log.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Sum up the log: runs, corrections, trends, violations of the contracts, health of the tools
    Report(ReportArgs),
    /// Verify the hash chain: an edited, missing or added line is found, and a log or a head that is gone
    Verify,
}

/// `artoo audit report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Look at this much time before now, for example `24h` [default: the whole log]
    #[arg(long, value_name = "TIME", value_parser = parse_span)]
    pub(crate) since: Option<Duration>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
