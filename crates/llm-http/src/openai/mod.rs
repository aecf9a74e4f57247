//! The chat completions API of OpenAI, Ollama, llama-server, vLLM, LM Studio and many others.

mod models;
mod reasoning;
mod request;
mod response;
mod strict;
mod tool_calls;
mod turns;

pub use models::{ListedModel, is_on_this_machine, is_served, listed_models, served_models};
#[cfg(feature = "test-util")]
pub(crate) use response::Decoder;

use artoo_llm_client::{LlmError, Request};
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap};

use crate::base_url::Endpoint;
use crate::client::client;
use crate::dialect::{Dialect, Level, LimitField, LimitName};
use crate::model::{HttpModel, Terms, Wire};
use crate::{ApiKey, StructuredMode};

/// A model behind the chat completions API.
///
/// Answers are streamed, so that silence is noticed; unstreamed responses are accepted too. Reasoning blocks
/// in the text are removed; reasoning in separate fields is sent back where servers want it:
/// `reasoning_details` always, `reasoning_content` with tool calls. Protocol features that a server refuses
/// (tools, JSON Schema, `stream_options`, a temperature, a seed, an effort, `max_tokens`) are left out from then on;
/// tools are then described in the prompt.
/// ```
/// use artoo_llm_http::{HttpConfig, OpenAiCompatible};
///
/// let model = OpenAiCompatible::new(HttpConfig::new("http://localhost:8080/v1", "local"))?;
/// assert_eq!(model.endpoint(), "http://localhost:8080/v1/chat/completions");
/// # Ok::<(), artoo_llm_client::LlmError>(())
/// ```
pub struct OpenAiCompatible(HttpModel<ChatCompletions>);

client!(OpenAiCompatible);

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
        // The vendor deprecated `max_tokens`, and its newer models refuse it; other servers may not know the
        // new name.
        let is_newest = url.host_str() == Some("api.openai.com");
        let name = if is_newest { LimitName::MaxCompletionTokens } else { LimitName::MaxTokens };
        let limit = LimitField::Usual(name);
        Dialect { level, tools: true, stream_usage: true, temperature: true, seed: true, effort: true, limit }
    }

    fn body(model: &str, request: &Request, dialect: Dialect, terms: Terms) -> serde_json::Result<Vec<u8>> {
        request::body(model, request, dialect, terms)
    }

    fn decoder(request: &Request, _: Dialect) -> Self::Decoder {
        response::Decoder::new(request)
    }
}
