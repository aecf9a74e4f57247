//! Anthropic's Messages API.

mod blocks;
mod request;
mod response;
mod turns;

use artoo_llm_client::{LlmError, Request};
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::base_url::Endpoint;
use crate::client::client;
use crate::dialect::{Dialect, Level, LimitField};
use crate::model::{HttpModel, Terms, Wire};
use crate::{ApiKey, StructuredMode};

/// A model behind the Messages API.
///
/// The constant part of a prompt is marked for the provider's cache, and so is the end of a conversation with
/// tools. Structured answers are requested with `output_config.format`, which constrains them; gateways and
/// older models that refuse it get a forced tool whose input is the answer, and those that refuse that get
/// the schema in the prompt.
/// ```
/// use artoo_llm_http::{Anthropic, ApiKey, HttpConfig};
///
/// let mut config = HttpConfig::new(Anthropic::BASE_URL, "claude-haiku-4-5");
/// config.api_key = Some(ApiKey::new("sk-ant-...")?);
/// assert_eq!(Anthropic::new(config)?.endpoint(), "https://api.anthropic.com/v1/messages");
/// # Ok::<(), artoo_llm_client::LlmError>(())
/// ```
pub struct Anthropic(HttpModel<Messages>);

client!(Anthropic);

impl Anthropic {
    /// The vendor's own address.
    pub const BASE_URL: &'static str = "https://api.anthropic.com";
}

pub(crate) const ENDPOINT: Endpoint = Endpoint {
    pasted: &["v1/messages", "messages", "v1/models", "v1"],
    default_path: "",
    path: "v1/messages",
};

/// The wire format.
struct Messages;

impl Wire for Messages {
    const ENDPOINT: Endpoint = ENDPOINT;
    type Decoder = response::Decoder;

    fn headers(key: Option<&ApiKey>) -> Result<HeaderMap, LlmError> {
        let mut headers = HeaderMap::new();
        headers.insert(HeaderName::from_static("anthropic-version"), HeaderValue::from_static("2023-06-01"));
        if let Some(key) = key {
            headers.insert(HeaderName::from_static("x-api-key"), key.header("")?);
        }
        Ok(headers)
    }

    fn ladder(mode: StructuredMode) -> &'static [Level] {
        match mode {
            StructuredMode::Auto => &[Level::Schema, Level::Tool, Level::Prompt],
            StructuredMode::JsonSchema => &[Level::Schema, Level::Tool],
            StructuredMode::JsonObject | StructuredMode::Prompt => &[Level::Prompt],
        }
    }

    fn dialect(_: &Url, level: Level) -> Dialect {
        Dialect {
            level,
            tools: true,
            stream_usage: false,
            temperature: true,
            seed: false,
            effort: true,
            limit: LimitField::Required,
        }
    }

    fn body(model: &str, request: &Request, dialect: Dialect, terms: Terms) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&request::body(model, request, dialect, terms))
    }

    fn decoder(request: &Request, dialect: Dialect) -> Self::Decoder {
        response::Decoder::new(request::answer_tool(request, dialect))
    }
}
