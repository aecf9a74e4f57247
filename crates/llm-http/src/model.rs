//! One model on one server: the retry loop, and the learned dialect of the server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use artoo_llm_client::{
    Completion, Failure, LlmError, ModelProfile, Progress, ReasoningEffort, Reporter, Request, RetryDecision,
    RetryPolicy, RetryReason, RetryState, ToolCalling, Usage, next_delay,
};
use reqwest::Url;
use reqwest::header::HeaderMap;
use tokio::time::{Instant, sleep};

use crate::adapt::{Adaptation, Capabilities, Next, Refusal};
use crate::base_url::{Endpoint, resolve};
use crate::decode::Decode;
use crate::dialect::{Dialect, Level};
use crate::limits::Limits;
use crate::patience::Patience;
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
    fn body(model: &str, request: &Request, dialect: Dialect, terms: Terms) -> serde_json::Result<Vec<u8>>;

    /// The decoder of its answer.
    fn decoder(request: &Request, dialect: Dialect) -> Self::Decoder;
}

/// What a request asks for beyond its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Terms {
    /// The tokens that the answer may have; `None` leaves it to the server.
    pub(crate) limit: Option<u32>,
    /// How much the model is to think; `None` leaves it to the server.
    pub(crate) effort: Option<ReasoningEffort>,
}

/// A model behind the wire format `W`.
pub(crate) struct HttpModel<W: Wire> {
    model: String,
    profile: ModelProfile,
    transport: Transport,
    retry: RetryPolicy,
    jitter: Jitter,
    ladder: &'static [Level],
    known: Mutex<Capabilities>,
    /// Whether the failures since the last answer were told.
    is_told: AtomicBool,
    wire: std::marker::PhantomData<W>,
}

impl<W: Wire> HttpModel<W> {
    pub(crate) fn new(config: HttpConfig) -> Result<Self, LlmError> {
        if config.model.trim().is_empty() {
            return Err(LlmError::Configuration { reason: "the model has no name".to_owned() });
        }
        let url = resolve(&config.base_url, &W::ENDPOINT)?;
        let mut profile = config.profile.clone().unwrap_or_else(|| ModelProfile::of(&config.model));
        let patience = Patience::with_model(config.timeouts, &profile, &url);
        profile.silence_seconds = Some(patience.silence_seconds());
        // A server that ignores schemas gets them in the prompt, unless the mode is configured.
        let is_ignored = config.structured == StructuredMode::Auto && !profile.structured;
        let mode = if is_ignored { StructuredMode::Prompt } else { config.structured };
        let ladder = W::ladder(mode);
        let strongest = ladder.first().copied().unwrap_or(Level::Prompt);
        let tools = profile.tool_calling == ToolCalling::Native;
        let (temperature, effort) = (profile.temperature, profile.reasoning_effort.is_some());
        let dialect = Dialect { tools, temperature, effort, ..W::dialect(&url, strongest) };
        let known = Mutex::new(Capabilities { dialect, limits: Limits::default() });
        let transport = Transport::new(&config, url, W::headers(config.api_key.as_ref())?, patience)?;
        let HttpConfig { model, retry, jitter, .. } = config;
        let wire = std::marker::PhantomData;
        Ok(Self {
            model,
            profile,
            transport,
            retry,
            jitter,
            ladder,
            known,
            is_told: AtomicBool::new(false),
            wire,
        })
    }

    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    /// The profile within the limits that the server has named.
    pub(crate) fn profile(&self) -> ModelProfile {
        self.known().limits.within(&self.profile)
    }

    pub(crate) fn endpoint(&self) -> &str {
        self.transport.shown()
    }

    pub(crate) fn structured(&self) -> bool {
        self.known().dialect.level.is_native()
    }

    pub(crate) fn takes_tools(&self) -> bool {
        self.known().dialect.tools
    }

