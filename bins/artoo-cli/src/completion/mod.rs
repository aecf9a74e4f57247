//! Completion of a command line in a shell. A script hands the words to the program, which answers with names: it begins no run, asks no
//! model and uses no network.

mod names;

use std::ffi::OsString;
use std::sync::Arc;

use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;
use clap_complete::engine::ArgValueCompleter;
use clap_complete::env::Shells;

use crate::args::Cli;
use crate::error::{CommandError, Exit};
use crate::machine::Environment;
use crate::terminal::Terminal;
use names::Names;

/// The variable by which a script says that it asks. Its value names the shell.
pub(crate) const VARIABLE: &str = "_ARTOO_COMPLETE";

/// With zsh a script may be loaded by the first completion, which it then has to answer itself.
const ZSH_FIRST: &str =
    "if [ \"$funcstack[1]\" = \"_artoo\" ]; then _clap_dynamic_completer_artoo \"$@\"; fi\n";

/// The script for a shell.
///
/// # Errors
/// The shell has none.
pub(crate) fn script(shell: Shell) -> Result<String, CommandError> {
    let shells = Shells::builtins();
    let name = shell.to_string();
    let mut script = Vec::new();
    let written = match shells.completer(&name) {
        Some(completer) => completer.write_registration(VARIABLE, "artoo", "artoo", "artoo", &mut script),
        None => Err(std::io::Error::other("there is no completion for this shell")),
    };
    written
        .map_err(|error| CommandError::failed(format!("no script can be made for {name}")).because(error))?;
    if shell == Shell::Zsh {
        script.extend(ZSH_FIRST.as_bytes());
    }
    Ok(String::from_utf8_lossy(&script).into_owned())
}

/// Answers a script. `shell` is the value of [`VARIABLE`], and the command line stands behind `--`.
///
/// # Errors
/// The shell is unknown, or nobody reads the answer.
pub(crate) fn answer(
    shell: &str,
    words: &[OsString],
    environment: &Environment,
    terminal: &mut Terminal,
) -> Result<Exit, CommandError> {
    let failed = |error| CommandError::usage("this command line cannot be completed").because(error);
    let shells = Shells::builtins();
    let Some(completer) = shells.completer(shell) else {
        return Err(CommandError::usage(format!("{VARIABLE} names no shell: {shell}"))
            .hint("make the script anew: artoo completions SHELL"));
    };
    let line: Vec<OsString> = words.iter().skip_while(|word| *word != "--").skip(1).cloned().collect();
    if line.is_empty() {
        return Ok(Exit::OK);
    }
    let mut command = completing(Names::of(&line, environment));
    let folder = std::env::current_dir().ok();
    let mut text = Vec::new();
    completer.write_complete(&mut command, line, folder.as_deref(), &mut text).map_err(failed)?;
    terminal.data_bytes(&text)?;
    Ok(Exit::OK)
}

/// The definition of the command line, with names for the values that have some.
fn completing(names: Names) -> Command {
    let names = Arc::new(names);
    everywhere(Cli::command(), &|arg| named(arg, &names))
}

fn everywhere(command: Command, change: &dyn Fn(Arg) -> Arg) -> Command {
    command.mut_args(change).mut_subcommands(|below| everywhere(below, change))
}

/// An argument whose value name says what it names.
fn named(arg: Arg, names: &Arc<Names>) -> Arg {
    let value = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    let names = Arc::clone(names);
    match value.as_deref() {
        Some("RUN" | "RUN-OR-TEXT") => {
            arg.add(ArgValueCompleter::new(move |typed: &std::ffi::OsStr| names.runs(typed)))
        }
        Some("SESSION") => {
            arg.add(ArgValueCompleter::new(move |typed: &std::ffi::OsStr| names.sessions(typed)))
        }
        Some("RUN|SESSION") => arg.add(ArgValueCompleter::new(move |typed: &std::ffi::OsStr| {
            let mut found = names.runs(typed);
            found.extend(names.sessions(typed));
            found
        })),
        Some("MODEL") => arg.add(ArgValueCompleter::new(move |typed: &std::ffi::OsStr| names.models(typed))),
        Some("SERVER") => {
            arg.add(ArgValueCompleter::new(move |typed: &std::ffi::OsStr| names.servers(typed)))
        }
        Some(_) | None => arg,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_asks_by_the_variable() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Elvish, Shell::PowerShell] {
            let script = script(shell).unwrap();
            assert!(script.contains(VARIABLE) && script.contains("artoo"), "{script}");
        }
        assert!(script(Shell::Zsh).unwrap().starts_with("#compdef artoo"));
    }

    /// What is completed with names is told by the names of values, so that no argument is forgotten.
    #[test]
    fn every_run_session_model_and_server_is_completed() {
        let mut open = vec![completing(Names::default())];
        let mut completed = Vec::new();
        while let Some(command) = open.pop() {
            for arg in command.get_arguments().filter(|arg| arg.get::<ArgValueCompleter>().is_some()) {
                completed.push(format!("{} {}", command.get_name(), arg.get_id()));
            }
            open.extend(command.get_subcommands().cloned());
        }
        for expected in [
            "undo run",
            "diff run",
            "show run",
            "explain run",
            "delete runs",
            "what-if run",
            "why about",
            "resume of",
            "rename session",
            "run session",
            "run model",
            "pull name",
            "path name",
            "login name",
        ] {
            assert!(completed.iter().any(|known| known == expected), "no {expected} in {completed:?}");
        }
    }
}
