//! `artoo mcp add`: writes a server into the configuration, starts it once, and asks about its tools.

use std::collections::BTreeMap;

use artoo_mcp::{ServerConfig, ServerTable};

use super::configured::Configured;
use super::test::{TestOutcome, try_out};
use crate::args::McpAddArgs;
use crate::config::{refused_server, server_table};
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};

/// Adds a server. One that does not start is not added; one that wants a login is, since it is the configured servers that can be
/// logged in to.
pub(super) fn run(context: &mut Context<'_>, args: &McpAddArgs) -> Result<Exit, CommandError> {
    let configured = Configured::load(context)?;
    let server = server(context, args)?;
    if configured.settings.servers.iter().any(|known| known.name == server.name) {
        let name = &server.name;
        return Err(CommandError::usage(format!("there is a server named {name} already"))
            .hint(format!("choose another name, or take it out first: artoo mcp remove {name}")));
    }
    let tried = try_out(context, &configured, &server, args.yes)?;
    let name = &server.name;
    server_table::write(&configured.file, &name.to_string(), Some(&ServerTable::from(&server)))?;
    context.terminal.note(&format!("added to {}", configured.file.display()));
    match tried {
        TestOutcome::Works(exit) => Ok(exit),
        TestOutcome::WantsLogin(_) => {
            context
                .terminal
                .note(&format!("the server {name} wants a login, and says nothing of its tools before"));
            context.terminal.hint(&format!("artoo mcp login {name}, and then artoo mcp test {name}"));
            Ok(Exit::INCOMPLETE)
        }
    }
}

fn server(context: &Context<'_>, args: &McpAddArgs) -> Result<ServerConfig, CommandError> {
    let folders = args.folder.iter().map(|folder| context.folders.whole(folder)).collect::<Result<_, _>>()?;
    let mut command = args.command.iter();
    let table = ServerTable {
        command: command.next().cloned(),
        args: command.cloned().collect(),
        env: pairs(&args.env, '=', "--env")?,
        folders,
        network: args.network,
        url: args.url.clone(),
        headers: pairs(&args.header, ':', "--header")?,
        ..ServerTable::default()
    };
    if table.command.is_none() && table.url.is_none() {
        return Err(CommandError::usage("a server is a program or an address, and neither is given")
            .hint("artoo mcp add NAME -- COMMAND, or artoo mcp add NAME --url URL"));
    }
    let name = args.name.parse().map_err(|error| refused_server(&error))?;
    table.into_config(name, &context.folders.home).map_err(|error| refused_server(&error))
}

fn pairs(given: &[String], sign: char, option: &str) -> Result<BTreeMap<String, String>, CommandError> {
    let one = |text: &String| {
        let (name, value) = text.split_once(sign).ok_or_else(|| {
            CommandError::usage(format!("{option} {text:?} has no `{sign}`"))
                .hint(format!("write NAME{sign}VALUE"))
        })?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    given.iter().map(one).collect()
}
