//! Without a terminal: each line of standard input is a request of one session.

use std::io::{BufRead as _, Read as _};

use tokio::runtime::Runtime;

use super::entered::Entered;
use super::slash::{self, Then};
use super::state::State;
use crate::error::{CommandError, Exit};
use crate::program::Context;
use crate::run::from_stdin;

/// The longest line, in bytes.
const MAX_LINE: u64 = 16 * 1024 * 1024;

/// What is shown where nothing was asked.
const NOTHING: &str = "\
artoo works on a request with tools, checks its own work, and says honestly how far it came.

Try:
  artoo                                         a conversation, at a terminal
  artoo setup                                   choose a model
  artoo run \"How many .txt files are in docs?\"  work on a request
  artoo doctor                                  what works on this machine
  artoo --help                                  everything else
";

/// Works on line after line. The exit code is that of the last line that did not end well; 2 where there was none.
pub(super) fn run(
    context: &mut Context<'_>,
    state: &mut State,
    threads: &Runtime,
) -> Result<Exit, CommandError> {
    let mut exit = Exit::OK;
    let mut asked = false;
    while let Some(line) = next()? {
        let done = match Entered::of(&line) {
            Ok(Entered::Nothing) => continue,
            Ok(Entered::Request(text)) => {
                state.request(context, threads, text, from_stdin()).map(|done| done.exit)
            }
            Ok(Entered::Command(command)) => {
                state.command(context, threads, &command, from_stdin()).map(|done| done.exit)
            }
            Ok(Entered::Slash(slash)) => match slash::run(context, state, &slash) {
                Ok(Then::GoOn) => Ok(Exit::OK),
                Ok(Then::Leave) => return Ok(exit),
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        };
        asked = true;
        match done {
            Ok(Exit::OK) => {}
            Ok(ended) => exit = ended,
            Err(error) => {
                context.terminal.error(&error);
                exit = error.kind().exit();
            }
        }
    }
    if !asked {
        context.terminal.note(NOTHING.trim_end());
        return Ok(Exit::USAGE);
    }
    Ok(exit)
}

/// The next line; `None` at the end.
fn next() -> Result<Option<String>, CommandError> {
    let mut bytes = Vec::new();
    // One more than a line may have, so that a longer one is seen. No lock is held while a run asks.
    let read = std::io::stdin().lock().take(MAX_LINE + 1).read_until(b'\n', &mut bytes);
    match read {
        Ok(0) => Ok(None),
        Ok(_) if bytes.len() as u64 > MAX_LINE => {
            Err(CommandError::usage("a line of standard input is longer than 16 MiB")
                .hint("put the data into a file, and name the file in the request"))
        }
        Ok(_) => String::from_utf8(bytes).map(Some).map_err(|_| {
            CommandError::usage("standard input is not UTF-8 text").hint("convert it, for example with iconv")
        }),
        Err(error) => Err(CommandError::failed("cannot read standard input").because(error)),
    }
}
