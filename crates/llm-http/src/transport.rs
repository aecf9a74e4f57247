//! One HTTP attempt: connect, send, read; each with its own timeout.

use std::sync::OnceLock;
use std::time::Duration;

use artoo_llm_client::Progress::{Queued, WaitingForModel};
use artoo_llm_client::{Failure, LlmError, Reporter, Usage, parse_http_date, parse_retry_after};
use artoo_redaction::Redactor;
use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Proxy, RequestBuilder, Response, StatusCode, Url, redirect, retry};
use serde_json::Value;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::adapt::Refusal;
use crate::arrival::Arrival;
use crate::base_url::{is_loopback, shown};
use crate::body::{Incoming, Stalled, causes};
use crate::decode::{Answer, Bad, Decode, Heard, Progress};
use crate::error_body::{ErrorBody, clean};
use crate::patience::Patience;
use crate::proxy;
use crate::reader::Reader;
use crate::{ApiKey, HttpConfig, ProxyPolicy};

/// A connection pool to one server.
pub(crate) struct Transport {
    url: Url,
    shown: String,
    headers: HeaderMap,
    patience: Patience,
    proxy: ProxyPolicy,
    max_connections: usize,
    max_response_bytes: usize,
    redaction: Redactor,
    permits: Semaphore,
    client: OnceLock<Client>,
}

/// An attempt that failed.
pub(crate) struct Failed {
    /// The failure, for the retry policy.
    pub(crate) failure: Failure,
    /// The error, for the caller.
    pub(crate) error: LlmError,
    /// What the server said, if it refused the request.
    pub(crate) refusal: Option<Refusal>,
    /// The usage information received.
    pub(crate) heard: Heard,
}

impl Failed {
    /// A failure without usage information.
    fn new(failure: Failure, error: LlmError) -> Self {
        Self { failure, error, refusal: None, heard: Heard::default() }
    }

    /// With the wait that the header of the response asked for.
    fn with_wait(mut self, asked: Option<Duration>) -> Self {
        if let Failure::Status { retry_after, .. } = &mut self.failure {
            *retry_after = retry_after.or(asked);
        }
        self
    }
}

/// Maximum bytes read of an error body.
const MAX_ERROR_BYTES: usize = 64 * 1024;

