//! Creates the LLM clients of the chosen models.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use artoo_llm_client::LlmClient;
use artoo_llm_http::{Anthropic, ApiKey, HttpConfig, OpenAiCompatible};
use artoo_llm_local::{LocalModel, LocalOptions, store};
use artoo_types::{Remedy, Role};

use crate::config::{ModelChoice, Provider, RoleModels, Settings, applied};
use crate::error::CommandError;
use crate::machine::Environment;
use crate::terminal::worded;

/// The client of each role that uses a model. Roles with the same choice share one.
pub(crate) type Clients = BTreeMap<Role, Arc<dyn LlmClient>>;

/// Creates the clients. No request is sent and no file is opened yet.
pub(crate) fn connect(
    models: &RoleModels,
    settings: &Settings,
    environment: &Environment,
) -> Result<Clients, CommandError> {
    shared(models, |choice| client(choice, settings, environment))
}

/// The store of the embedded models.
pub(crate) fn model_store(data_dir: &Path) -> store::ModelStore {
    store::ModelStore::new(data_dir.join("models"))
}

/// A single client without roles, for `doctor`.
pub(crate) fn client(
    choice: &ModelChoice,
    settings: &Settings,
    environment: &Environment,
) -> Result<Arc<dyn LlmClient>, CommandError> {
    let refused = |error: artoo_llm_client::LlmError| {
        let hint = match error.hint() {
            Some(hint) => worded(hint, error.remedy()),
            None => worded("look at the configuration", Some(Remedy::ShowConfiguration)),
        };
        CommandError::configuration(format!("the model {} cannot be used", choice.model))
            .because(error)
            .hint(hint)
    };
    Ok(match choice.provider {
        Provider::Openai => {
            Arc::new(OpenAiCompatible::new(http(choice, settings, environment)?).map_err(refused)?)
        }
        Provider::Anthropic => {
            Arc::new(Anthropic::new(http(choice, settings, environment)?).map_err(refused)?)
        }
        Provider::Local => {
            let entry = store::find(&choice.model).ok_or_else(|| {
                CommandError::configuration(format!("there is no embedded model `{}`", choice.model))
                    .hint("see: artoo model list")
            })?;
            let store = model_store(&settings.data_dir);
            let file = store.path(entry);
            let mut options = LocalOptions::new(file, entry.name);
            options.prefix_folder = Some(store.prefixes(entry));
            if let Some(said) = settings.models.get(&choice.model) {
                options.profile = said.clone();
                let context = said.context_tokens.and_then(|tokens| usize::try_from(tokens).ok());
                options.context = context.unwrap_or(options.context);
            }
            Arc::new(LocalModel::new(options))
        }
    })
}

/// The API key of a choice, if it has one.
pub(crate) fn key(choice: &ModelChoice, environment: &Environment) -> Result<Option<ApiKey>, CommandError> {
    let Some(name) = &choice.key_env else { return Ok(None) };
    let Some(value) = environment.text(name) else { return Ok(None) };
    ApiKey::new(value).map(Some).map_err(|error| {
        CommandError::configuration(format!("the key in {name} cannot be used"))
            .because(error)
            .hint(format!("check the value of {name}"))
    })
}

/// HTTP settings for a server.
pub(crate) fn http(
    choice: &ModelChoice,
    settings: &Settings,
    environment: &Environment,
) -> Result<HttpConfig, CommandError> {
    Ok(HttpConfig {
        api_key: key(choice, environment)?,
        timeouts: settings.timeouts,
        retry: settings.retry,
        proxy: settings.proxy.clone(),
        profile: Some(applied(choice, &settings.models).profile),
        ..HttpConfig::new(&choice.base_url, &choice.model)
    })
}

/// One value per distinct choice, shared by every role with that choice.
pub(crate) fn shared(
    models: &RoleModels,
    mut make: impl FnMut(&ModelChoice) -> Result<Arc<dyn LlmClient>, CommandError>,
) -> Result<Clients, CommandError> {
    let mut made: Vec<(&ModelChoice, Arc<dyn LlmClient>)> = Vec::new();
    let mut clients = Clients::new();
    for (role, choice) in models.iter() {
        let client = match made.iter().find(|(known, _)| *known == choice) {
            Some((_, client)) => Arc::clone(client),
            None => {
                let client = make(choice)?;
                made.push((choice, Arc::clone(&client)));
                client
            }
        };
        clients.insert(role, client);
    }
    Ok(clients)
}
