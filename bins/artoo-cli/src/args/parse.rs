//! Parses the command line. A mistyped command is an error with a suggestion, never a request that runs.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches};

use super::short_help::{self, short};
use super::single_word::{mistyped, no_help, refused};
use super::{Cli, Command, CommonArgs, RunArgs};
use crate::error::CommandError;

/// Result of parsing.
#[derive(Debug)]
pub(crate) enum Parsed {
    /// A command with the common options. Boxed, because most commands are small.
    Command(Box<Command>, CommonArgs),
    /// Neither a command nor a request: start the REPL.
    Repl(Box<RunArgs>, CommonArgs),
    /// Output of `--help` or `--version`, for standard output.
    Text(clap::builder::StyledStr),
    /// A usage error explained by clap, for standard error.
    Mistake(clap::builder::StyledStr),
}

/// The most columns of a help text, in a pipe too: longer lines are hard to read.
pub(crate) const WIDEST: usize = 100;

/// Parses the arguments after the program's name. `columns` is the width of the terminal.
pub(crate) fn parse(words: &[OsString], columns: usize) -> Result<Parsed, CommandError> {
    let whole = Cli::command().term_width(columns.min(WIDEST));
    let command = if short_help::is_asked(words) { short(whole) } else { whole };
    let all = std::iter::once(OsString::from("artoo")).chain(words.iter().cloned());
    let matches = match command.try_get_matches_from(all) {
        Ok(matches) => matches,
        Err(error) => return explained(&error, words),
    };
    misplaced(&matches)?;
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return explained(&error, words),
    };
    match (cli.command, cli.run) {
        (Some(Command::Help(args)), _) => help(&args.command, columns),
        (Some(Command::Version), _) => Ok(Parsed::Text(Cli::command().render_version().into())),
        (Some(command), _) => Ok(Parsed::Command(Box::new(command), cli.common)),
        (None, run) if run.request.is_none() => Ok(Parsed::Repl(Box::new(run), cli.common)),
        (None, run) => short_form(run, cli.common),
    }
}

/// Refuses options of `run` before a subcommand: they only belong to the
/// short form and would be ignored silently.
fn misplaced(matches: &ArgMatches) -> Result<(), CommandError> {
    let Some(command) = matches.subcommand_name() else { return Ok(()) };
    let definition = Cli::command();
    let mut given = definition.get_arguments().filter(|arg| !arg.is_global_set()).filter(|arg| {
        matches.try_contains_id(arg.get_id().as_str()).is_ok()
            && matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
    });
    let Some(arg) = given.next() else { return Ok(()) };
    let name = arg.get_long().map_or_else(|| "a request".to_owned(), |long| format!("--{long}"));
    Err(CommandError::usage(format!("{name} cannot stand before the command `{command}`"))
        .hint(format!("put it behind, if the command takes it: artoo {command} --help")))
}

/// `artoo "REQUEST"`, unless the request is a single word: that is a command, or nothing.
fn short_form(run: RunArgs, common: CommonArgs) -> Result<Parsed, CommandError> {
    if let Some(error) = run.request.as_deref().and_then(refused) {
        return Err(error);
    }
    Ok(Parsed::Command(Box::new(Command::Run(Box::new(run))), common))
}

/// The help of a command, as `--help` prints it.
fn help(names: &[String], columns: usize) -> Result<Parsed, CommandError> {
    let mut command = Cli::command();
    for name in names {
        command = command.find_subcommand(name).cloned().ok_or_else(|| no_help(names))?;
    }
    let words: Vec<OsString> =
        names.iter().map(String::as_str).chain(["--help"]).map(OsString::from).collect();
    parse(&words, columns)
}

fn is_command(word: &str) -> bool {
    Cli::command().find_subcommand(word).is_some()
}

fn explained(error: &clap::Error, words: &[OsString]) -> Result<Parsed, CommandError> {
    let first = words.first().and_then(|word| word.to_str()).unwrap_or_default();
    let kind = error.kind();
    if matches!(kind, ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return Ok(Parsed::Text(error.render()));
    }
    // The option is unknown because the command is: the word is the mistake.
    if kind == ErrorKind::UnknownArgument
        && !first.starts_with('-')
        && !is_command(first)
        && let Some(error) = refused(first)
    {
        return Err(error);
    }
    // A word after a request may be a mistyped command.
    let is_behind = kind == ErrorKind::InvalidSubcommand && !is_command(first);
    let place = if is_behind { ContextKind::InvalidSubcommand } else { ContextKind::InvalidArg };
    if (is_behind || kind == ErrorKind::UnknownArgument)
        && let Some(ContextValue::String(extra)) = error.get(place)
        && !extra.starts_with('-')
    {
        return Err(mistyped(first).unwrap_or_else(|| {
            CommandError::usage(format!("`{extra}` is one word too many"))
                .hint("put the request in quotes: artoo run \"HOW MANY FILES ARE HERE?\"")
        }));
    }
    Ok(Parsed::Mistake(error.render()))
}
