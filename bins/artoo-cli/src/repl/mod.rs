//! The REPL (`artoo` without a command): a conversation, request by request.
//!
//! Between runs, a line editor reads the next line. While a run works, the terminal is read key by key: the
//! input line is drawn below the view and is the answer to a question, a note to the run, or the next
//! request. Without a terminal, each line of standard input is a request.

mod attached_files;
mod background;
mod complete;
mod diff;
mod editor;
mod hangup;
mod history;
mod parse_line;
mod prompt;
mod servers;
mod slash;
mod state;
mod type_ahead;
mod without_editor;

use std::collections::VecDeque;

use crate::args::RunArgs;
use crate::commands::Loaded;
use crate::config::Given;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::machine::threads;
use crate::run;
use crate::signals::{self, ContinueSignal, Standing};
use crate::terminal;

use editor::{Editor, Read};
use parse_line::Entered;
use state::State;
use type_ahead::After;

/// Runs the conversation: one request after the other, in one session.
pub(crate) fn run(context: &mut Context<'_>, args: RunArgs) -> Result<Exit, CommandError> {
    if let Some(exit) = run::choose_if_none(context, &args)? {
        return Ok(exit);
    }
    let threads = threads::for_runs()?;
    let (standing, continued) = {
        let _inside = threads.enter();
        let standing = Standing::watch(signals::catch().map_err(run::deaf)?, leave);
        (standing, ContinueSignal::watch(terminal::take_again_for_editor).map_err(run::deaf)?)
    };
    let mut state = State::new(context, args, standing, continued)?;
    context.terminal.converse(slash::TABLE.iter().map(|(name, ..)| *name));
    let at_terminal = context.streams.stdin && context.streams.stdout && context.streams.stderr;
    if at_terminal {
        context.terminal.shows_requests();
        // Loading the settings also switches the terminal to screen reader mode if
        // options or configuration ask for it.
        Loaded::load(context, Given::default())?;
    }
    let exit = if at_terminal && context.terminal.look().live {
        converse(context, &mut state, &threads)
    } else {
        without_editor::run(context, &mut state, &threads)
    };
    state.rest(&threads);
    threads.block_on(state.servers.close());
    // Does not wait: a model that computes or a stalled server must not delay the exit.
    threads.shutdown_background();
    exit
}

/// Restores the terminal, whichever mode it is in.
fn leave() {
    terminal::restore();
    // No effect outside of raw mode.
    let _ = crossterm::terminal::disable_raw_mode();
}

/// The conversation at a terminal.
fn converse(
    context: &mut Context<'_>,
    state: &mut State,
    threads: &tokio::runtime::Runtime,
) -> Result<Exit, CommandError> {
    state.greet(context);
    if let Err(error) = hangup::watch() {
        context.terminal.warning(&format!("the end of the terminal may not be noticed: {error}"));
    }
    let mut editor = Editor::new(context, state)?;
    // The unfinished line that was typed while a run worked, and the lines to process next.
    let mut draft = String::new();
    let mut next: VecDeque<String> = VecDeque::new();
    loop {
        state.tell_periodic(context);
        let line = match next.pop_front() {
            Some(line) => {
                context.terminal.note(&format!("› {}", terminal::neutral_line(&line)));
                line
            }
            None => match editor.read(context, state, &std::mem::take(&mut draft))? {
                Read::Line(line) => line,
                Read::Leave => return Ok(Exit::OK),
            },
        };
        let mut goes_on = |after: After| {
            draft = after.draft;
            next.extend(after.next);
        };
        let done = match Entered::at_prompt(&line) {
            Ok(Entered::Nothing) => Ok(()),
            Ok(Entered::Request(text)) => state.work(context, threads, text).map(&mut goes_on),
            Ok(Entered::Command(command)) => {
                state.command_while_typing(context, threads, &command).map(&mut goes_on)
            }
            Ok(Entered::Slash(slash)) => match slash::run(context, state, threads, &slash) {
                Ok(slash::Then::GoOn) => Ok(()),
                Ok(slash::Then::Request(text)) => state.work(context, threads, text).map(&mut goes_on),
                Ok(slash::Then::Leave) => return Ok(Exit::OK),
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        };
        // An error in one line does not end the conversation.
        if let Err(error) = done {
            context.terminal.error(&error);
        }
    }
}
