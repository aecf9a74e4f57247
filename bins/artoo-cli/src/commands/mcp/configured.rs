//! The configured servers, and what is needed to start one of them alone.

use std::collections::BTreeMap;

use artoo_mcp::{Pins, ServerConfig, StartContext};
use tokio_util::sync::CancellationToken;

use crate::commands::Loaded;
use crate::config::{self, Given, Settings};
use crate::dispatch::Context;
use crate::error::CommandError;
use crate::servers::{own_folder, start_context};
use crate::suggest::nearest;

/// The configuration, as far as servers go.
pub(super) struct Configured {
    pub(super) settings: Settings,
    /// The configuration file.
    pub(super) file: std::path::PathBuf,
    pub(super) pins: Pins,
}

impl Configured {
    pub(super) fn load(context: &mut Context<'_>) -> Result<Self, CommandError> {
        let Loaded { settings, file, .. } = Loaded::load(context, Given::default())?;
        let pins = Pins::new(own_folder(&settings));
        Ok(Self { settings, file, pins })
    }

    /// The server of this name.
    ///
    /// # Errors
    /// There is none; the nearest name is the hint.
    pub(super) fn server(&self, name: &str) -> Result<ServerConfig, CommandError> {
        let names = || self.settings.servers.iter().map(|server| server.name.to_string());
        if let Some(found) = self.settings.servers.iter().find(|server| server.name.to_string() == name) {
            return Ok(found.clone());
        }
        let known: Vec<String> = names().collect();
        let hint = match nearest(name, known.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if known.is_empty() => "add one: artoo mcp add NAME -- COMMAND".to_owned(),
            None => format!("the servers are: {}", known.join(", ")),
        };
        Err(CommandError::usage(format!("no server is named `{name}`")).hint(hint))
    }

    /// What a server is started with, in the current folder.
    pub(super) fn start_context(&self, context: &Context<'_>) -> Result<StartContext, CommandError> {
        let policy = config::own_policy(context.environment, &context.folders.home)?;
        let folder = context.folders.current()?.to_owned();
        let place = (folder.as_path(), BTreeMap::new());
        Ok(start_context(context, &self.settings, &policy, place, CancellationToken::new()))
    }
}
