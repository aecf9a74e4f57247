//! The chat completions API, as OpenAI, Ollama, llama-server, vLLM, LM Studio and many others speak it.

mod request;
mod response;
mod strict;

use artoo_llm_client::{Completion, LlmClient, LlmError, Request};
use async_trait::async_trait;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde_json::Value;

use crate::base_url::Endpoint;
use crate::dialect::{Dialect, Level};
use crate::model::{HttpModel, Wire};
use crate::{ApiKey, HttpConfig, StructuredMode};

/// A model behind the chat completions API.
///
/// Answers are streamed, so that silence is noticed; servers that answer whole instead are understood. Reasoning
/// in fields of its own (`reasoning_content`, `reasoning`) is ignored, reasoning blocks in the text are removed.
/// What a server refuses of the protocol (JSON Schema, `stream_options`, a temperature, `max_tokens`) is left out
/// from then on.
///
/// ```
/// use artoo_llm_http::{HttpConfig, OpenAiCompatible};
///
/// let model = OpenAiCompatible::new(HttpConfig::new("http://localhost:8080/v1", "local"))?;
/// assert_eq!(model.endpoint(), "http://localhost:8080/v1/chat/completions");
/// # Ok::<(), artoo_llm_client::LlmError>(())
/// ```
pub struct OpenAiCompatible(HttpModel<ChatCompletions>);

impl OpenAiCompatible {
    /// A client for the configured server. Nothing is sent and no certificate is read before the first call.
    ///
    /// # Errors
    ///
    /// [`LlmError::Configuration`] for a base URL, proxy or model name that cannot be used.
    pub fn new(config: HttpConfig) -> Result<Self, LlmError> {
        HttpModel::new(config).map(Self)
    }

    /// The address that is called, without credentials and query.
    pub fn endpoint(&self) -> &str {
        self.0.endpoint()
    }
}

#[async_trait]
impl LlmClient for OpenAiCompatible {
    fn model(&self) -> &str {
        self.0.model()
    }

    /// True until the server has refused JSON Schema. A server may also ignore it without a word, which is why
    /// [`ask`](artoo_llm_client::ask) checks every answer.
    fn structured(&self) -> bool {
        self.0.structured()
    }

    async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        self.0.complete(request).await
    }
}

impl std::fmt::Debug for OpenAiCompatible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenAiCompatible")
            .field("endpoint", &self.endpoint())
            .field("model", &self.model())
            .finish()
    }
}

pub(crate) const ENDPOINT: Endpoint = Endpoint {
    pasted: &["chat/completions", "completions", "responses", "models"],
    default_path: "v1",
    path: "chat/completions",
};

/// The wire format.
struct ChatCompletions;

impl Wire for ChatCompletions {
    const ENDPOINT: Endpoint = ENDPOINT;
    type Decoder = response::Decoder;

    fn headers(key: Option<&ApiKey>) -> Result<HeaderMap, LlmError> {
        let mut headers = HeaderMap::new();
        if let Some(key) = key {
            headers.insert(AUTHORIZATION, key.header("Bearer ")?);
        }
        Ok(headers)
    }

    fn ladder(mode: StructuredMode) -> &'static [Level] {
        match mode {
            StructuredMode::Auto => &[Level::Strict, Level::Schema, Level::Object, Level::Prompt],
            StructuredMode::JsonSchema => &[Level::Strict, Level::Schema],
            StructuredMode::JsonObject => &[Level::Object],
            StructuredMode::Prompt => &[Level::Prompt],
        }
    }

    fn dialect(url: &Url, level: Level) -> Dialect {
        // The vendor deprecated `max_tokens`, and its newer models refuse it; other servers may not know the new
        // name.
        let completion_limit = url.host_str() == Some("api.openai.com");
        Dialect { level, stream_usage: true, temperature: true, completion_limit }
    }

    fn body(model: &str, request: &Request, dialect: Dialect) -> Value {
        request::body(model, request, dialect)
    }

    fn decoder(_: &Request, _: Dialect) -> Self::Decoder {
        response::Decoder::default()
    }
}
