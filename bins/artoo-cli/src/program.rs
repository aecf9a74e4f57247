//! Parses the command line and dispatches to the command.

use std::ffi::OsString;

use crate::args::{self, Command, CommonArgs, Parsed};
use crate::commands;
use crate::error::{CommandError, Exit};
use crate::log::{self, Secrets};
use crate::machine::{Environment, Folders};
use crate::terminal::{Streams, Terminal};

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
    /// Redactor of the log.
    pub(crate) log_secrets: Secrets,
    /// The writer of both output streams.
    pub(crate) terminal: &'a mut Terminal,
}

/// Runs the command that the arguments name.
pub(crate) fn run(
    words: &[OsString],
    environment: &Environment,
    folders: &Folders,
    streams: Streams,
    terminal: &mut Terminal,
) -> Result<Exit, CommandError> {
    let (command, common) = match args::parse(words, terminal.data_look().columns)? {
        Parsed::Command(command, common) => (command, common),
        Parsed::Repl(args, common) => {
            let log_secrets = log::start(&common, environment, folders, terminal)?;
            let mut context = Context { words, environment, folders, common, streams, log_secrets, terminal };
            return crate::repl::run(&mut context, *args);
        }
        Parsed::Text(text) => {
            let colour = terminal.data_look().colour;
            terminal.data(&styled(&text, colour))?;
            return Ok(Exit::OK);
        }
        Parsed::Mistake(text) => {
            let colour = terminal.look().colour;
            terminal.note(styled(&text, colour).trim_end());
            return Ok(Exit::USAGE);
        }
    };
    let log_secrets = log::start(&common, environment, folders, terminal)?;
    let mut context = Context { words, environment, folders, common, streams, log_secrets, terminal };
    dispatch(&mut context, *command)
}

/// Runs a command of the command line or of the REPL.
pub(crate) fn dispatch(context: &mut Context<'_>, command: Command) -> Result<Exit, CommandError> {
    match command {
        Command::Run(args) => crate::run::run(context, &args),
        Command::Sandbox(args) => crate::run::sandbox(context, &args),
        Command::Setup(args) => crate::setup::run(context, &args),
        Command::Model(command) => commands::model::run(context, command),
        Command::Doctor(args) => crate::doctor::run(context, &args),
        Command::Runs(command) => commands::runs::run(context, &command),
        Command::Sessions(command) => commands::sessions::run(context, &command),
        Command::Memory(command) => commands::memory::run(context, &command),
        Command::Audit(command) => commands::audit::run(context, &command),
        Command::Policy(command) => commands::policy::run(context, &command),
        Command::Config(command) => commands::config::run(context, &command),
        Command::Completions(args) => commands::completions::run(context, &args),
        Command::Man => commands::man::run(context),
    }
}

pub(crate) fn styled(text: &clap::builder::StyledStr, colour: bool) -> String {
    if colour { text.ansi().to_string() } else { text.to_string() }
}
