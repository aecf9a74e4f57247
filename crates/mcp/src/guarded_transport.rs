//! What stands between a server and the protocol's library: floods are held back, and who does not know the newest version is asked in an
//! older one.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
    ServerNotification,
};
use rmcp::transport::Transport;
use tokio::time::{Instant, timeout_at};

use crate::end::{End, Why};

/// Notifications that are passed on within one second.
const A_SECOND: u32 = 200;
/// Notifications between two answers after which the connection ends.
const FLOOD: u32 = 100_000;
/// Requests of a server between two answers after which the connection ends: each of them is answered, and the answer waits until the
/// server reads it.
const REQUESTS: u32 = 10_000;

/// A transport that holds a server to these rules.
pub(crate) struct GuardedTransport<T> {
    inner: T,
    end: Arc<End>,
    /// How long the question for the newest version waits for its answer.
    patience: Duration,
    discovering: Option<(RequestId, Instant)>,
    /// The question that was answered in the server's place.
    given_up: Option<RequestId>,
    second: Instant,
    in_second: u32,
    since_answer: u32,
    requests: u32,
}

impl<T> GuardedTransport<T> {
    pub(crate) fn new(inner: T, end: Arc<End>, patience: Duration) -> Self {
        Self {
            inner,
            end,
            patience,
            discovering: None,
            given_up: None,
            second: Instant::now(),
            in_second: 0,
            since_answer: 0,
            requests: 0,
        }
    }

    /// Whether a notification is passed on; `None` if there were too many.
    fn admits(&mut self, notification: &ServerNotification) -> Option<bool> {
        self.since_answer = self.since_answer.saturating_add(1);
        if self.since_answer > FLOOD {
            self.end.say(Why::Flood(FLOOD));
            return None;
        }
        let now = Instant::now();
        if now.duration_since(self.second) >= Duration::from_secs(1) {
            (self.second, self.in_second) = (now, 0);
        }
        self.in_second = self.in_second.saturating_add(1);
        // That something changed must not get lost behind what does not matter, and is passed on once a second all the same.
        let matters = matches!(
            notification,
            ServerNotification::ToolListChangedNotification(_) | ServerNotification::CancelledNotification(_)
        );
        Some(self.in_second <= A_SECOND || (matters && self.in_second <= 2 * A_SECOND))
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for GuardedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &item
            && matches!(request.request, ClientRequest::DiscoverRequest(_))
        {
            self.discovering = Some((request.id.clone(), Instant::now() + self.patience));
        }
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let received = match self.discovering.clone() {
                Some((id, until)) => match timeout_at(until, self.inner.receive()).await {
                    Ok(received) => received,
                    Err(_) => {
                        // Old servers stay silent to a method that they do not know.
                        (self.discovering, self.given_up) = (None, Some(id.clone()));
                        let unknown =
                            ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, "no answer", None);
                        return Some(ServerJsonRpcMessage::error(unknown, Some(id)));
                    }
                },
                None => self.inner.receive().await,
            };
            let Some(message) = received else {
                self.end.stream_ended();
                return None;
            };
            let answered = match &message {
                JsonRpcMessage::Notification(notification) => {
                    if self.admits(&notification.notification)? {
                        return Some(message);
                    }
                    continue;
                }
                JsonRpcMessage::Request(_) => {
                    self.requests = self.requests.saturating_add(1);
                    if self.requests > REQUESTS {
                        self.end.say(Why::Flood(REQUESTS));
                        return None;
                    }
                    return Some(message);
                }
                JsonRpcMessage::Response(response) => Some(&response.id),
                JsonRpcMessage::Error(error) => error.id.as_ref(),
            };
            (self.since_answer, self.requests) = (0, 0);
            self.discovering = None;
            if answered.is_some() && answered == self.given_up.as_ref() {
                continue;
            }
            return Some(message);
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
