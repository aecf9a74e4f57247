//! Servers of tools in the conversation: `/mcp`, and `/SERVER:PROMPT`, which makes a request of a server's prompt.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use artoo_consent::Nobody;
use artoo_mcp::{Connection, PromptEntry, ServerConfig, ServerState};
use tokio::runtime::Runtime;

use super::slash::Then;
use super::state::State;
use crate::commands::Loaded;
use crate::config::{self, Given};
use crate::dispatch::Context;
use crate::error::CommandError;
use crate::run::{from_stdin, is_yes};
use crate::servers::{explained, start_context};
use crate::suggest::nearest;
use crate::terminal::{neutral, neutral_line};

/// Tells which servers run in this conversation, and their tools.
pub(super) fn tell(context: &mut Context<'_>, state: &State) {
    for connection in state.servers.connections() {
        let name = connection.name();
        let told = match connection.state() {
            ServerState::Running { protocol, software } => {
                let software = software.map(|software| format!("{software}, ")).unwrap_or_default();
                format!("{name} runs here: {software}protocol {protocol}")
            }
            ServerState::Ended { reason } => format!("{name} has ended: {reason}"),
        };
        context.terminal.note(&neutral_line(&told));
        let tools: Vec<String> =
            connection.definitions().into_iter().map(|definition| definition.name).collect();
        if !tools.is_empty() {
            context.terminal.note(&neutral_line(&format!("    tools: {}", tools.join(", "))));
        }
    }
}

/// The request that a prompt of a server makes. The server wrote it, so it is shown and asked about first.
pub(super) fn prompt(
    context: &mut Context<'_>,
    state: &mut State,
    threads: &Runtime,
    (server, prompt): (&str, &str),
    arguments: &[String],
) -> Result<Then, CommandError> {
    let connection = connected(context, state, threads, server)?;
    let known = threads.block_on(connection.prompts()).map_err(|error| explained(&error))?;
    let Some(entry) = known.iter().find(|entry| entry.name == prompt) else {
        let names: Vec<&str> = known.iter().map(|entry| entry.name.as_str()).collect();
        let hint = match names.is_empty() {
            true => format!("{server} has no prompts"),
            false => format!("its prompts: {}", names.join(", ")),
        };
        return Err(CommandError::usage(format!("{server} has no prompt `{prompt}`")).hint(hint));
    };
    let given = named(entry, arguments)?;
    let asked = connection.prompt(prompt, &given, Arc::new(Nobody));
    let text = threads.block_on(asked).map_err(|error| explained(&error))?;
    context.terminal.note(&format!("? {server} wrote this request:"));
    neutral(&text).lines().for_each(|line| context.terminal.note(&format!("    {line}")));
    if !(context.streams.stdin && context.streams.stderr) {
        return Err(CommandError::usage("nobody is there to be asked, so the prompt is no request"));
    }
    let keyboard = from_stdin();
    keyboard.begin();
    context.terminal.prompt("work on it? [y/N] > ");
    Ok(if is_yes(&keyboard.line()) { Then::Request(text) } else { Then::GoOn })
}

/// The arguments of a prompt: `NAME=VALUE`, or one value where it has one argument.
fn named(entry: &PromptEntry, arguments: &[String]) -> Result<BTreeMap<String, String>, CommandError> {
    let mut given = BTreeMap::new();
    for argument in arguments {
        match (argument.split_once('='), entry.arguments.as_slice()) {
            (Some((name, value)), known) if known.iter().any(|(known, _)| known == name) => {
                given.insert(name.to_owned(), value.to_owned());
            }
            (_, [(only, _)]) => {
                given.insert(only.clone(), argument.clone());
            }
            _ => return Err(usage(entry)),
        }
    }
    let is_missing = |(name, must): &&(String, bool)| *must && !given.contains_key(name);
    if entry.arguments.iter().any(|argument| is_missing(&argument)) { Err(usage(entry)) } else { Ok(given) }
}

fn usage(entry: &PromptEntry) -> CommandError {
    let one =
        |(name, must): &(String, bool)| if *must { format!("{name}=...") } else { format!("[{name}=...]") };
    let takes: Vec<String> = entry.arguments.iter().map(one).collect();
    CommandError::usage(format!("the prompt {} takes: {}", entry.name, takes.join(" ")))
        .hint("quotes keep a value with blanks together")
}

/// The connection to a server: the one that runs, or a new one.
fn connected(
    context: &mut Context<'_>,
    state: &mut State,
    threads: &Runtime,
    name: &str,
) -> Result<Arc<Connection>, CommandError> {
    let running = state.servers.connections().find(|connection| {
        let runs = matches!(connection.state(), ServerState::Running { .. });
        runs && connection.name().to_string() == name
    });
    if let Some(running) = running {
        return Ok(Arc::clone(running));
    }
    let settings = Loaded::load(context, Given::default())?.settings;
    let Some(server) = settings.servers.iter().find(|server| server.name.to_string() == name) else {
        return Err(unknown(name, &settings.servers));
    };
    let policy = config::own_policy(context.environment, &context.folders.home)?;
    let folder: PathBuf = state.folder().to_owned();
    let place = (folder.as_path(), BTreeMap::new());
    let cx = start_context(context, &settings, &policy, place, state.servers.cancel());
    let mut connections = threads.block_on(state.servers.connect(std::slice::from_ref(server), &cx));
    match connections.pop() {
        Some(connection) => connection.map_err(|error| explained(&error)),
        None => Err(unknown(name, &settings.servers)),
    }
}

fn unknown(name: &str, servers: &[ServerConfig]) -> CommandError {
    let names: Vec<String> = servers.iter().map(|server| server.name.to_string()).collect();
    let error = CommandError::usage(format!("there is no command /{name}:..., and no server named `{name}`"));
    match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => error.hint(format!("did you mean the server {near}?")),
        None => error.hint("servers: /mcp; all commands: /help"),
    }
}
