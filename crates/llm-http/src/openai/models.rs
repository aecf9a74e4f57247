//! Lists the models that a server offers.

use artoo_llm_client::LlmError;
use serde::Deserialize;

use super::{ChatCompletions, ENDPOINT};
use crate::HttpConfig;
use crate::base_url::{Endpoint, resolve};
use crate::model::Wire;
use crate::transport::Transport;

/// A list of models in the wire format of OpenAI.
#[derive(Deserialize)]
struct Listing {
    data: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
}

/// Asks an OpenAI-compatible server for the names of its models, in its order. One request without retries,
/// so that a check whether a server is there does not wait for them. `config.model` is ignored.
///
/// # Errors
///
/// [`LlmError::Configuration`] for an invalid address, proxy or key; [`LlmError::Unreachable`] and
/// [`LlmError::TimedOut`] if there is no response; [`LlmError::Status`] if the server refuses, as many do
/// that serve only one model; [`LlmError::Protocol`] if the response is not a list.
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// use artoo_llm_http::{HttpConfig, doubles::{MockServer, Reply}, served_models};
///
/// let list = r#"{"object": "list", "data": [{"id": "qwen3:4b"}, {"id": "gemma3:1b"}]}"#;
/// let server = MockServer::start(move |_| Reply::body("application/json", list)).await?;
/// assert_eq!(served_models(&HttpConfig::new(server.base_url(), "")).await?, ["qwen3:4b", "gemma3:1b"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn served_models(config: &HttpConfig) -> Result<Vec<String>, LlmError> {
    let url = resolve(&config.base_url, &Endpoint { path: "models", ..ENDPOINT })?;
    let transport = Transport::new(config, url, ChatCompletions::headers(config.api_key.as_ref())?)?;
    let answer = transport.get().await?;
    let listing: Listing =
        serde_json::from_value(answer).map_err(|error| transport.not_an_answer(&error.to_string()))?;
    Ok(listing.data.into_iter().map(|listed| listed.id).collect())
}
