//! The choice of a model of a server: one that was found on this machine, or one at an address that is typed.

use std::time::Duration;

use artoo_llm_client::LlmError;
use artoo_llm_http::{ApiKey, HttpConfig, ListedModel, Timeouts, is_on_this_machine, listed_models};

use super::key_choice::{self, Key};
use super::model_servers::{FoundServer, ModelRow, Typed, list, rows};
use super::questions::{Questions, Stop, tell};
use super::screen::Situation;
use super::{Chosen, is_back};
use crate::config::{ModelTable, Provider, Settings};
use crate::dispatch::Context;
use crate::error::CommandError;
use crate::terminal::neutral_line;

/// Timeouts of each step of asking a server for its models.
const WAIT: Timeouts = Timeouts { connect: SECONDS, first_byte: Some(SECONDS), idle: Some(SECONDS) };
const SECONDS: Duration = Duration::from_secs(5);

/// Asks for a model; `None` if the person goes back.
pub(super) fn choose(
    context: &mut Context<'_>,
    questions: &mut Questions<'_>,
    settings: &Settings,
    situation: &Situation,
) -> Result<Option<Chosen>, Stop> {
    let memory = situation.embedded.memory;
    let rows = rows(&situation.servers, memory);
    for server in situation.servers.iter().filter(|server| server.models.is_empty()) {
        tell(context.terminal, 0, &without_models(&server.name));
    }
    let prompt = if rows.is_empty() {
        tell(
            context.terminal,
            0,
            "The address of a server that speaks OpenAI's protocol, for example http://192.168.0.7:11434",
        );
        "Address (b: back)"
    } else {
        show(context, &rows, memory);
        "Number, name or address (b: back)"
    };
    loop {
        let answer = questions.ask(context.terminal, prompt)?;
        if is_back(&answer) {
            return Ok(None);
        }
        let chosen = match Typed::of(&answer, &rows) {
            Typed::Model(row) => Some(of_row(&row, settings, None)),
            Typed::Address(address) => at_address(context, questions, settings, &address, None)?,
            // A name without a port can only be meant as an address where there is nothing else to choose.
            Typed::Unknown(_) if rows.is_empty() && answer.contains('.') => {
                at_address(context, questions, settings, &answer, None)?
            }
            Typed::Unknown(why) => {
                tell(context.terminal, 0, &why);
                None
            }
        };
        if chosen.is_some() {
            return Ok(chosen);
        }
    }
}

/// Asks the server at an address for its models, for a key if it wants one, and the person for one of the models. `None` if
/// that comes to nothing, which has been told.
pub(super) fn at_address(
    context: &mut Context<'_>,
    questions: &mut Questions<'_>,
    settings: &Settings,
    address: &str,
    mut key: Option<Key>,
) -> Result<Option<Chosen>, Stop> {
    let shown = neutral_line(address);
    loop {
        let config = HttpConfig { timeouts: WAIT, ..http(settings, address, "", key.as_ref()) };
        tell(context.terminal, 0, &format!("Asking {shown} for its models."));
        match questions.wait(listed_models(&config))? {
            Ok(models) if models.is_empty() => {
                tell(context.terminal, 0, &without_models(&shown));
                return Ok(None);
            }
            Ok(models) => return one_of(context, questions, settings, (address, &models), key),
            Err(LlmError::Status { status: status @ (401 | 403), .. }) => {
                let refused = match &key {
                    None => format!("{shown} wants a key (it answered {status})."),
                    Some(key) => {
                        format!("{shown} refuses the key in {} (it answered {status}).", key.variable)
                    }
                };
                tell(context.terminal, 0, &refused);
                key = Some(match key_choice::variable(context, questions)? {
                    Some(key) => key,
                    None => return Ok(None),
                });
            }
            Err(LlmError::Status { status, .. }) => {
                let refused = format!(
                    "{shown} answered {status} when asked for its models: some servers have no list."
                );
                tell(context.terminal, 0, &refused);
                let name = questions.ask(context.terminal, "Name of the model (b: back)")?;
                if is_back(&name) || name.is_empty() {
                    return Ok(None);
                }
                let model = ListedModel { name, size: None };
                return Ok(Some(of_row(&row(address, model), settings, key)));
            }
            Err(error) => {
                let failed = CommandError::failed(error.to_string());
                context.terminal.error(&failed.hint("check the address, and that the server runs"));
                return Ok(None);
            }
        }
    }
}

/// One of the models that a server at an address has. The only one is taken.
fn one_of(
    context: &mut Context<'_>,
    questions: &mut Questions<'_>,
    settings: &Settings,
    (address, models): (&str, &[ListedModel]),
    key: Option<Key>,
) -> Result<Option<Chosen>, Stop> {
    if let [only] = models {
        tell(context.terminal, 0, &format!("It has one model, {}.", neutral_line(&only.name)));
        return Ok(Some(of_row(&row(address, only.clone()), settings, key)));
    }
    let memory = if is_on_this_machine(address) { crate::machine::usable_memory() } else { None };
    let server =
        FoundServer { name: address.to_owned(), base_url: address.to_owned(), models: models.to_vec() };
    let rows = rows(&[server], memory);
    show(context, &rows, memory);
    loop {
        let answer = questions.ask(context.terminal, "Number or name (b: back)")?;
        if is_back(&answer) {
            return Ok(None);
        }
        match Typed::of(&answer, &rows) {
            Typed::Model(row) => return Ok(Some(of_row(&row, settings, key))),
            Typed::Address(_) => {
                tell(context.terminal, 0, &format!("type a number from 1 to {}", rows.len()))
            }
            Typed::Unknown(why) => tell(context.terminal, 0, &why),
        }
    }
}

fn show(context: &mut Context<'_>, rows: &[ModelRow], memory: Option<u64>) {
    for line in list(rows, memory, context.terminal.look().columns) {
        context.terminal.note(&line);
    }
}

fn without_models(server: &str) -> String {
    format!(
        "{server} answers, but has no models. Load one into it, for example with: ollama pull NAME, or lms get NAME"
    )
}

fn row(address: &str, model: ListedModel) -> ModelRow {
    ModelRow { server: address.to_owned(), base_url: address.to_owned(), model, is_too_large: false }
}

fn of_row(row: &ModelRow, settings: &Settings, key: Option<Key>) -> Chosen {
    let table = ModelTable {
        provider: Some(Provider::Openai),
        base_url: Some(row.base_url.clone()),
        model: Some(row.model.name.clone()),
        key_env: key.as_ref().map(|key| key.variable.clone()),
    };
    Chosen { table, server: Some(http(settings, &row.base_url, &row.model.name, key.as_ref())) }
}

fn http(settings: &Settings, base_url: &str, model: &str, key: Option<&Key>) -> HttpConfig {
    HttpConfig {
        api_key: key.map(|key| ApiKey::clone(&key.value)),
        timeouts: settings.timeouts,
        proxy: settings.proxy.clone(),
        ..HttpConfig::new(base_url, model)
    }
}
