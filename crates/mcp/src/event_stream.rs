//! Waits until the stream is open on which an older server sends what belongs to no request.
//!
//! The library opens this stream beside the first requests. A server of version 2025-11-25 or older may ask something of the user on it
//! during a call, and drops the question if nobody listens yet. The call would then wait in vain.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::stream::BoxStream;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::{Error as SseError, Sse};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long a server may take to accept the stream. It works without one as well.
const PATIENCE: Duration = Duration::from_secs(3);

/// What is known of the stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventStream {
    /// The server gave the client a session: the library opens the stream.
    has_session: Arc<AtomicBool>,
    /// The server has accepted or refused it.
    answered: CancellationToken,
}

impl EventStream {
    /// Returns once the server has accepted or refused the stream; at once if there is none.
    pub(crate) async fn opened(&self) {
        if self.has_session.load(Ordering::Acquire) {
            let _ = timeout(PATIENCE, self.answered.cancelled()).await;
        }
    }
}

/// A client of HTTP that notes what becomes of the stream.
#[derive(Clone, Debug)]
pub(crate) struct EventStreamClient<C> {
    pub(crate) inner: C,
    pub(crate) stream: EventStream,
}

type Headers = HashMap<HeaderName, HeaderValue>;
type Posted<C> = Result<StreamableHttpPostResponse, StreamableHttpError<<C as StreamableHttpClient>::Error>>;
type Events<C> = Result<
    BoxStream<'static, Result<Sse, SseError>>,
    StreamableHttpError<<C as StreamableHttpClient>::Error>,
>;

impl<C: StreamableHttpClient + Sync> EventStreamClient<C> {
    fn note(&self, session: Option<&Arc<str>>) {
        if session.is_some() {
            self.stream.has_session.store(true, Ordering::Release);
        }
    }
}

impl<C: StreamableHttpClient + Sync> StreamableHttpClient for EventStreamClient<C> {
    type Error = C::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
    ) -> Posted<C> {
        self.note(session.as_ref());
        self.inner.post_message(uri, message, session, auth, headers).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Posted<C> {
        self.note(session.as_ref());
        self.inner.post_message_with_response_limits(uri, message, session, auth, headers, limits).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<(), StreamableHttpError<Self::Error>> {
        self.inner.delete_session(uri, session, auth, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        auth: Option<String>,
        headers: Headers,
    ) -> Events<C> {
        let events = self.inner.get_stream(uri, session, last, auth, headers).await;
        self.stream.answered.cancel();
        events
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        auth: Option<String>,
        headers: Headers,
        max: usize,
    ) -> Events<C> {
        let events =
            self.inner.get_stream_with_max_sse_event_size(uri, session, last, auth, headers, max).await;
        self.stream.answered.cancel();
        events
    }
}
