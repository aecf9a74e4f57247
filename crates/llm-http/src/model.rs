//! One model on one server: the retry loop, and the learned dialect of the server.

use std::sync::{Mutex, PoisonError};

use artoo_llm_client::{
    Completion, LlmError, ModelProfile, Request, RetryDecision, RetryPolicy, ToolCalling, Usage, next_delay,
};
use reqwest::Url;
use reqwest::header::HeaderMap;
use tokio::time::{Instant, sleep};

use crate::base_url::{Endpoint, resolve};
use crate::decode::Decode;
use crate::dialect::{Dialect, Level};
use crate::transport::{Failed, Transport};
use crate::{ApiKey, HttpConfig, Jitter, StructuredMode};

/// A wire format: how requests are encoded and answers decoded.
pub(crate) trait Wire: Send + Sync + 'static {
    /// The endpoint.
    const ENDPOINT: Endpoint;
    /// The decoder of one answer.
    type Decoder: Decode;

    /// The headers of every request.
    fn headers(key: Option<&ApiKey>) -> Result<HeaderMap, LlmError>;

    /// The ways to request a structured answer, strongest first. Never empty.
    fn ladder(mode: StructuredMode) -> &'static [Level];

    /// The richest dialect that a server at `url` may support for a model that can call tools.
    fn dialect(url: &Url, level: Level) -> Dialect;

    /// The request in this format, as JSON.
    fn body(model: &str, request: &Request, dialect: Dialect) -> serde_json::Result<Vec<u8>>;

    /// The decoder of its answer.
    fn decoder(request: &Request, dialect: Dialect) -> Self::Decoder;
}

/// A model behind the wire format `W`.
pub(crate) struct HttpModel<W: Wire> {
    model: String,
    profile: ModelProfile,
    transport: Transport,
    retry: RetryPolicy,
    jitter: Jitter,
    ladder: &'static [Level],
    dialect: Mutex<Dialect>,
    wire: std::marker::PhantomData<W>,
}

impl<W: Wire> HttpModel<W> {
    pub(crate) fn new(config: HttpConfig) -> Result<Self, LlmError> {
        if config.model.trim().is_empty() {
            return Err(LlmError::Configuration { reason: "the model has no name".to_owned() });
        }
        let url = resolve(&config.base_url, &W::ENDPOINT)?;
        let profile = config.profile.clone().unwrap_or_else(|| ModelProfile::of(&config.model));
        // A server that ignores schemas gets them in the prompt, unless the mode is configured.
        let is_ignored = config.structured == StructuredMode::Auto && !profile.structured;
        let mode = if is_ignored { StructuredMode::Prompt } else { config.structured };
        let ladder = W::ladder(mode);
        let strongest = ladder.first().copied().unwrap_or(Level::Prompt);
        let tools = profile.tool_calling == ToolCalling::Native;
        let dialect = Mutex::new(Dialect { tools, ..W::dialect(&url, strongest) });
        let transport = Transport::new(&config, url, W::headers(config.api_key.as_ref())?)?;
        let HttpConfig { model, retry, jitter, .. } = config;
        let wire = std::marker::PhantomData;
        Ok(Self { model, profile, transport, retry, jitter, ladder, dialect, wire })
    }

    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    pub(crate) fn profile(&self) -> ModelProfile {
        self.profile.clone()
    }

    pub(crate) fn endpoint(&self) -> &str {
        self.transport.shown()
    }

    pub(crate) fn structured(&self) -> bool {
        self.dialect().level.is_native()
    }

    pub(crate) fn takes_tools(&self) -> bool {
        self.dialect().tools
    }

    pub(crate) async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        let started = Instant::now();
        let mut dialect = self.dialect();
        let (mut requests, mut failures) = (0_u32, 0_u32);
        // Usage of failed attempts. It is on the server's bill, so it is in the caller's usage too.
        let mut in_vain = Usage::default();
        let elapsed_ms = || u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        loop {
            let (told, put) = dialect.put(request);
            let body = W::body(&self.model, &told, put).map_err(|error| LlmError::Configuration {
                reason: format!("the request cannot be written as JSON: {error}"),
            })?;
            requests = requests.saturating_add(1);
            let failed = match self.transport.post(body, W::decoder(&told, put)).await {
                Ok(answer) => {
                    let heard = answer.heard();
                    match answer.into_completion(request, &self.model, elapsed_ms(), requests) {
                        Ok(mut completion) => {
                            self.remember(dialect);
                            completion.usage += in_vain;
                            return Ok(completion);
                        }
                        Err(bad) => Failed { heard, ..self.transport.bad(bad) },
                    }
                }
                Err(failed) => failed,
            };
            in_vain += failed.heard.usage(request);
            // A refused request is sent at once in a simpler dialect, which is not a retry of the same
            // request.
            let simpler = failed
                .refusal
                .as_ref()
                .and_then(|(status, words)| dialect.after_refusal(*status, words, self.ladder, request));
            if let Some(simpler) = simpler {
                tracing::debug!(
                    url = self.endpoint(),
                    ?simpler,
                    "the server does not take a part of the request"
                );
                dialect = simpler;
                continue;
            }
            failures = failures.saturating_add(1);
            match next_delay(&self.retry, failed.failure, failures, started.elapsed(), self.jitter.next()) {
                RetryDecision::Retry(delay) => {
                    tracing::warn!(server = self.endpoint(), reason = %failed.failure, wait = ?delay, failures, "a model call failed and is made again");
                    tracing::debug!(error = %failed.error, "what the server said");
                    sleep(delay).await;
                }
                RetryDecision::Stop(reason) => {
                    tracing::debug!(error = %failed.error, ?reason, requests, "a model call failed");
                    let used = Usage { elapsed_ms: elapsed_ms(), requests, ..in_vain };
                    return Err(failed.error.after(used));
                }
            }
        }
    }

    fn dialect(&self) -> Dialect {
        *self.dialect.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a dialect in which a request has succeeded. Refusals alone prove nothing: the request may have
    /// been bad in any dialect.
    fn remember(&self, dialect: Dialect) {
        let mut known = self.dialect.lock().unwrap_or_else(PoisonError::into_inner);
        *known = known.poorer_of(dialect, self.ladder);
    }
}
