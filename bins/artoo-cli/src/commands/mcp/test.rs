//! `artoo mcp test`: starts a server, says whether it works, and asks about what is new of its tools.

use artoo_front_end::Confirmation;
use artoo_mcp::{Connection, Identity, McpError, ServerConfig, ServerState};

use super::configured::Configured;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::machine::threads;
use crate::run::{AtTerminal, BeforeRun, from_stdin};
use crate::servers::{approve, explained};
use crate::terminal::{Terminal, neutral_line};

/// Tests a configured server.
pub(super) fn run(context: &mut Context<'_>, name: &str, yes: bool) -> Result<Exit, CommandError> {
    let configured = Configured::load(context)?;
    let server = configured.server(name)?;
    match try_out(context, &configured, &server, yes)? {
        TestOutcome::Works(exit) => Ok(exit),
        TestOutcome::WantsLogin(error) => Err(explained(&error)),
    }
}

/// What became of a server that was started.
pub(super) enum TestOutcome {
    /// It works; the exit code says whether its tools are approved.
    Works(Exit),
    /// It asks for a login first.
    WantsLogin(McpError),
}

/// Starts a server, tells about it and asks about its tools; it is ended then.
pub(super) fn try_out(
    context: &mut Context<'_>,
    configured: &Configured,
    server: &ServerConfig,
    yes: bool,
) -> Result<TestOutcome, CommandError> {
    let cx = configured.start_context(context)?;
    let threads = threads::for_waiting()?;
    let connection = match threads.block_on(Connection::start(server.clone(), &cx)) {
        Ok(connection) => connection,
        Err(error @ McpError::Login { .. }) => return Ok(TestOutcome::WantsLogin(error)),
        Err(error) => return Err(explained(&error)),
    };
    if let ServerState::Running { protocol, software } = connection.state() {
        let software = software.map(|software| format!(" ({})", neutral_line(&software))).unwrap_or_default();
        context
            .terminal
            .note(&format!("{} works{software}, by version {protocol} of the protocol", server.name));
    }
    for unusable in connection.unusable() {
        context.terminal.warning(&format!("the tool {} cannot be offered: {}", unusable.name, unusable.why));
    }
    let known = configured.pins.approved(&Identity::of(server)).map_err(|error| explained(&error))?;
    let outcome = if yes {
        let now = connection.definitions();
        configured.pins.approve(&Identity::of(server), now.clone()).map(|()| (now, Some(true)))
    } else {
        let keyboard = from_stdin();
        let is_there = context.streams.stdin && context.streams.stderr;
        let asked = DefinitionPrompt { at: AtTerminal::new(&*keyboard, is_there) };
        approve(context.terminal, &configured.pins, &connection, &asked)
    };
    threads.block_on(connection.close());
    let (approved, answer) = outcome.map_err(|error| explained(&error))?;
    let names: Vec<String> = approved.iter().map(|definition| definition.name.clone()).collect();
    if !names.is_empty() {
        context.terminal.data(&format!("{}\n", neutral_line(&format!("approved: {}", names.join(", ")))))?;
    }
    if answer == Some(false) {
        let hint = format!("at a terminal, or with --yes: artoo mcp test {}", server.name);
        let what = if known.is_none() { "nothing of it is approved" } else { "its changes are not approved" };
        context.terminal.note(what);
        context.terminal.hint(&hint);
        return Ok(TestOutcome::Works(Exit::INCOMPLETE));
    }
    Ok(TestOutcome::Works(Exit::OK))
}

/// Asks at the terminal, and shows what is asked about where nobody is there as well.
struct DefinitionPrompt<'a> {
    at: AtTerminal<'a>,
}

impl BeforeRun for DefinitionPrompt<'_> {
    fn is_there(&self) -> bool {
        true
    }

    fn confirm(&self, terminal: &mut Terminal, confirmation: Confirmation) -> bool {
        if self.at.is_there() {
            return self.at.confirm(terminal, confirmation);
        }
        terminal.note(&neutral_line(&confirmation.about));
        confirmation.lines.iter().for_each(|line| terminal.note(&format!("    {}", neutral_line(line))));
        false
    }
}
