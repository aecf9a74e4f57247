//! Which models a server offers: what `setup` looks for on this machine and `doctor` asks the configured server.

use std::time::Duration;

use artoo_llm_http::{HttpConfig, OpenAiCompatible};
use serde::Deserialize;

/// A server that people run on their own machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownServer {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its usual address.
    pub(crate) base_url: &'static str,
}

/// The servers that `setup` looks for.
pub(crate) const KNOWN_SERVERS: [KnownServer; 4] = [
    KnownServer { name: "Ollama", base_url: "http://127.0.0.1:11434/v1" },
    KnownServer { name: "LM Studio", base_url: "http://127.0.0.1:1234/v1" },
    KnownServer { name: "llama-server", base_url: "http://127.0.0.1:8080/v1" },
    KnownServer { name: "vLLM", base_url: "http://127.0.0.1:8000/v1" },
];

/// Why a server's models are not known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServedError {
    /// The address is none.
    #[error("the address cannot be used: {0}")]
    Address(#[from] artoo_llm_client::LlmError),
    /// It does not answer.
    #[error("it does not answer: {0}")]
    Silent(#[from] reqwest::Error),
    /// It answers with an error.
    #[error("it answers {0}")]
    Status(u16),
}

/// A list of models in the wire format of OpenAI.
#[derive(Debug, Deserialize)]
struct Listing {
    data: Vec<Listed>,
}

#[derive(Debug, Deserialize)]
struct Listed {
    id: String,
}

/// Asks an OpenAI-compatible server for the names of its models.
pub(crate) async fn served_models(
    base_url: &str,
    key: Option<&str>,
    wait: Duration,
) -> Result<Vec<String>, ServedError> {
    // The client knows how an address that was pasted becomes an endpoint.
    let endpoint = OpenAiCompatible::new(HttpConfig::new(base_url, "any"))?.endpoint().to_string();
    let models = endpoint.replace("/chat/completions", "/models");
    let local =
        models.contains("://127.0.0.1") || models.contains("://localhost") || models.contains("://[::1]");
    let mut builder = reqwest::Client::builder()
        .timeout(wait)
        .connect_timeout(wait)
        .redirect(reqwest::redirect::Policy::none());
    if local {
        builder = builder.no_proxy();
    }
    let mut request = builder.build()?.get(models);
    if let Some(key) = key {
        request = request.bearer_auth(key);
    }
    let response = request.send().await.map_err(reqwest::Error::without_url)?;
    if !response.status().is_success() {
        return Err(ServedError::Status(response.status().as_u16()));
    }
    let listing: Listing = response.json().await.map_err(reqwest::Error::without_url)?;
    Ok(listing.data.into_iter().map(|listed| listed.id).collect())
}
