//! The `LlmClient` trait that every model implements, and the `Metered` wrapper that reports calls.

use std::sync::Arc;

use artoo_types::SubTaskId;
use async_trait::async_trait;
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::reporting::for_subtask;
use crate::{Completion, LlmError, ModelProfile, Request, Usage, estimate_usage};

/// A language model.
///
/// *Contract.* `complete` returns one whole answer or one typed error. It enforces its own timeouts (connect,
/// first byte, idle) and its own retries, so a caller adds neither; a caller may still drop the future at any
/// time.
///
/// *Cancellation.* Dropping the future stops the request: a remote call closes its connection, the embedded
/// model stops at the next token.
///
/// *Tools.* A request with tools may be answered by calls, in [`Completion::calls`], whatever the wire
/// format; their arguments are verbatim from the model.
///
/// *Structured answers.* If [`structured`](LlmClient::structured) is true, an answer to a request with a
/// schema is always valid for it, unless it was truncated by `max_tokens`.
///
/// *Progress.* A call that lasts reports to [`Reporter::current`](crate::Reporter::current), at most some times a
/// second, how far it is. That is optional.
///
/// *An implementation must not* log prompts or secrets, print, or read the environment.
#[async_trait]
pub trait LlmClient: Send + Sync {
    /// The model's name, for people and for the journal.
    fn model(&self) -> &str;

    /// The address of its server, empty where it is not known; `None` is a model inside this process. With the
    /// name, it tells whether two roles have the same model.
    fn server(&self) -> Option<&str> {
        Some("")
    }

    /// Whether the provider itself constrains answers to the request's schema.
    fn structured(&self) -> bool;

    /// The model's profile. Roles size their prompts by it, and guide the model or not. Derived from the
    /// name, unless a client knows better.
    fn profile(&self) -> ModelProfile {
        ModelProfile::of(self.model())
    }

    /// Answers one request.
    async fn complete(&self, request: &Request) -> Result<Completion, LlmError>;

    /// Answers several requests, one result for each in order, up to the first failure: later requests are
    /// not sent.
    ///
    /// A capable client answers them together, and processes the prompt of samples of one question
    /// ([`Request::sample`]) once. The default makes one call after the other.
    async fn complete_several(&self, requests: &[Request]) -> Vec<Result<Completion, LlmError>> {
        let mut results = Vec::with_capacity(requests.len());
        for request in requests {
            let result = self.complete(request).await;
            let failed = result.is_err();
            results.push(result);
            if failed {
                break;
            }
        }
        results
    }
}

/// A client behind a pointer, to share one or to choose among several.
macro_rules! behind {
    ($pointer:ident) => {
        #[async_trait]
        impl<C: LlmClient + ?Sized> LlmClient for $pointer<C> {
            fn model(&self) -> &str {
                (**self).model()
            }

            fn server(&self) -> Option<&str> {
                (**self).server()
            }

            fn structured(&self) -> bool {
                (**self).structured()
            }

            fn profile(&self) -> ModelProfile {
                (**self).profile()
            }

            async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
                (**self).complete(request).await
            }

            async fn complete_several(&self, requests: &[Request]) -> Vec<Result<Completion, LlmError>> {
                (**self).complete_several(requests).await
            }
        }
    };
}

behind!(Arc);
behind!(Box);

/// A client that reports every call to an observer, including dropped ones; the runtime counts tokens per
/// role with it.
pub struct Metered {
    inner: Arc<dyn LlmClient>,
    observe: Box<Observer>,
    /// The subtask that its calls are made for.
    subtask_id: Option<SubTaskId>,
}

/// How a call ended.
#[derive(Debug)]
pub enum CallEnd<'a> {
    /// With an answer.
    Answered(&'a Completion),
    /// With an error.
    Failed(&'a LlmError),
    /// The caller dropped it: a deadline passed, or its run ended. Its prompt tokens are estimated from the
    /// request, and count, since it was sent; the length of the unfinished answer is unknown.
    Dropped(Usage),
}

/// Receives every call of [`Metered`] when it ends.
type Observer = dyn Fn(&Request, CallEnd<'_>) + Send + Sync;

impl Metered {
    /// Wraps `inner`; `observe` is called once per call, after it ended.
    pub fn new(
        inner: Arc<dyn LlmClient>,
        observe: impl Fn(&Request, CallEnd<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self { inner, observe: Box::new(observe), subtask_id: None }
    }

    /// The same for calls that are made for a subtask.
    pub(crate) fn of_subtask(self, subtask_id: Option<SubTaskId>) -> Self {
        Self { subtask_id, ..self }
    }
}

#[async_trait]
impl LlmClient for Metered {
    fn model(&self) -> &str {
        self.inner.model()
    }

    fn server(&self) -> Option<&str> {
        self.inner.server()
    }

    fn structured(&self) -> bool {
        self.inner.structured()
    }

    fn profile(&self) -> ModelProfile {
        self.inner.profile()
    }

    async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        let mut open = self.open(std::slice::from_ref(request));
        let call = self.inner.complete(request).instrument(self.span(&request.purpose));
        let result = for_subtask(self.subtask_id, call).await;
        open.ended(request, &result);
        result
    }

    async fn complete_several(&self, requests: &[Request]) -> Vec<Result<Completion, LlmError>> {
        let mut open = self.open(requests);
        let purpose = requests.first().map_or("", |request| request.purpose.as_str());
        let calls = self.inner.complete_several(requests).instrument(self.span(purpose));
        let results = for_subtask(self.subtask_id, calls).await;
        for (request, result) in requests.iter().zip(&results) {
            open.ended(request, result);
        }
        // Requests after a failed one were never sent.
        open.requests = &[];
        results
    }
}

impl Metered {
    /// What is logged during a call belongs to it.
    fn span(&self, purpose: &str) -> tracing::Span {
        tracing::error_span!("model_call", model = self.inner.model(), purpose)
    }

    fn open<'a>(&'a self, requests: &'a [Request]) -> Open<'a> {
        Open { observe: self.observe.as_ref(), requests, since: Instant::now() }
    }
}

/// Calls that were sent and have not ended. Dropping them reports each.
struct Open<'a> {
    observe: &'a Observer,
    requests: &'a [Request],
    since: Instant,
}

impl Open<'_> {
    /// The first of them has ended.
    fn ended(&mut self, request: &Request, result: &Result<Completion, LlmError>) {
        self.requests = self.requests.get(1..).unwrap_or_default();
        let end = match result {
            Ok(completion) => CallEnd::Answered(completion),
            Err(error) => CallEnd::Failed(error),
        };
        (self.observe)(request, end);
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let elapsed_ms = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        for (number, request) in self.requests.iter().enumerate() {
            // The elapsed time covers all of them, so it is counted with the first.
            let elapsed_ms = if number == 0 { elapsed_ms } else { 0 };
            let usage = Usage { elapsed_ms, ..estimate_usage(request, "") };
            (self.observe)(request, CallEnd::Dropped(usage));
        }
    }
}

impl std::fmt::Debug for Metered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Metered").field("model", &self.inner.model()).finish_non_exhaustive()
    }
}
