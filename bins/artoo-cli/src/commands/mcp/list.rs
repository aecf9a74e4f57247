//! `artoo mcp list`.

use artoo_mcp::{Identity, ServerConfig, ServerTable, Transport};
use serde::Serialize;

use super::configured::Configured;
use crate::commands::runs::place;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::servers::{explained, may_do};
use crate::terminal::{neutral_json, neutral_line};
use crate::view::{Cell, list};

/// A server as programs get it.
#[derive(Serialize)]
struct Row {
    name: String,
    #[serde(flatten)]
    server: ServerTable,
    /// How many of its tools the user has approved; `null` if they were never asked.
    approved: Option<usize>,
}

/// Lists the configured servers. None is started.
pub(super) fn run(context: &mut Context<'_>, json: bool) -> Result<Exit, CommandError> {
    let configured = Configured::load(context)?;
    if configured.settings.servers.is_empty() && !json {
        context.terminal.note("no server of tools is configured; add one: artoo mcp add NAME -- COMMAND");
    }
    let mut rows = Vec::new();
    for server in &configured.settings.servers {
        let approved = configured.pins.approved(&Identity::of(server)).map_err(|error| explained(&error))?;
        let approved = approved.map(|definitions| definitions.len());
        if json {
            let row = Row { name: server.name.to_string(), server: ServerTable::from(server), approved };
            let text = serde_json::to_string(&row)
                .map_err(|error| CommandError::failed("a server cannot be written as JSON").because(error))?;
            context.terminal.data(&format!("{}\n", neutral_json(&text)))?;
        } else {
            rows.push(row(server, approved));
        }
    }
    let text = list(["SERVER", "TOOLS", "REACHED BY", "IT MAY"], &rows, place(context));
    context.terminal.data(&text)?;
    Ok(Exit::OK)
}

/// The columns of a server. A program stands without its arguments, which `artoo mcp show` has.
fn row(server: &ServerConfig, approved: Option<usize>) -> [Cell; 4] {
    let place = match &server.transport {
        Transport::Stdio(stdio) => stdio.command.to_string(),
        Transport::Http(http) => http.url.to_string(),
    };
    let tools = approved.map_or_else(|| "not approved yet".to_owned(), |count| format!("{count} approved"));
    [server.name.to_string(), tools, place, may_do(server)].map(|text| Cell::from(neutral_line(&text)))
}