    pub(crate) async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        let (started, reporter) = (Instant::now(), Reporter::current());
        let least = if self.profile.reasoning { LEAST_THINKING } else { LEAST };
        let effort = self.profile.reasoning_effort;
        let mut call = Adaptation::new(request, self.ladder, self.known(), effort, least);
        let (mut requests, mut spent) = (0_u32, RetryState::default());
        // Usage of failed attempts. It is on the server's bill, so it is in the caller's usage too.
        let mut in_vain = Usage::default();
        let elapsed_ms = || u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        loop {
            let asked = call.request();
            let (told, put) = call.dialect().put(&asked);
            let body = W::body(&self.model, &told, put, call.terms()).map_err(|error| {
                LlmError::Configuration { reason: format!("the request cannot be written as JSON: {error}") }
            })?;
            requests = requests.saturating_add(1);
            let mut failed = match self.transport.post(body, W::decoder(&told, put), &reporter).await {
                Ok(answer) => {
                    let heard = answer.heard();
                    match answer.into_completion(request, &self.model, elapsed_ms(), requests) {
                        Ok(mut completion) => {
                            self.remember(call.known);
                            self.is_told.store(false, Ordering::Relaxed);
                            completion.usage += in_vain;
                            return Ok(completion);
                        }
                        Err(bad) => Failed { heard, ..self.transport.bad(bad) },
                    }
                }
                Err(failed) => failed,
            };
            in_vain += failed.heard.usage(request);
            if let Some(refusal) = &failed.refusal {
                let next = call.refused(refusal);
                self.remember_limits(call.known.limits);
                match next {
                    Next::Send => {
                        tracing::debug!(
                            url = self.endpoint(),
                            said = refusal.body.message,
                            "the request is sent in another form"
                        );
                        continue;
                    }
                    Next::TooLong { tokens, limit } => return Err(self.too_long(refusal, tokens, limit)),
                    Next::Repeat => failed.failure = Failure::Generation,
                    Next::Nothing => {}
                }
            }
            spent.failed(failed.failure);
            let Failed { failure, error, .. } = failed;
            match next_delay(&self.retry, failure, spent, self.jitter.next()) {
                RetryDecision::Retry(delay) => {
                    self.tell(failure, (spent.attempts, delay), &reporter);
                    tracing::debug!(%error, "what the server said");
                    sleep(delay).await;
                    spent.waited(delay);
                }
                RetryDecision::Stop(reason) => {
                    tracing::debug!(%error, ?reason, requests, "a model call failed");
                    let used = Usage { elapsed_ms: elapsed_ms(), requests, ..in_vain };
                    return Err(error.after(used));
                }
            }
        }
    }

    /// Tells that a call is made again: each time to who waits for it, and in the log as one warning until the server
    /// answers again.
    fn tell(&self, failure: Failure, (failures, wait): (u32, Duration), reporter: &Reporter) {
        let (server, of) = (self.endpoint(), self.retry.attempts);
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        tracing::debug!(server, reason = %failure, wait_ms, failures, "a model call failed and is made again");
        if !self.is_told.swap(true, Ordering::Relaxed) {
            tracing::warn!(server, reason = %failure, "a model server failed, and is asked again");
        }
        reporter.report(Progress::WaitingToRetry {
            server: server.to_owned(),
            reason: RetryReason::from(failure),
            attempt: failures.saturating_add(1),
            of,
            wait_ms,
        });
    }

    fn too_long(&self, refusal: &Refusal, tokens: Option<u32>, limit: Option<u32>) -> LlmError {
        let count = |count: Option<u32>| count.and_then(|count| usize::try_from(count).ok());
        LlmError::TooLong {
            model: self.endpoint().to_owned(),
            tokens: count(tokens),
            limit: count(limit),
            said: refusal.body.message.clone(),
        }
    }

    fn known(&self) -> Capabilities {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what a request that succeeded has found out. Refusals alone prove nothing about the dialect: the
    /// request may have been bad in any.
    fn remember(&self, found: Capabilities) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.dialect = known.dialect.poorer_of(found.dialect, self.ladder);
        known.limits = known.limits.and(found.limits);
    }

    /// Keeps the limits that a server named, whatever becomes of the request.
    fn remember_limits(&self, limits: Limits) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.limits = known.limits.and(limits);
    }
}

/// Tokens with which an answer is worth asking for, unless fewer are wanted.
const LEAST: u32 = 256;
/// The same for a model that thinks first.
const LEAST_THINKING: u32 = 1_024;
