//! Arguments of `artoo runs` and `artoo audit`.

use clap::{Args, Subcommand};

use super::{Moment, examples};

/// The run that a command is about.
#[derive(Clone, Debug, Args)]
pub(crate) struct RunName {
    /// The run's id, or its beginning or end; `last` is the newest, in whichever folder it worked
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
    /// Of a run that was killed while it changed files: take what is there now for what it left
    #[arg(long)]
    pub(crate) as_it_is: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `artoo resume`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The run's id, or its beginning or end; or a session: its id, the beginning or end of it, or its name. `last` is the newest run,
    /// in whichever folder it worked
    #[arg(value_name = "RUN|SESSION", default_value = "last")]
    pub(crate) of: String,
}

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
        /// The run.
        #[command(flatten)]
        of: RunName,
        /// Print the lines of `run --json`
        #[arg(long)]
        json: bool,
    },
    /// Explain why a run went as it did: each round's loss, the rule that decided, what changed, what it cost
    Explain(RunPage),
    /// Show what a run changed, file by file, with the lines that differ
    Diff(RunPage),
    /// Show a run that works in another process as it works, and answer its questions; Ctrl+C leaves, and the run goes on
    Attach(RunName),
    /// End a run that works in another process, and wait until that is on record
    Stop(RunName),
    /// Begin a run again that was killed or interrupted: the same request, folders and limits, with what it had done, where nothing has
    /// changed since. What is kept and what is done again is said; permissions are those of your configuration
    Resume(RunName),
    /// Decide the rounds of a run again, with other numbers of the controller (`-c controller.KEY=VALUE`, `--profile NAME`) or with the
    /// recorded ones, up to the first decision that differs. No model is asked and nothing is done
    Replay(RunPage),
    /// Take back what a run did to files: everything, or nothing with the reasons
    Undo(UndoArgs),
}

/// What can be done with the audit log.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Sum up the log: runs, corrections, trends, violations of the contracts, health of the tools
    Report(ReportArgs),
    /// Show the newest lines of the log, in a line each
    Tail(TailArgs),
    /// Verify the log: a line that was edited, removed or added is found, a cut end, and a run on record that is missing
    #[command(after_help = examples::AUDIT_VERIFY)]
    Verify,
}

/// `artoo audit report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Look at the time since then: `24h` ago, `17:00`, or a date, also with its time [default: the whole log]
    #[arg(long, value_name = "TIME", value_parser = Moment::parse)]
    pub(crate) since: Option<Moment>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `artoo audit tail`.
#[derive(Debug, Args)]
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