impl Transport {
    /// `headers` are sent with every request. No connection is made yet.
    pub(crate) fn new(
        config: &HttpConfig,
        url: Url,
        mut headers: HeaderMap,
        patience: Patience,
    ) -> Result<Self, LlmError> {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // A bad proxy address is a configuration error, not an error of the first call.
        explicit_proxy(&config.proxy)?;
        if config.proxy == ProxyPolicy::System {
            #[expect(
                clippy::disallowed_methods,
                reason = "the HTTP library reads the same variables, as was asked for by name"
            )]
            proxy::check_system(&url, |name| std::env::var(name).ok())?;
        }
        let max_connections = config.max_connections.max(1);
        Ok(Self {
            shown: shown(&url),
            url,
            headers,
            patience,
            proxy: config.proxy.clone(),
            max_connections,
            max_response_bytes: config.max_response_bytes,
            redaction: ApiKey::redaction(config.api_key.as_ref()),
            permits: Semaphore::new(max_connections.min(Semaphore::MAX_PERMITS)),
            client: OnceLock::new(),
        })
    }

    /// The endpoint, without its query.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// Sends `body` and decodes the answer.
    pub(crate) async fn post<D: Decode>(
        &self,
        body: Vec<u8>,
        decoder: D,
        reporter: &Reporter,
    ) -> Result<Answer, Failed> {
        let _permit = self.turn(reporter).await;
        reporter.report(WaitingForModel);
        let request = |client: &Client| client.post(self.url.clone()).body(body);
        let (incoming, buffer, retry_after) = self.begin(request).await?;
        self.read(incoming, buffer, decoder, reporter).await.map_err(|failed| failed.with_wait(retry_after))
    }

    /// Gets one JSON value from the endpoint, without retries.
    pub(crate) async fn get(&self) -> Result<Value, LlmError> {
        let _permit = self.turn(&Reporter::default()).await;
        let begun = self.begin(|client| client.get(self.url.clone())).await;
        let (mut incoming, mut buffer, _) = begun.map_err(|failed| failed.error)?;
        let rest = incoming.rest(&mut buffer).await;
        rest.map_err(|stalled| self.stalled(stalled).error)?;
        serde_json::from_slice(&buffer).map_err(|error| self.not_an_answer(&error.to_string()))
    }

    /// The error for a response that violates the protocol.
    pub(crate) fn not_an_answer(&self, reason: &str) -> LlmError {
        self.nonsense(clean(reason, &self.redaction))
    }

    /// Waits until one more request may be in flight.
    async fn turn(&self, reporter: &Reporter) -> Option<SemaphorePermit<'_>> {
        if let Ok(permit) = self.permits.try_acquire() {
            return Some(permit);
        }
        reporter.report(Queued);
        // The semaphore is never closed; if it were, continuing without a limit would be the lesser evil.
        self.permits.acquire().await.ok()
    }

    /// Sends a request and waits for the first piece of its response. Also returns the wait that the header
    /// asks for, since the body may still turn out to be an error.
    async fn begin(
        &self,
        request: impl FnOnce(&Client) -> RequestBuilder,
    ) -> Result<(Incoming, Vec<u8>, Option<Duration>), Failed> {
        let client = self.client().map_err(|error| Failed::new(Failure::Protocol, error))?;
        let request = request(client).headers(self.headers.clone());
        let begin = async {
            let response = request.send().await.map_err(|error| self.unreachable(&error))?;
            let status = response.status();
            let (retry_after, verdict) = advice(&response);
            let refused = !status.is_success();
            let room = if refused { MAX_ERROR_BYTES } else { self.max_response_bytes };
            let mut incoming =
                Incoming::new(response, self.patience.idle.max(self.patience.first_byte), room);
            if refused {
                return Err(self.refused(status, retry_after, verdict, incoming).await);
            }
            let piece = incoming.next().await.map_err(|stalled| self.stalled(stalled))?;
            let buffer = piece.unwrap_or_default();
            Ok((incoming, buffer, retry_after))
        };
        let begun = timeout(self.patience.first_byte, begin).await;
        let (mut incoming, buffer, retry_after) = begun
            .map_err(|_| self.silent(Failure::FirstByte, "sent no first byte", self.patience.first_byte))??;
        incoming.set_idle(self.patience.idle);
        Ok((incoming, buffer, retry_after))
    }

    /// Reads a response whose first piece has arrived. A failure includes the usage information received.
    async fn read<D: Decode>(
        &self,
        incoming: Incoming,
        buffer: Vec<u8>,
        decoder: D,
        reporter: &Reporter,
    ) -> Result<Answer, Failed> {
        let mut reader = Reader::new(decoder, &self.redaction);
        if let Err(failed) = self.take(incoming, buffer, &mut reader, Arrival::new(reporter)).await {
            return Err(Failed { heard: reader.heard(), ..failed });
        }
        let (heard, answer) = reader.finish();
        answer.map_err(|bad| Failed { heard, ..self.bad(bad) })
    }

    /// Feeds the response to the reader, to its end or until the server says that it is done.
    async fn take<D: Decode>(
        &self,
        mut incoming: Incoming,
        buffer: Vec<u8>,
        reader: &mut Reader<'_, D>,
        mut arrival: Arrival<'_>,
    ) -> Result<(), Failed> {
        let mut progress = reader.feed(&buffer).map_err(|bad| self.bad(bad))?;
        while progress == Progress::More {
            arrival.on_piece(|| reader.tokens());
            match incoming.next().await.map_err(|stalled| self.stalled(stalled))? {
                Some(piece) => progress = reader.feed(&piece).map_err(|bad| self.bad(bad))?,
                None => return Ok(()),
            }
        }
        incoming.drain().await;
        Ok(())
    }

    /// The client, built on first use: for `https://` that reads the system's root certificates.
    fn client(&self) -> Result<&Client, LlmError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let mut builder = artoo_tls::client()
            .user_agent(concat!("artoo/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.patience.connect)
            .pool_max_idle_per_host(self.max_connections)
            // A prompt and a key go where the user said, nowhere else.
            .redirect(redirect::Policy::none())
            // Retries are decided in one place, where they are counted.
            .retry(retry::never());
        let direct = match &self.proxy {
            ProxyPolicy::System => is_loopback(&self.url),
            ProxyPolicy::None => true,
            ProxyPolicy::Url(_) => false,
        };
        if direct {
            builder = builder.no_proxy();
        } else if let Some(proxy) = explicit_proxy(&self.proxy)? {
            builder = builder.no_proxy().proxy(proxy);
        }
        if direct && self.url.scheme() == "http" {
            // Neither the server nor a proxy uses TLS, so no root certificates are read (about 4 ms and 2
            // MiB).
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|error| LlmError::Configuration {
            reason: format!("the HTTP client cannot be built: {}", causes(&error)),
        })?;
        Ok(self.client.get_or_init(|| client))
    }

    async fn refused(
        &self,
        status: StatusCode,
        retry_after: Option<Duration>,
        verdict: Option<bool>,
        mut incoming: Incoming,
    ) -> Failed {
        let mut body = Vec::new();
        // Any readable part of the explanation suffices.
        let _ = incoming.rest(&mut body).await;
        self.refusal(status.as_u16(), retry_after, verdict, ErrorBody::read(&body, &self.redaction))
    }

    /// The failure of a refused request. `asked` and `verdict` are what the header says about retries.
    fn refusal(
        &self,
        status: u16,
        asked: Option<Duration>,
        verdict: Option<bool>,
        body: ErrorBody,
    ) -> Failed {
        let (url, message, usage) = (self.shown.clone(), body.message.clone(), Usage::default());
        let (verdict, error) = if body.is_about_credit(status) {
            (Some(false), LlmError::NoCredit { url, status, message, usage })
        } else {
            (verdict, LlmError::Status { url, status, message, usage })
        };
        let failure = Failure::Status { status, retry_after: asked.or(body.retry_after), verdict };
        Failed { refusal: Some(Refusal { status, body }), ..Failed::new(failure, error) }
    }

    fn unreachable(&self, error: &reqwest::Error) -> Failed {
        let reason = if error.is_connect() && error.is_timeout() {
            format!("no connection within {:?}", self.patience.connect)
        } else {
            clean(&causes(error), &self.redaction)
        };
        let error = LlmError::Unreachable { url: self.shown.clone(), reason, usage: Usage::default() };
        Failed::new(Failure::Connection, error)
    }

    fn silent(&self, failure: Failure, phase: &'static str, waited: Duration) -> Failed {
        let error = LlmError::TimedOut { url: self.shown.clone(), phase, waited, usage: Usage::default() };
        Failed::new(failure, error)
    }

    fn stalled(&self, stalled: Stalled) -> Failed {
        let failure = stalled.failure();
        let reason = match stalled {
            Stalled::Idle => return self.silent(failure, "stopped sending", self.patience.idle),
            Stalled::Broken(reason) => format!("it broke off: {}", clean(&reason, &self.redaction)),
            Stalled::TooLarge => format!("more than {} bytes", self.max_response_bytes),
            Stalled::Packed(name) => {
                format!("a body packed as {}, which was not asked for", clean(&name, &self.redaction))
            }
        };
        Failed::new(failure, self.nonsense(reason))
    }

    fn nonsense(&self, reason: String) -> LlmError {
        LlmError::Protocol { url: self.shown.clone(), reason, usage: Usage::default() }
    }

    /// The failure of an attempt whose response is no whole answer.
    pub(crate) fn bad(&self, bad: Bad) -> Failed {
        let (failure, error) = match bad {
            Bad::Broken(reason) => {
                let reason = format!("it broke off: {}", clean(&reason, &self.redaction));
                (Failure::Broken, self.nonsense(reason))
            }
            Bad::Incomplete(reason) => (Failure::Broken, self.nonsense(clean(&reason, &self.redaction))),
            Bad::Protocol(reason) => (Failure::Garbled, self.nonsense(clean(&reason, &self.redaction))),
            Bad::Foreign(reason) => (Failure::Protocol, self.nonsense(clean(&reason, &self.redaction))),
            Bad::Reported { status, message, error } => {
                let mut told = ErrorBody::of_json(&error, &self.redaction);
                // A form that is not known here, whose message the decoder has found.
                if told.message.starts_with(['{', '[']) {
                    told.message = clean(&message, &self.redaction);
                }
                return self.reported(status, told);
            }
        };
        Failed::new(failure, error)
    }

    /// An error received inside a response that began well. The status is 0 if the error names none.
    fn reported(&self, status: u16, body: ErrorBody) -> Failed {
        const PAYMENT_REQUIRED: u16 = 402;
        if status != 0 || body.is_about_credit(status) {
            return self.refusal(if status == 0 { PAYMENT_REQUIRED } else { status }, None, None, body);
        }
        let error = self.nonsense(format!("an error: {}", body.message));
        Failed { refusal: Some(Refusal { status, body }), ..Failed::new(Failure::Garbled, error) }
    }
}

