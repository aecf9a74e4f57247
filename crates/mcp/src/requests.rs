//! One request to a server and its answer: in time, unless it is cancelled or the server ends, with the questions that it asks meanwhile.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use artoo_consent::{Consent, PauseClock, within};
use artoo_tools::{OnOutput, ToolContext};
use rmcp::ServiceError;
use rmcp::model::{ClientRequest, InputRequest, InputRequiredResult, InputResponses, ServerResult};
use rmcp::service::PeerRequestOptions;
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::handler::QuestionContext;
use crate::http::causes;
use crate::{Connection, McpError};

/// The most rounds in which a server may ask for more before it answers.
const ROUNDS: usize = 10;
/// How long it may take until it is known why a connection closes.
const CLOSING: Duration = Duration::from_secs(2);
/// How long it may take to tell a server that nobody waits any more.
const TELL: Duration = Duration::from_secs(1);

/// Who waits for a request.
pub(crate) struct CallView {
    pub(crate) cancel: CancellationToken,
    pub(crate) on_output: Option<Arc<OnOutput>>,
    pub(crate) consent: Arc<dyn Consent>,
    pub(crate) pauses: PauseClock,
    /// The time in which a person is asked does not count.
    pub(crate) limit: Duration,
}

/// What a server wants to have repeated with the next round.
#[derive(Default)]
pub(crate) struct Round {
    pub(crate) input_responses: Option<InputResponses>,
    pub(crate) request_state: Option<String>,
}

impl CallView {
    /// Of a call of a tool.
    pub(crate) fn of(cx: &ToolContext, limit: Duration) -> Self {
        Self {
            cancel: cx.cancel.clone(),
            on_output: cx.on_output.clone(),
            consent: Arc::clone(&cx.consent),
            pauses: cx.pauses.clone(),
            limit,
        }
    }

    /// Outside of any call.
    pub(crate) fn alone(consent: Arc<dyn Consent>, limit: Duration) -> Self {
        Self {
            cancel: CancellationToken::new(),
            on_output: None,
            consent,
            pauses: PauseClock::default(),
            limit,
        }
    }
}

enum WaitEnd {
    Answer(Box<Result<ServerResult, ServiceError>>),
    Cancelled,
    Ended,
}

impl Connection {
    /// Sends a request, and answers what the server asks before it answers.
    pub(crate) async fn ask(
        &self,
        doing: &'static str,
        view: &CallView,
        make: impl Fn(Round) -> ClientRequest,
    ) -> Result<Value, McpError> {
        let asked = QuestionContext {
            consent: Arc::clone(&view.consent),
            pauses: view.pauses.clone(),
            cancel: view.cancel.clone(),
        };
        let _answering = self.shared.watch_questions(asked);
        let mut round = Round::default();
        for _ in 0..ROUNDS {
            let result = self.once(doing, view, make(round)).await?;
            let ServerResult::InputRequiredResult(wanted) = result else {
                // Each kind of result is read by its fields: which of them the library took it for says little.
                return serde_json::to_value(result).map_err(|_| self.no_answer(doing));
            };
            round = self.fulfilled(doing, wanted).await?;
        }
        Err(self.no_answer(doing))
    }

    async fn once(
        &self,
        doing: &'static str,
        view: &CallView,
        request: ClientRequest,
    ) -> Result<ServerResult, McpError> {
        if self.end.is_over() {
            return Err(self.ended());
        }
        let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let mut handle = match sent {
            Ok(handle) => handle,
            Err(error) => return Err(self.failed(doing, error).await),
        };
        let _progress =
            view.on_output.clone().map(|to| self.shared.watch_progress(handle.progress_token.clone(), to));
        let wait = async {
            tokio::select! {
                biased;
                answer = &mut handle.rx => WaitEnd::Answer(Box::new(answer.unwrap_or(Err(ServiceError::TransportClosed)))),
                () = view.cancel.cancelled() => WaitEnd::Cancelled,
                () = self.end.over.cancelled() => WaitEnd::Ended,
            }
        };
        let server = || self.config.name.to_string();
        let reason = match within(view.limit, &view.pauses, wait).await {
            Some(WaitEnd::Answer(answer)) => match *answer {
                Ok(result) => return Ok(result),
                Err(error) => return Err(self.failed(doing, error).await),
            },
            Some(WaitEnd::Ended) => return Err(self.ended()),
            Some(WaitEnd::Cancelled) => McpError::Cancelled { server: server() },
            None => McpError::TimedOut { server: server(), doing, after: view.limit },
        };
        // A server that does not take it will hear of nothing else either.
        let _ = timeout(TELL, handle.cancel(Some("nobody waits for it any more".to_owned()))).await;
        Err(reason)
    }

    /// The answers to what a server asks before it answers itself.
    async fn fulfilled(&self, doing: &'static str, wanted: InputRequiredResult) -> Result<Round, McpError> {
        let mut responses = InputResponses::new();
        for (key, request) in wanted.input_requests.unwrap_or_default() {
            let answer = if let InputRequest::Elicitation(request) = request {
                serde_json::to_value(self.shared.answer(request.params).await)
            } else if let InputRequest::ListRoots(_) = request {
                serde_json::to_value(self.shared.roots())
            } else {
                let reason = "it asks for an answer of the model, which it does not get".to_owned();
                return Err(McpError::Refused { server: self.config.name.to_string(), doing, reason });
            };
            responses.insert(key, answer.map_err(|_| self.no_answer(doing))?);
        }
        let has_any = !responses.is_empty();
        if !has_any && wanted.request_state.is_none() {
            return Err(self.no_answer(doing));
        }
        if !has_any {
            // It asks for nothing but patience.
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(Round { input_responses: has_any.then_some(responses), request_state: wanted.request_state })
    }

    /// Why a request failed. Where the connection is closing, how it ended is known in a moment.
    async fn failed(&self, doing: &'static str, error: ServiceError) -> McpError {
        let server = self.config.name.to_string();
        if let Some(challenge) = error.auth_challenge() {
            *self.challenge.lock().unwrap_or_else(PoisonError::into_inner) = Some(challenge.to_owned());
            return McpError::Login { server, challenge: Some(challenge.to_owned()) };
        }
        if error.is_authorization_required() {
            return McpError::Login { server, challenge: None };
        }
        if let ServiceError::McpError(error) = error {
            return McpError::Refused { server, doing, reason: self.end.told(&error.message) };
        }
        if let ServiceError::TransportClosed = error {
            let _ = timeout(CLOSING, self.end.over.cancelled()).await;
            return self.ended();
        }
        let ServiceError::TransportSend(error) = error else { return self.no_answer(doing) };
        if self.end.has_process {
            let _ = timeout(CLOSING, self.end.over.cancelled()).await;
        }
        if self.end.is_over() {
            return self.ended();
        }
        McpError::Refused { server, doing, reason: self.end.told(&causes(error.error.as_ref())) }
    }

    pub(crate) fn ended(&self) -> McpError {
        McpError::Ended { server: self.config.name.to_string(), reason: self.end.words() }
    }

    pub(crate) fn no_answer(&self, doing: &'static str) -> McpError {
        McpError::Answer { server: self.config.name.to_string(), doing }
    }
}
