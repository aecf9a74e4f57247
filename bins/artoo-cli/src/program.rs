//! From words to the command that they name.

use std::ffi::OsString;

use crate::args::{self, Command, CommonArgs, Parsed};
use crate::commands;
use crate::error::{CommandError, Exit};
use crate::log::{self, Secrets};
use crate::machine::{Environment, Folders};
use crate::terminal::{Streams, Terminal};

/// What every command is given.
pub(crate) struct Context<'a> {
    /// The variables.
    pub(crate) environment: &'a Environment,
    /// Where the program was started.
    pub(crate) folders: &'a Folders,
    /// Options of every command.
    pub(crate) common: CommonArgs,
    /// Which streams are terminals.
    pub(crate) streams: Streams,
    /// What the log must not say.
    pub(crate) log_secrets: Secrets,
    /// The one writer.
    pub(crate) terminal: &'a mut Terminal,
}

/// What is shown for `artoo` alone.
const NOTHING: &str = "\
artoo works on a request with tools, checks its own work, and says honestly how far it came.

Try:
  artoo setup                                   choose a model
  artoo run \"How many .txt files are in docs?\"  work on a request
  artoo doctor                                  what works on this machine
  artoo --help                                  everything else
";

/// Runs the command that the words name.
pub(crate) fn run(
    words: &[OsString],
    environment: &Environment,
    folders: &Folders,
    streams: Streams,
    terminal: &mut Terminal,
) -> Result<Exit, CommandError> {
    let (command, common) = match args::parse(words, terminal.data_look().columns)? {
        Parsed::Command(command, common) => (command, common),
        Parsed::Nothing => {
            terminal.note(NOTHING.trim_end());
            return Ok(Exit::USAGE);
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
    let mut context = Context { environment, folders, common, streams, log_secrets, terminal };
    match *command {
        Command::Run(args) => crate::run::run(&mut context, &args),
        Command::Setup(args) => crate::setup::run(&mut context, &args),
        Command::Model(command) => commands::model::run(&mut context, command),
        Command::Doctor(args) => crate::doctor::run(&mut context, &args),
        Command::Runs(command) => commands::runs::run(&mut context, &command),
        Command::Memory(command) => commands::memory::run(&mut context, &command),
        Command::Audit(command) => commands::audit::run(&mut context, &command),
        Command::Policy(command) => commands::policy::run(&mut context, &command),
        Command::Config(command) => commands::config::run(&mut context, &command),
        Command::Completions(args) => commands::completions::run(&mut context, &args),
    }
}

fn styled(text: &clap::builder::StyledStr, colour: bool) -> String {
    if colour { text.ansi().to_string() } else { text.to_string() }
}
