//! `artoo mcp list`.

use artoo_mcp::{Identity, ServerConfig, ServerTable, Transport};
use serde::Serialize;

use super::configured::Configured;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::servers::{explained, may_do};
use crate::terminal::{neutral_json, neutral_line};

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
    for server in &configured.settings.servers {
        let approved = configured.pins.approved(&Identity::of(server)).map_err(|error| explained(&error))?;
        let approved = approved.map(|definitions| definitions.len());
        let line = if json {
            let row = Row { name: server.name.to_string(), server: ServerTable::from(server), approved };
            let text = serde_json::to_string(&row)
                .map_err(|error| CommandError::failed("a server cannot be written as JSON").because(error))?;
            neutral_json(&text).into_owned()
        } else {
            neutral_line(&line(server, approved))
        };
        context.terminal.data(&format!("{line}\n"))?;
    }
    Ok(Exit::OK)
}

fn line(server: &ServerConfig, approved: Option<usize>) -> String {
    let place = match &server.transport {
        Transport::Stdio(stdio) => stdio.command.to_string(),
        Transport::Http(http) => http.url.to_string(),
    };
    let tools = match approved {
        None => "not approved yet".to_owned(),
        Some(1) => "1 tool approved".to_owned(),
        Some(count) => format!("{count} tools approved"),
    };
    format!("{}: {place} (it may {}; {tools})", server.name, may_do(server))
}
