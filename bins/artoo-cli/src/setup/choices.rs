//! Models available on this machine: local servers, keys in the environment, the embedded model.

use std::time::Duration;

use artoo_llm_http::{HttpConfig, Timeouts, served_models};
use artoo_llm_local::store::CATALOGUE;
use tokio::task::JoinSet;

use crate::commands::embedded_state;
use crate::config::{EmbeddedState, Provider, Settings};
use crate::error::CommandError;
use crate::known_servers::KNOWN_SERVERS;
use crate::machine::{Environment, threads};
use crate::terminal::neutral_line;
use crate::view::bytes;

/// An available model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// A server on this machine.
    Server {
        /// Name of the server software.
        name: &'static str,
        /// Its address.
        base_url: String,
        /// One of its models, named by the server.
        model: String,
    },
    /// An API key in the environment.
    Key {
        /// The provider that it belongs to.
        provider: Provider,
        /// The variable that holds it.
        variable: &'static str,
    },
    /// The embedded model.
    Embedded,
}

/// How long a local server may take to answer.
const WAIT: Duration = Duration::from_millis(300);
/// Maximum number of models listed per server: some offer hundreds.
const MODELS_SHOWN: usize = 8;

/// Looks for servers and keys. The embedded model can always be chosen.
pub(super) fn find(environment: &Environment, settings: &Settings) -> Result<Vec<Choice>, CommandError> {
    let runtime = threads::on_this_thread()?;
    let mut choices = runtime.block_on(servers());
    if environment.text("OPENAI_API_KEY").is_some() {
        choices.push(Choice::Key { provider: Provider::Openai, variable: "OPENAI_API_KEY" });
    }
    if environment.text("ANTHROPIC_API_KEY").is_some() {
        choices.push(Choice::Key { provider: Provider::Anthropic, variable: "ANTHROPIC_API_KEY" });
    }
    let installed = CATALOGUE
        .first()
        .is_some_and(|entry| embedded_state(&settings.data_dir, entry.name) == EmbeddedState::Installed);
    // An installed model comes before one that has to be downloaded.
    if installed {
        choices.insert(0, Choice::Embedded)
    } else {
        choices.push(Choice::Embedded)
    }
    Ok(choices)
}

async fn servers() -> Vec<Choice> {
    let mut probes = JoinSet::new();
    for (place, server) in KNOWN_SERVERS.into_iter().enumerate() {
        let config = HttpConfig {
            timeouts: Timeouts { connect: WAIT, first_byte: Some(WAIT), idle: Some(WAIT) },
            ..HttpConfig::new(server.base_url, "")
        };
        probes.spawn(async move { (place, server, served_models(&config).await) });
    }
    let mut found = probes.join_all().await;
    found.sort_by_key(|(place, ..)| *place);
    let mut choices = Vec::new();
    for (_, server, models) in found {
        let models = models.unwrap_or_default();
        choices.extend(models.into_iter().take(MODELS_SHOWN).map(|model| Choice::Server {
            name: server.name,
            base_url: server.base_url.to_owned(),
            model,
        }));
    }
    choices
}

impl Choice {
    /// Description of the choice and its consequences.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Server { name, base_url, model } => {
                format!("{} from {name} on this machine ({base_url})", neutral_line(model))
            }
            Self::Key { provider: Provider::Anthropic, variable } => {
                format!("Anthropic, with the key in {variable}: requests and what tools find are sent there")
            }
            Self::Key { variable, .. } => {
                format!("OpenAI, with the key in {variable}: requests and what tools find are sent there")
            }
            Self::Embedded => match CATALOGUE.first() {
                Some(entry) => format!(
                    "the embedded model {}: {} once, licence {}, runs on the CPU, nothing leaves this machine",
                    entry.name,
                    bytes(entry.size),
                    entry.licence
                ),
                None => "the embedded model".to_owned(),
            },
        }
    }
}
