//! `artoo mcp remove`.

use artoo_mcp::{Identity, Transport, logout};

use super::configured::Configured;
use crate::config::server_table;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::servers::{explained, in_words};

/// Takes a server out of the configuration, with its login and what was approved of it.
pub(super) fn run(context: &mut Context<'_>, name: &str) -> Result<Exit, CommandError> {
    let configured = Configured::load(context)?;
    let server = configured.server(name)?;
    if let Transport::Http(_) = server.transport {
        let cx = configured.start_context(context)?;
        if let Err(error) = logout(&server, &cx) {
            context.terminal.warning(&format!("its login may still be there: {}", in_words(&error)));
        }
    }
    server_table::write(&configured.file, name, None)?;
    configured.pins.forget(&Identity::of(&server)).map_err(|error| explained(&error))?;
    context.terminal.note(&format!("removed from {}: {name}", configured.file.display()));
    Ok(Exit::OK)
}
