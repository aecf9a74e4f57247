//! `artoo doctor`: checks that the model files exist, the servers answer, and they offer the chosen models.

use std::time::Duration;

use artoo_llm_client::LlmError;
use artoo_llm_http::{HttpConfig, Timeouts, is_served, served_models};
use artoo_llm_local::store::find;

use super::Check;
use crate::commands::Loaded;
use crate::config::{Applied, ModelChoice, Provider, Settings, applied};
use crate::dispatch::Context;
use crate::llm_clients;
use crate::machine::{threads, usable_memory};
use crate::view::bytes;

/// Timeouts of each step of listing a server's models.
const WAIT: Timeouts = Timeouts { connect: SECONDS, first_byte: Some(SECONDS), idle: Some(SECONDS) };
const SECONDS: Duration = Duration::from_secs(5);

pub(super) fn checks(context: &Context<'_>, loaded: &mut Loaded) -> Vec<Check> {
    let models = match loaded.models(context) {
        Ok(models) => models,
        Err(error) => return vec![Check::of_error("model", &error)],
    };
    let mut checks = Vec::new();
    for choice in models.distinct() {
        let roles: Vec<&str> =
            models.iter().filter(|(_, known)| *known == choice).map(|(role, _)| role.name()).collect();
        let roles = if roles.len() == crate::config::ROLES.len() {
            "every role".to_owned()
        } else {
            roles.join(", ")
        };
        let name = format!("model for {roles}");
        // Creating the client detects a key that cannot be sent and an invalid address.
        let client = llm_clients::client(choice, &loaded.settings, context.environment);
        // As the client has it: it knows where its server is.
        let known = client.as_ref().ok().map(|client| client.profile());
        checks.push(match client {
            Err(error) => Check::of_error(&name, &error),
            Ok(_) => match choice.provider {
                Provider::Local => embedded(&name, choice, usable_memory()),
                Provider::Openai => server(context, &loaded.settings, &name, choice),
                Provider::Anthropic => {
                    let key = choice.key_env.as_deref().unwrap_or("no variable");
                    Check::good(
                        &name,
                        format!(
                            "{} at {}, key from {key}; not asked, to cost nothing",
                            choice.model, choice.base_url
                        ),
                    )
                }
            },
        });
        let applied = applied(choice, &loaded.settings.models);
        let applied = Applied { profile: known.unwrap_or(applied.profile), ..applied };
        checks.push(Check::good(
            &format!("profile of {}", choice.model),
            format!("{applied} ({})", applied.reason),
        ));
        if choice.provider == Provider::Anthropic && choice.key_env.is_none() {
            checks.push(Check::bad("key", "ANTHROPIC_API_KEY is not set", "export ANTHROPIC_API_KEY=..."));
        }
    }
    checks
}

/// The embedded model, and whether the machine has the memory for it.
fn embedded(name: &str, choice: &ModelChoice, memory: Option<u64>) -> Check {
    let verified = format!("{}, embedded, hash verified", choice.model);
    let needed = find(&choice.model).map(|entry| entry.memory);
    match memory.zip(needed) {
        Some((there, needed)) if there < needed => {
            let finding =
                format!("{verified}; it needs {} of memory, and {} are here", bytes(needed), bytes(there));
            Check::note(name, finding)
                .remedy("it will be slow, or the system ends it; another model: artoo setup")
        }
        Some(_) | None => Check::good(name, verified),
    }
}

fn server(context: &Context<'_>, settings: &Settings, name: &str, choice: &ModelChoice) -> Check {
    let runtime = match threads::on_this_thread() {
        Ok(runtime) => runtime,
        Err(error) => {
            return Check::bad(
                name,
                format!("the server cannot be asked: {error}"),
                "see: artoo config show",
            );
        }
    };
    let config = match llm_clients::http(choice, settings, context.environment) {
        Ok(config) => HttpConfig { timeouts: WAIT, ..config },
        Err(error) => return Check::of_error(name, &error),
    };
    let with_key = choice.key_env.as_deref().map(|name| format!(", key from {name}")).unwrap_or_default();
    let at = format!("{} at {}{with_key}", choice.model, choice.base_url);
    match runtime.block_on(served_models(&config)) {
        Ok(models) if is_served(&models, &choice.model) => Check::good(name, at),
        Ok(models) if models.is_empty() => Check::bad(
            name,
            format!("{at}: the server answers, but has no models"),
            "load one into the server (Ollama: ollama pull NAME; LM Studio: lms get NAME), or choose another server: artoo setup",
        ),
        Ok(models) => {
            let shown: Vec<&str> = models.iter().take(8).map(String::as_str).collect();
            Check::bad(
                name,
                format!("{at}: the server answers, but does not list this model"),
                format!("choose one that it lists, with --model or OPENAI_MODEL: {}", shown.join(", ")),
            )
        }
        Err(LlmError::Status { status: status @ (401 | 403), .. }) => {
            Check::bad(name, format!("{at}: the server answers {status}"), "check the API key")
        }
        // Some servers cannot list their models.
        Err(LlmError::Status { status, .. }) => Check::note(
            name,
            format!("{at}: the server is there, and answers {status} when asked for its models"),
        ),
        Err(error) => Check::bad(
            name,
            format!("{at}: {error}"),
            "check the address and that the server runs, or choose another model: artoo setup",
        ),
    }
}
