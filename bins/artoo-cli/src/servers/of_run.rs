//! The servers of one run: connected, approved, and offered as tools.

use std::path::Path;
use std::sync::Arc;

use artoo_front_end::ClientServer;
use artoo_llm_client::ModelProfile;
use artoo_mcp::{Connection, McpError, McpTool, Pins, ServerConfig, ServerTools};
use artoo_policy::Policy;
use artoo_tools::{Tool as _, Toolbox};
use tokio::runtime::Runtime;

use super::start_context::own_folder;
use super::start_question::agreed_of_client;
use super::{RunningServers, approve, folder_offer, hint, in_words, start_context, with_variables};
use crate::config::Settings;
use crate::dispatch::Context;
use crate::run::BeforeRun;
use crate::terminal::Terminal;

/// How many characters of a definition are a token, about.
const CHARACTERS_OF_A_TOKEN: usize = 4;
/// Which part of a model's context definitions may take.
const PART: u32 = 4;

/// The servers of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServersOfRun {
    pub(crate) connections: Vec<Arc<Connection>>,
    tools: ServerTools,
}

impl ServersOfRun {
    /// The toolbox with their tools: each by itself where the model can carry all of them, otherwise behind a search.
    pub(crate) fn offered_in(&self, toolbox: Toolbox, profile: &ModelProfile) -> Toolbox {
        let characters = |tool: &Arc<McpTool>| tool.description().len() + tool.arguments().to_string().len();
        let tokens = self.tools.all().iter().map(characters).sum::<usize>() / CHARACTERS_OF_A_TOKEN;
        let room = usize::try_from(profile.context_tokens / PART).unwrap_or(usize::MAX);
        let most = if tokens <= room { usize::MAX } else { 0 };
        self.tools.offered(most).into_iter().fold(toolbox, Toolbox::with_shared)
    }
}

/// Starts the servers of a run in this folder: the configured ones, those that the folder offers, and those of a client. What is new of
/// them is asked about; what cannot be had is a warning, and the run goes on without it.
pub(crate) fn prepared(
    context: &mut Context<'_>,
    (settings, policy): (&Settings, &Policy),
    (folder, of_client): (&Path, &[ClientServer]),
    asked: &dyn BeforeRun,
    running: &mut RunningServers,
    threads: &Runtime,
) -> ServersOfRun {
    let pins = Pins::new(own_folder(settings));
    let (clients, variables) = with_variables(of_client);
    let mut configs = settings.servers.clone();
    let offered = folder_offer::servers(context, folder, &pins, asked);
    let mut passed = Vec::new();
    for config in clients {
        match config {
            Ok(config) => passed.push(config),
            Err(error) => tell(context.terminal, asked, &error),
        }
    }
    let passed = agreed_of_client(context, passed, &pins, asked).unwrap_or_else(|error| {
        tell(context.terminal, asked, &error);
        Vec::new()
    });
    // Who comes first keeps the name: the user's own configuration, then the client, then the folder.
    for config in passed.into_iter().chain(offered) {
        add(context.terminal, asked, &mut configs, config);
    }
    if configs.is_empty() {
        return ServersOfRun::default();
    }
    let cx = start_context(context, settings, policy, (folder, variables), running.cancel());
    let mut of_run = ServersOfRun::default();
    let mut tools = Vec::new();
    for connection in threads.block_on(running.connect(&configs, &cx)) {
        let connection = match connection {
            Ok(connection) => connection,
            Err(error) => {
                tell(context.terminal, asked, &error);
                continue;
            }
        };
        match approve(context.terminal, &pins, &connection, asked) {
            Ok((approved, answer)) => {
                let own = McpTool::of(&connection, &approved);
                let left_out = connection.definitions().len().saturating_sub(own.len());
                if answer == Some(false) && left_out > 0 {
                    left_unapproved(context.terminal, asked, &connection, left_out);
                }
                tools.extend(own);
            }
            Err(error) => tell(context.terminal, asked, &error),
        }
        of_run.connections.push(connection);
    }
    of_run.tools = ServerTools::new(tools);
    of_run
}

fn add(
    terminal: &mut Terminal,
    asked: &dyn BeforeRun,
    configs: &mut Vec<ServerConfig>,
    config: ServerConfig,
) {
    if configs.iter().any(|known| known.name == config.name) {
        asked.warn(
            terminal,
            &format!("there are two servers named {}; the first one is started", config.name),
        );
    } else {
        configs.push(config);
    }
}

fn left_unapproved(terminal: &mut Terminal, asked: &dyn BeforeRun, connection: &Connection, count: usize) {
    let name = connection.name();
    let (tools, are) = if count == 1 { ("tool", "is") } else { ("tools", "are") };
    asked.warn(terminal, &format!(
        "{count} {tools} of the server {name} {are} not offered: you have not approved them as they are now"
    ));
    terminal.hint(&format!("artoo mcp test {name}"));
}

/// Tells that a server cannot be had.
fn tell(terminal: &mut Terminal, asked: &dyn BeforeRun, error: &McpError) {
    asked.warn(terminal, &in_words(error));
    if let Some(hint) = hint(error) {
        terminal.hint(&hint);
    }
}
