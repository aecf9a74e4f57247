//! `artoo mcp show`: how a server is reached, what it may do, and the tools that the user approved. It is not started.

use artoo_mcp::{Identity, ServerTable};

use super::configured::Configured;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::servers::{explained, may_do};
use crate::terminal::neutral;

/// Shows a server.
pub(super) fn run(context: &mut Context<'_>, name: &str) -> Result<Exit, CommandError> {
    let configured = Configured::load(context)?;
    let server = configured.server(name)?;
    let table = toml::to_string(&ServerTable::from(&server))
        .map_err(|error| CommandError::failed("the server cannot be written as a table").because(error))?;
    let mut text = format!("[mcp.servers.{}]\n{}\nit may {}\n", server.name, table, may_do(&server));
    let approved = configured.pins.approved(&Identity::of(&server)).map_err(|error| explained(&error))?;
    match approved {
        None => text.push_str(&format!("nothing of it is approved yet: artoo mcp test {name}\n")),
        Some(definitions) => {
            for definition in definitions {
                text.push_str(&format!("\n{}\n", definition.lines()));
            }
        }
    }
    context.terminal.data(&neutral(&text))?;
    Ok(Exit::OK)
}
