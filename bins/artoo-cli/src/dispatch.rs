//! Parses the command line and dispatches to the command.

use std::cell::OnceCell;
use std::ffi::OsString;

use crate::args::{self, Command, CommonArgs, Parsed, RunsCommand};
use crate::commands;
use crate::completion;
use crate::error::{CommandError, Exit};
use crate::log::{self, Secrets};
use crate::machine::{Environment, Folders};
use crate::terminal::{Streams, Terminal, paged};

/// Everything that a command gets.
pub(crate) struct Context<'a> {
    /// The arguments of the command line.
    pub(crate) words: &'a [OsString],
    /// The environment variables.
    pub(crate) environment: &'a Environment,
    /// Home and working folder.
    pub(crate) folders: &'a Folders,
    /// Options common to all commands.
    pub(crate) common: CommonArgs,
    /// Which streams are terminals.
    pub(crate) streams: Streams,
    /// The configuration, if it came through a pipe: that can be read but once.
    pub(crate) piped_configuration: OnceCell<Vec<u8>>,
    /// Redactor of the log.
    pub(crate) log_secrets: Secrets,
    /// The writer of both output streams.
    pub(crate) terminal: &'a mut Terminal,
}

/// Runs the command that the arguments name. The folders are looked for only where a command may need them.
pub(crate) fn run(
    words: &[OsString],
    environment: &Environment,
    streams: Streams,
    terminal: &mut Terminal,
) -> Result<Exit, CommandError> {
    if let Some(shell) = environment.raw(completion::VARIABLE) {
        return completion::answer(&shell.to_string_lossy(), words, environment, terminal);
    }
    let started = Launch { words, environment, streams };
    match args::parse(words, terminal.data_look().columns)? {
        Parsed::Text(text) => {
            let colour = terminal.data_look().colour;
            paged(terminal, environment, &styled(&text, colour))?;
            Ok(Exit::OK)
        }
        Parsed::Mistake(text) => {
            let colour = terminal.look().colour;
            terminal.note(styled(&text, colour).trim_end());
            Ok(Exit::USAGE)
        }
        Parsed::Repl(args, common) => {
            started.within(common, terminal, |context| crate::repl::run(context, *args))
        }
        Parsed::Command(command, common) => {
            // These need no folder and no log.
            if let Command::Completions(args) = &*command {
                return commands::completions::run(terminal, args);
            }
            if matches!(*command, Command::Man) {
                return commands::man::run(terminal, environment, streams);
            }
            started.within(common, terminal, |context| dispatch(context, *command))
        }
    }
}

/// What the program was started with.
struct Launch<'a> {
    words: &'a [OsString],
    environment: &'a Environment,
    streams: Streams,
}

impl Launch<'_> {
    /// Does the work of a command with the folders of this process, and the log.
    fn within(
        self,
        common: CommonArgs,
        terminal: &mut Terminal,
        work: impl FnOnce(&mut Context<'_>) -> Result<Exit, CommandError>,
    ) -> Result<Exit, CommandError> {
        let Self { words, environment, streams } = self;
        let folders = Folders::of_process(environment)?;
        let log_secrets = log::start(&common, environment, &folders, terminal)?;
        work(&mut Context {
            words,
            environment,
            folders: &folders,
            common,
            streams,
            piped_configuration: OnceCell::new(),
            log_secrets,
            terminal,
        })
    }
}

/// Runs a command of the command line or of the REPL.
pub(crate) fn dispatch(context: &mut Context<'_>, command: Command) -> Result<Exit, CommandError> {
    match command {
        Command::Run(args) => crate::run::run(context, &args),
        Command::Sandbox(args) => crate::run::sandbox(context, &args),
        Command::Setup(args) => crate::setup::run(context, &args),
        Command::Model(group) => commands::model::run(context, group.command()),
        Command::Doctor(args) => crate::doctor::run(context, &args),
        Command::Runs(group) => commands::runs::run(context, &group.command()),
        Command::Sessions(group) => commands::sessions::run(context, &group.command()),
        Command::Memory(group) => commands::memory::run(context, &group.command()),
        Command::Audit(group) => commands::audit::run(context, &group.command()),
        Command::Policy(group) => commands::policy::run(context, &group.command()),
        Command::Config(group) => commands::config::run(context, &group.command()),
        Command::Acp(args) => commands::acp::run(context, &args),
        Command::Mcp(group) => commands::mcp::run(context, &group.command()),
        Command::Completions(args) => commands::completions::run(context.terminal, &args),
        Command::Man => commands::man::run(context.terminal, context.environment, context.streams),
        Command::Undo(args) => commands::runs::run(context, &RunsCommand::Undo(args)),
        Command::Diff(args) => commands::runs::run(context, &RunsCommand::Diff(args)),
        Command::Explain(args) => commands::runs::run(context, &RunsCommand::Explain(args)),
        Command::Stop(args) => commands::runs::run(context, &RunsCommand::Stop(args)),
        Command::Resume(args) => commands::resume::run(context, &args),
        // The parser has answered these two.
        Command::Help(_) | Command::Version => Ok(Exit::OK),
    }
}

pub(crate) fn styled(text: &clap::builder::StyledStr, colour: bool) -> String {
    if colour { text.ansi().to_string() } else { text.to_string() }
}