/// The server's statements about retrying: how long to wait, and whether to.
fn advice(response: &Response) -> (Option<Duration>, Option<bool>) {
    let header = |name: &str| response.headers().get(name)?.to_str().ok();
    // The server's dates are only meaningful relative to its own clock.
    let now = header(DATE.as_str()).and_then(parse_http_date);
    let millis = header("retry-after-ms").and_then(|ms| ms.parse().ok()).map(Duration::from_millis);
    let retry_after = millis.or_else(|| {
        let text = header(RETRY_AFTER.as_str())?;
        match now {
            Some(now) => parse_retry_after(text, now),
            None => {
                parse_retry_after(text, std::time::UNIX_EPOCH).filter(|_| parse_http_date(text).is_none())
            }
        }
    });
    let verdict = match header("x-should-retry") {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => None,
    };
    (retry_after, verdict)
}

fn explicit_proxy(policy: &ProxyPolicy) -> Result<Option<Proxy>, LlmError> {
    match policy {
        ProxyPolicy::System | ProxyPolicy::None => Ok(None),
        ProxyPolicy::Url(url) => {
            let wrong = |reason: &str| LlmError::Configuration { reason: format!("the proxy {reason}") };
            proxy::check(url).map_err(wrong)?;
            Proxy::all(url.as_str()).map(Some).map_err(|_| wrong(proxy::NO_ADDRESS))
        }
    }
}
