//! Arguments of `artoo runs` and `artoo audit`.

use std::time::Duration;

use clap::{Args, Subcommand};

use super::{Moment, examples};
use crate::config::parse_span;

/// The run that a command is about.
#[derive(Clone, Debug, Args)]
pub(crate) struct RunName {
    /// The run's id, or its beginning or end; `last` is the newest
    #[arg(value_name = "RUN", default_value = "last")]
    pub(crate) run: String,
}

/// The run that a command is about, and how it is printed.
#[derive(Clone, Debug, Args)]
pub(crate) struct RunPage {
    /// The run.
    #[command(flatten)]
    pub(crate) of: RunName,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `artoo runs undo`, `artoo undo`.
#[derive(Clone, Debug, Args)]
pub(crate) struct UndoArgs {
    /// The run.
    #[command(flatten)]
    pub(crate) of: RunName,
    /// Show what would be taken back, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Of a run that was killed at a change: take what is there now as its own
    #[arg(long)]
    pub(crate) as_it_is: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `artoo resume`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ResumeArgs {
    /// A run or a session; `last` is the newest run
    ///
    /// A run is named by its id, or the beginning or end of it, a session by its name as well.
    #[arg(value_name = "RUN|SESSION", default_value = "last")]
    pub(crate) of: String,
}

/// What can be done with past runs.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List past runs, the newest first
    #[command(alias = "ls")]
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
        /// The run.
        #[command(flatten)]
        of: RunName,
        /// Print the lines of `run --json`
        #[arg(long)]
        json: bool,
    },
    /// Explain why a run went as it did
    ///
    /// Says of each round what was not met, the rule that decided, what changed, and what it cost.
    Explain(RunPage),
    /// Show what a run changed, with the lines that differ
    Diff(RunPage),
    /// Show a run that works in another process, and answer its questions
    ///
    /// Ctrl+C leaves, and the run goes on.
    Attach(RunName),
    /// End a run that works in another process
    ///
    /// Returns when that is on record.
    Stop(RunName),
    /// Begin a run again that was killed or interrupted
    ///
    /// The request, the folders and the limits are the same, and what it had done is kept, where nothing has changed since. What is kept
    /// and what is done again is said; permissions are those of your configuration.
    Resume(RunName),
    /// Say how the controller would have decided with other numbers
    ///
    /// The rounds are decided again with the numbers of `-c controller.KEY=VALUE` and `--profile NAME`, or with the recorded ones, up to
    /// the first decision that differs. No model is asked and nothing is done.
    #[command(alias = "replay")]
    WhatIf(RunPage),
    /// Take back what a run did to files
    ///
    /// Everything is taken back, or nothing with the reasons.
    Undo(UndoArgs),
    /// Delete the record of runs, with their outputs and their undo
    ///
    /// Memory, conversations and the audit log keep what they have of it. A run that works is not deleted.
    #[command(aliases = ["remove", "rm"], after_help = examples::RUNS_DELETE)]
    Delete(DeleteArgs),
    /// Delete the records of all runs that are older than a given time
    ///
    /// As `artoo runs delete` does; runs that work stay.
    #[command(after_help = examples::RUNS_PRUNE)]
    Prune(PruneArgs),
}

/// `artoo runs delete`.
#[derive(Clone, Debug, Args)]
pub(crate) struct DeleteArgs {
    /// The runs: ids, or their beginnings or ends; `last` is the newest
    #[arg(value_name = "RUN", required = true)]
    pub(crate) runs: Vec<String>,
    /// How to go about it.
    #[command(flatten)]
    pub(crate) how: DeleteHow,
}

/// `artoo runs prune`.
#[derive(Clone, Debug, Args)]
pub(crate) struct PruneArgs {
    /// How long ago a run began at least, for example `30d`
    #[arg(long, value_name = "TIME", value_parser = parse_span)]
    pub(crate) older: Duration,
    /// How to go about it.
    #[command(flatten)]
    pub(crate) how: DeleteHow,
}

/// Options of what deletes runs.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct DeleteHow {
    /// Say what would be deleted, and delete nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Ask nothing
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// What can be done with the audit log.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Sum up the log: runs, corrections, trends, violations, health of tools
    Report(ReportArgs),
    /// Show the newest lines of the log, in a line each
    Tail(TailArgs),
    /// Verify that no line of the log was changed, added or removed
    ///
    /// A cut end is found, too, and a run on record that is missing.
    #[command(after_help = examples::AUDIT_VERIFY)]
    Verify,
}

/// `artoo audit report`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReportArgs {
    /// Look at the time since then: `24h` ago, `17:00`, or a date
    ///
    /// A date may have its time. Without this option the whole log is summed up.
    #[arg(long, value_name = "TIME", value_parser = Moment::parse)]
    pub(crate) since: Option<Moment>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `artoo audit tail`.
#[derive(Clone, Debug, Args)]
pub(crate) struct TailArgs {
    /// How many lines
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub(crate) lines: usize,
    /// Go on with what is added, until Ctrl+C
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Print the lines as they are in the log, one JSON object each
    #[arg(long)]
    pub(crate) json: bool,
}
