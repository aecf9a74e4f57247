//! The mock server and its recorded requests.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::doubles::Reply;
use crate::doubles::connection::serve;

/// A received request.
#[derive(Clone, Debug)]
pub struct Call {
    /// The number of requests before it.
    pub ordinal: usize,
    /// Its path and query.
    pub path: String,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body; null if it is not JSON.
    pub body: Value,
}

impl Call {
    /// The value of a header; `name` in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Counters of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Requests received completely.
    pub requests: usize,
    /// Connections accepted.
    pub accepted: usize,
    /// Connections open now.
    pub open: usize,
    /// The maximum number open at the same time.
    pub max_open: usize,
}

/// A server on a free port of `127.0.0.1`. Dropping it closes it and all its connections.
#[derive(Debug)]
pub struct MockServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    /// Dropping the set stops the accepting task, which drops the connections.
    _task: JoinSet<()>,
}

/// State shared by the connections.
pub(super) struct Shared {
    handler: Box<dyn Fn(&Call) -> Reply + Send + Sync>,
    calls: Mutex<VecDeque<Call>>,
    stats: watch::Sender<Stats>,
}

/// Older calls are dropped, so that a benchmark may run for long.
const MAX_CALLS: usize = 1000;

impl MockServer {
    /// Starts a server that answers each request with the result of `handler`.
    ///
    /// # Errors
    ///
    /// No port is available.
    pub async fn start(handler: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            handler: Box::new(handler),
            calls: Mutex::default(),
            stats: watch::Sender::new(Stats::default()),
        });
        let mut task = JoinSet::new();
        let accepting = Arc::clone(&shared);
        task.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                // Without it each small response waits for the client's acknowledgement.
                let _ = stream.set_nodelay(true);
                let shared = Arc::clone(&accepting);
                shared.stats.send_modify(|stats| {
                    stats.accepted += 1;
                    stats.open += 1;
                    stats.max_open = stats.max_open.max(stats.open);
                });
                connections.spawn(async move {
                    let _closed = Closed(&shared);
                    // A client that disconnects early is expected.
                    let _ = serve(stream, &shared).await;
                });
                while connections.try_join_next().is_some() {}
            }
        });
        Ok(Self { address, shared, _task: task })
    }

    /// Its address: `http://127.0.0.1:PORT`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The latest requests (at most 1,000), oldest first.
    pub fn calls(&self) -> Vec<Call> {
        self.shared.calls.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// What was counted so far.
    pub fn stats(&self) -> Stats {
        *self.shared.stats.borrow()
    }

    /// Waits until the counters satisfy `condition`, for example until a client has disconnected.
    pub async fn wait_until(&self, condition: impl FnMut(&Stats) -> bool) -> Stats {
        let mut receiver = self.shared.stats.subscribe();
        // The sender lives as long as `self`, so it cannot be gone.
        receiver.wait_for(condition).await.map(|stats| *stats).unwrap_or_default()
    }
}

impl Shared {
    /// Counts a request and answers it.
    pub(super) fn answer(&self, mut call: Call) -> (Call, Reply) {
        self.stats.send_modify(|stats| {
            call.ordinal = stats.requests;
            stats.requests += 1;
        });
        let reply = (self.handler)(&call);
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.len() == MAX_CALLS {
            calls.pop_front();
        }
        calls.push_back(call.clone());
        drop(calls);
        (call, reply)
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("stats", &*self.stats.borrow()).finish_non_exhaustive()
    }
}

/// Counts a connection as closed, however its task ends.
struct Closed<'a>(&'a Shared);

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        self.0.stats.send_modify(|stats| stats.open = stats.open.saturating_sub(1));
    }
}
