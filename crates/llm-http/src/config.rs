//! `HttpConfig`: the configuration of a client. Nothing is read from the environment.

use std::fmt;
use std::time::Duration;

use artoo_llm_client::{ModelProfile, RetryPolicy};

use crate::{ApiKey, Jitter};

/// The configuration of one client: one server, one model.
///
/// ```
/// use artoo_llm_http::{ApiKey, HttpConfig, OpenAiCompatible};
///
/// let local = OpenAiCompatible::new(HttpConfig::new("localhost:11434", "qwen2.5-coder:1.5b"))?;
/// assert_eq!(local.endpoint(), "http://localhost:11434/v1/chat/completions");
///
/// let mut config = HttpConfig::new("https://api.openai.com/v1", "gpt-5-mini");
/// config.api_key = Some(ApiKey::new("sk-...")?);
/// let hosted = OpenAiCompatible::new(config)?;
/// # Ok::<(), artoo_llm_client::LlmError>(())
/// ```
#[derive(Clone)]
pub struct HttpConfig {
    /// The server's address, as a person would paste it. It is normalised:
    ///
    /// - trailing slashes and a pasted endpoint (`/chat/completions`, `/v1/messages`, `/models`) are removed;
    /// - without a scheme, `http` is used for `localhost` and literal IP addresses, `https` for all else;
    /// - for an OpenAI-compatible server without any path, `/v1` is added; an existing path is kept.
    ///
    /// Credentials in it (`https://user:password@…`) are refused: they would end up in error messages.
    pub base_url: String,
    /// The key, if the server needs one.
    pub api_key: Option<ApiKey>,
    /// The model's name on the server.
    pub model: String,
    /// The timeouts.
    pub timeouts: Timeouts,
    /// The retry policy.
    pub retry: RetryPolicy,
    /// Spreads retries.
    pub jitter: Jitter,
    /// The proxy to use.
    pub proxy: ProxyPolicy,
    /// Maximum concurrent requests, and so connections over HTTP/1; at least 1. Further calls wait for their
    /// turn (that wait counts towards no timeout).
    ///
    /// Unlimited clients were seen to open 350 to 420 connections for 100 tasks. Set it lower for a local
    /// server, which serves few at once.
    pub max_connections: usize,
    /// How to request structured answers.
    pub structured: StructuredMode,
    /// The model's profile; `None` derives it from the name. The client tells its own, in which the time that
    /// the server may be silent is filled in and the limits that it has named are applied.
    pub profile: Option<ModelProfile>,
    /// Maximum response size in bytes on the wire.
    pub max_response_bytes: usize,
}

impl HttpConfig {
    /// The configuration for a server and a model, everything else at its default: no key,
    /// [`Timeouts::default`], [`RetryPolicy::default`], the system's proxy, 256 concurrent requests,
    /// structured answers as far as the server supports them, the profile derived from the model's name,
    /// responses of at most 8 MiB.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            api_key: None,
            model: model.into(),
            timeouts: Timeouts::default(),
            retry: RetryPolicy::default(),
            jitter: Jitter::random(),
            proxy: ProxyPolicy::System,
            max_connections: 256,
            structured: StructuredMode::Auto,
            profile: None,
            max_response_bytes: 8 * 1024 * 1024,
        }
    }
}

/// Omits the address, which may hold credentials in its given form.
impl fmt::Debug for HttpConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpConfig")
            .field("model", &self.model)
            .field("api_key", &self.api_key)
            .field("timeouts", &self.timeouts)
            .field("retry", &self.retry)
            .field("proxy", &self.proxy)
            .field("profile", &self.profile)
            .field("max_connections", &self.max_connections)
            .field("structured", &self.structured)
            .field("max_response_bytes", &self.max_response_bytes)
            .finish_non_exhaustive()
    }
}

/// Timeouts. There is no limit on the whole answer: a slow model that keeps sending is working. Keep-alive
/// comments and empty events count as sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection, including TLS.
    pub connect: Duration,
    /// From sending the request to the first byte of the response body, including connecting. Servers process
    /// the whole prompt in this time, and some think out of sight. `None` is
    /// [`ModelProfile::DEFAULT_SILENCE`], or [`ModelProfile::LOCAL_SILENCE`] for a server on this machine or in
    /// its own network. What the profile says ([`ModelProfile::silence_seconds`]) comes first.
    pub first_byte: Option<Duration>,
    /// Between two pieces of the response; `None` as for `first_byte`.
    pub idle: Option<Duration>,
}

/// 10 s for a connection, and silences as fit the server.
impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), first_byte: None, idle: None }
    }
}

/// Which proxy is used.
#[derive(Clone, PartialEq, Eq)]
pub enum ProxyPolicy {
    /// The system's (`HTTPS_PROXY` and the like), but never for this machine itself: `localhost` and loopback
    /// addresses are always reached directly. One that cannot be used is an error, and not ignored.
    System,
    /// None, whatever the environment says.
    None,
    /// This one, for every address, including this machine.
    Url(String),
}

/// Omits the proxy's address, which may hold credentials.
impl fmt::Debug for ProxyPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "System",
            Self::None => "None",
            Self::Url(_) => "Url([redacted])",
        })
    }
}

/// How structured answers are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StructuredMode {
    /// The strongest way that the server supports. It starts with the strongest; each time the server refuses
    /// one with an error that names it, the client remembers that and goes one step down:
    ///
    /// - OpenAI-compatible: `json_schema` with `strict` where the schema allows it, `json_schema`,
    ///   `json_object`, the prompt;
    /// - Anthropic: `output_config.format`, a forced tool whose input is the answer, the prompt.
    Auto,
    /// Only the server's JSON Schema support; an error if it has none.
    JsonSchema,
    /// JSON mode without a schema (the schema goes into the prompt). For Anthropic, which has no such mode,
    /// the same as `Prompt`.
    JsonObject,
    /// Only the prompt.
    Prompt,
}
