//! Top-level command line: subcommands and common options.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand};
use clap_complete::Shell;

use super::{
    AuditCommand, Group, KeyValue, McpCommand, MemoryCommand, ModelCommand, PolicyCommand, ResumeArgs,
    RunArgs, RunName, RunPage, RunsCommand, SandboxArgs, SessionsCommand, SetupArgs, UndoArgs, examples,
};

/// Works on a request with tools, checks its own work, and says honestly how far it came
#[derive(Debug, Parser)]
#[command(
    name = "artoo",
    version,
    subcommand_precedence_over_arg = true,
    disable_help_subcommand = true,
    override_usage = "artoo [OPTIONS] [REQUEST]\n       artoo <COMMAND>",
    after_help = examples::ARTOO
)]
pub(crate) struct Cli {
    /// What to do; without one, the options are those of `run`.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// The short form: `artoo "REQUEST"` is `artoo run "REQUEST"`, unless the request is a single word.
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Options of every command.
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Options of every command.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CommonArgs {
    /// Where runs, the audit log and models are kept [default: ~/.artoo]
    #[arg(long, global = true, hide_short_help = true, value_name = "DIR", help_heading = "Configuration")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Apply a profile: `spec-v0.8`, or one of the configuration file
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME", help_heading = "Configuration")]
    pub(crate) profile: Option<String>,
    /// Set one value of the configuration, for example `-c tool.model=qwen3`
    #[arg(
        short = 'c',
        global = true,
        hide_short_help = true,
        value_name = "KEY=VALUE",
        help_heading = "Configuration"
    )]
    pub(crate) set: Vec<KeyValue>,
    /// Show more: model calls, memory, and the full text of what is shortened otherwise
    ///
    /// Given twice, what the program does besides. Warnings come without it, with `--quiet` too.
    #[arg(short, long, global = true, hide_short_help = true, action = ArgAction::Count, help_heading = "Output")]
    pub(crate) verbose: u8,
    /// Write for a screen reader: nothing is drawn again, and marks are words
    #[arg(long, global = true, hide_short_help = true, help_heading = "Output")]
    pub(crate) plain: bool,
    /// Write what the program does into this file, one JSON object a line, without secrets
    ///
    /// `-` is standard error. The variable ARTOO_LOG says what of it, for example `warn,artoo_llm_http=debug`
    /// [default: debug].
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE", help_heading = "Output")]
    pub(crate) log: Option<PathBuf>,
}

/// The commands of this release.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Work on one request
    #[command(after_help = examples::RUN)]
    Run(Box<RunArgs>),
    /// Carry out one command of your own as a run would
    ///
    /// It is tried, asked about, confined and recorded, and `artoo undo` takes it back.
    #[command(after_help = examples::SANDBOX)]
    Sandbox(SandboxArgs),
    /// Take back what a run did to files, by default the newest run
    ///
    /// Everything is taken back, or nothing with the reasons.
    #[command(after_help = examples::UNDO)]
    Undo(UndoArgs),
    /// Show what a run changed, by default the newest
    #[command(after_help = examples::DIFF)]
    Diff(RunPage),
    /// Explain why a run went as it did, by default the newest
    #[command(after_help = examples::EXPLAIN)]
    Explain(RunPage),
    /// End a run that works in another process, by default the newest
    #[command(after_help = examples::STOP)]
    Stop(RunName),
    /// Begin a run again that was cut off, or go on with a conversation
    ///
    /// Without a name the newest run is meant. Of a run that ended, and of a session, the conversation goes on.
    #[command(after_help = examples::RESUME)]
    Resume(ResumeArgs),
    /// Choose a model: a local server, a key, or the embedded model
    #[command(after_help = examples::SETUP)]
    Setup(SetupArgs),
    /// List, fetch, locate or remove embedded models; without a command, list them
    #[command(visible_alias = "models", after_help = examples::MODEL)]
    Model(Group<ModelCommand>),
    /// Say what works on this machine, with a remedy for what does not
    #[command(after_help = examples::DOCTOR)]
    Doctor(DoctorArgs),
    /// Look at what past runs did, or delete it; without a command, list them
    #[command(after_help = examples::RUNS)]
    Runs(Group<RunsCommand>),
    /// List, show, name, export or delete conversations
    ///
    /// A conversation is made of requests that follow one another. Without a command, they are listed.
    #[command(visible_alias = "session", after_help = examples::SESSIONS)]
    Sessions(Group<SessionsCommand>),
    /// Look at what was learned; remember and forget
    ///
    /// Says what was learned, why it was recalled and how it fades. Without a command, it is counted.
    #[command(visible_alias = "memories", after_help = examples::MEMORY)]
    Memory(Group<MemoryCommand>),
    /// Read the auditor's log, watch it, or verify it; without a command, sum it up
    #[command(after_help = examples::AUDIT)]
    Audit(Group<AuditCommand>),
    /// Say what a command would do, and whether that needs consent
    ///
    /// Without a command, your own rules of consent are listed.
    #[command(visible_alias = "policies", after_help = examples::POLICY)]
    Policy(Group<PolicyCommand>),
    /// Show the configuration and where each value comes from
    #[command(after_help = examples::CONFIG)]
    Config(Group<ConfigCommand>),
    /// Work in an editor, which starts this
    ///
    /// It speaks the Agent Client Protocol on standard input and output.
    #[command(after_help = examples::ACP)]
    Acp(AcpArgs),
    /// Use tools of others, and let other agents work with artoo
    ///
    /// Both speak the Model Context Protocol. Without a command, the servers of tools are listed.
    #[command(after_help = examples::MCP)]
    Mcp(Group<McpCommand>),
    /// Print the script that completes commands, runs, sessions and models in a shell
    #[command(visible_alias = "completion", after_help = examples::COMPLETIONS)]
    Completions(CompletionArgs),
    /// Show the manual page of all commands; in a pipe, print its source
    #[command(after_help = examples::MAN)]
    Man,
    /// Print the help of artoo, or of a command
    #[command(after_help = examples::HELP)]
    Help(HelpArgs),
    /// Print the version
    #[command(after_help = examples::VERSION)]
    Version,
}

/// `artoo help`.
#[derive(Debug, Args)]
pub(crate) struct HelpArgs {
    /// The command, for example `runs undo`
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// `artoo acp`.
#[derive(Debug, Args)]
pub(crate) struct AcpArgs {
    /// Choose a model in this terminal instead, as `artoo setup` does
    ///
    /// Editors that can open a terminal use this.
    #[arg(long)]
    pub(crate) setup: bool,
}

/// `artoo doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `artoo config`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the merged configuration with the origin of each value
    Show {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print where the configuration file is looked for
    Path,
    /// Print the JSON Schema of the configuration file
    Schema {
        /// Print the JSON Schema of the lines of `run --json` instead
        #[arg(long)]
        events: bool,
        /// Print the JSON Schema of `policy.toml`, your own rules of consent, instead
        #[arg(long, conflicts_with = "events")]
        policy: bool,
    },
}

/// `artoo completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionArgs {
    /// The shell
    pub(crate) shell: Shell,
}
