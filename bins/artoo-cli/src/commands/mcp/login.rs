//! `artoo mcp login` and `logout`: for servers that ask for it.

use std::io;
use std::sync::Arc;

use artoo_mcp::{Connection, KnownClient, McpError, OpenPage, Transport, has_login};

use super::configured::Configured;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::machine::threads;
use crate::servers::explained;
use crate::terminal::{StderrWriter, neutral_line};

/// Logs in to a server: its page is opened by the user, and what it answers is kept.
pub(super) fn login(context: &mut Context<'_>, name: &str) -> Result<Exit, CommandError> {
    let configured = Configured::load(context)?;
    let server = configured.server(name)?;
    if let Transport::Stdio(_) = server.transport {
        return Err(CommandError::usage(format!("the server {name} is a program, and asks for no login"))
            .hint("give it its secret as a variable: env = { NAME = \"${VARIABLE}\" }"));
    }
    let cx = configured.start_context(context)?;
    let threads = threads::for_waiting()?;
    let challenge = match threads.block_on(Connection::start(server.clone(), &cx)) {
        Ok(connection) => {
            let wanted = connection.wanted_login();
            threads.block_on(connection.close());
            if wanted.is_none() {
                let said = if has_login(&server, &cx) { "you are logged in" } else { "it asks for no login" };
                context.terminal.note(&format!("the server {name} works: {said}"));
                return Ok(Exit::OK);
            }
            wanted
        }
        Err(McpError::Login { challenge, .. }) => challenge,
        Err(error) => return Err(explained(&error)),
    };
    let pages = PrintPage(context.terminal.errors());
    let known = KnownClient::default();
    threads
        .block_on(artoo_mcp::login(&server, challenge.as_deref(), known, &pages, &cx))
        .map_err(|error| explained(&error))?;
    context.terminal.note(&format!("logged in to {name}; what it offers: artoo mcp test {name}"));
    Ok(Exit::OK)
}

/// Forgets a login.
pub(super) fn logout(context: &mut Context<'_>, name: &str) -> Result<Exit, CommandError> {
    let configured = Configured::load(context)?;
    let server = configured.server(name)?;
    let cx = configured.start_context(context)?;
    let was_there = match server.transport {
        Transport::Http(_) => artoo_mcp::logout(&server, &cx).map_err(|error| explained(&error))?,
        Transport::Stdio(_) => false,
    };
    let said = if was_there { "the login is forgotten" } else { "there was no login" };
    context.terminal.note(&format!("{name}: {said}"));
    Ok(Exit::OK)
}

/// Prints the address of the page: which browser is whose is not for artoo to guess.
struct PrintPage(Arc<StderrWriter>);

impl OpenPage for PrintPage {
    fn open(&self, page: &str) -> io::Result<()> {
        self.0.log(format!("open this page in your browser to log in: {}", neutral_line(page)));
        Ok(())
    }
}
