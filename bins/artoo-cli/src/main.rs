//! The `artoo` binary: arguments, configuration, terminal.
//!
//! *Architecture invariant*: there is no behaviour here that a library user would miss. A request is handed
//! to [`artoo_runtime`], and what is shown of it is a fold over what comes back. Nothing but
//! [`terminal::Terminal`] and the log, through its stream, writes to the standard streams; nothing but
//! [`main`] reads the environment; and no configuration is read from the working folder.

#[cfg(windows)]
compile_error!("artoo does not support Windows: its sandbox, undo store and terminal are written for Unix");

mod args;
mod cassette;
mod commands;
mod completion;
mod config;
mod dispatch;
mod doctor;
mod error;
mod hosting;
mod instructions;
mod known_servers;
mod llm_clients;
mod log;
mod machine;
mod memory_location;
mod repl;
mod run;
mod servers;
mod setup;
mod signals;
mod suggest;
mod terminal;
mod tools;
mod view;

use std::io::{IsTerminal, stderr, stdin, stdout};
use std::process::ExitCode;

use machine::Environment;
use terminal::{Look, Streams, Terminal};

fn main() -> ExitCode {
    // What whoever started artoo left open is not for the programs that artoo starts.
    artoo_sandbox::keep_descriptors_from_children();
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    // The only place that reads the environment.
    let environment = Environment::new(std::env::vars_os());
    let streams = Streams {
        stdin: stdin().is_terminal(),
        stdout: stdout().is_terminal(),
        stderr: stderr().is_terminal(),
    };
    let columns = terminal::size_of_stderr().and_then(|size| size.columns);
    let mut terminal = Terminal::new(
        Box::new(stdout()),
        Box::new(stderr()),
        Look::of(streams.stdout, columns, &environment),
        Look::of(streams.stderr, columns, &environment),
        terminal::size_of_stderr,
    );
    let done = dispatch::run(&words, &environment, streams, &mut terminal);
    let exit = done.unwrap_or_else(|error| {
        terminal.error(&error);
        error.kind().exit()
    });
    drop(terminal);
    ExitCode::from(exit.code())
}
