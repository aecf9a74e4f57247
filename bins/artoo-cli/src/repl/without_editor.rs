//! REPL without a line editor: each line of standard input is a request of one session; so is a paste at a terminal.

use std::io::{BufRead as _, Read as _};

use tokio::runtime::Runtime;

use super::parse_line::{Entered, is_command};
use super::slash::{self, Then};
use super::state::State;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::run::from_stdin;
use crate::terminal::with_the_rest_of_its_burst;

/// Length limit of an input line, in bytes. A request may be much shorter.
const MAX_LINE: u64 = 16 * 1024 * 1024;

/// Prompt of a terminal without redrawing (screen reader or dumb terminal).
const PROMPT: &str = "artoo > ";

/// Printed if the input contained no request.
const NOTHING: &str = "\
artoo works on a request with tools, checks its own work, and says honestly how far it came.

Try:
  artoo                                         a conversation, at a terminal
  artoo setup                                   choose a model
  artoo run \"How many .txt files are in docs?\"  work on a request
  artoo doctor                                  what works on this machine
  artoo --help                                  everything else
";

/// Works on one line after the other. The exit code is that of the last line that
/// failed, and 2 if there was no request at all.
pub(super) fn run(
    context: &mut Context<'_>,
    state: &mut State,
    threads: &Runtime,
) -> Result<Exit, CommandError> {
    let mut exit = Exit::OK;
    let mut asked = false;
    let mut ahead = None;
    // A terminal without redrawing: used by a screen reader, or a dumb one.
    let at_terminal = context.streams.stdin && context.streams.stderr;
    if at_terminal {
        state.greet(context);
    }
    loop {
        if at_terminal {
            context.terminal.prompt(PROMPT);
        }
        let read = ahead.take().map_or_else(next, Ok)?;
        let Some(line) = read else { break };
        let line = if at_terminal { line.map(|line| whole_paste(line, &mut ahead)) } else { line };
        let done = match line.and_then(|line| Entered::at_prompt(&line)) {
            Ok(Entered::Nothing) => continue,
            Ok(Entered::Request(text)) => {
                state.request(context, threads, text, from_stdin()).map(|done| done.exit)
            }
            Ok(Entered::Command(command)) => {
                state.command(context, threads, &command, from_stdin()).map(|done| done.exit)
            }
            Ok(Entered::Slash(slash)) => match slash::run(context, state, threads, &slash) {
                Ok(Then::GoOn) => Ok(Exit::OK),
                Ok(Then::Request(text)) => {
                    state.request(context, threads, text, from_stdin()).map(|done| done.exit)
                }
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
    if at_terminal {
        // Ctrl+D leaves the cursor behind the prompt; end that line.
        context.terminal.note("");
        return Ok(Exit::OK);
    }
    if !asked {
        context.terminal.note(NOTHING.trim_end());
        return Ok(Exit::USAGE);
    }
    Ok(exit)
}

/// What was read from standard input: a line, or what is wrong with it; `None` at the end of input.
type NextLine = Option<Result<String, CommandError>>;

/// The whole of a paste, which is one request; a command is a line. What ended it goes into `ahead`.
fn whole_paste(line: String, ahead: &mut Option<NextLine>) -> String {
    if is_command(&line) {
        return line;
    }
    with_the_rest_of_its_burst(line, || match next() {
        Ok(Some(Ok(line))) => Some(line),
        // A line that cannot be read, or the end.
        Ok(other) => {
            *ahead = Some(other);
            None
        }
        Err(error) => {
            *ahead = Some(Some(Err(error)));
            None
        }
    })
}

/// The next line, or what is wrong with it; `None` at the end of input.
///
/// # Errors
/// Standard input can no longer be read.
fn next() -> Result<NextLine, CommandError> {
    let mut bytes = Vec::new();
    // The lock is released before a run reads standard input for its own questions.
    let mut input = std::io::stdin().lock();
    // One byte more than the limit, to detect a longer line.
    let read = input.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut bytes).and_then(|read| {
        if read as u64 > MAX_LINE && !bytes.ends_with(b"\n") {
            input.skip_until(b'\n')?;
        }
        Ok(read)
    });
    match read {
        Ok(0) => Ok(None),
        Ok(read) if read as u64 > MAX_LINE => {
            Ok(Some(Err(CommandError::usage("a line of standard input is longer than 16 MiB")
                .hint("put the data into a file, and name the file in the request"))))
        }
        Ok(_) => Ok(Some(String::from_utf8(bytes).map_err(|_| {
            CommandError::usage("this line of standard input is not UTF-8 text")
                .hint("convert it, for example with iconv")
        }))),
        Err(error) => Err(CommandError::failed("cannot read standard input").because(error)),
    }
}
