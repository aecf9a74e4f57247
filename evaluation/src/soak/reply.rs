//! What the server does with one request.

use std::time::Duration;

/// A response: its head, and what follows, act by act.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reply {
    /// The status.
    pub status: u16,
    /// Headers besides those of the framing.
    pub headers: Vec<(String, String)>,
    /// How the end of the body is told.
    pub framing: Framing,
    /// What is done, in this order.
    pub acts: Vec<Act>,
}

/// How a client knows where the body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// In chunks.
    Chunked,
    /// By this length, be it right or not.
    Length(usize),
    /// By the end of the connection.
    Close,
    /// There is no head: the acts are all that is sent.
    Bare,
}

/// One act.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Act {
    /// Sends these bytes; in chunked framing as one chunk.
    Send(Vec<u8>),
    /// Waits.
    Wait(Duration),
    /// Sends these bytes again and again until the client leaves.
    Forever {
        /// What is sent.
        bytes: Vec<u8>,
        /// The pause between two of them.
        every: Duration,
    },
    /// Does nothing until the client leaves.
    Stall,
    /// Closes the connection without an end.
    Close,
}

impl Reply {
    /// A stream of events.
    pub(super) fn stream(acts: Vec<Act>) -> Self {
        Self { status: 200, headers: Vec::new(), framing: Framing::Chunked, acts }
            .header("content-type", "text/event-stream")
    }

    /// A whole body.
    pub(super) fn body(status: u16, content_type: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self {
            status,
            headers: Vec::new(),
            framing: Framing::Length(bytes.len()),
            acts: vec![Act::Send(bytes)],
        }
        .header("content-type", content_type)
    }

    /// JSON.
    pub(super) fn json(status: u16, value: &serde_json::Value) -> Self {
        Self::body(status, "application/json", value.to_string())
    }

    /// Bytes without a head, and then the end of the connection.
    pub(super) fn bare(bytes: impl Into<Vec<u8>>) -> Self {
        Self { status: 0, headers: Vec::new(), framing: Framing::Bare, acts: vec![Act::Send(bytes.into())] }
    }

    /// Adds a header.
    #[must_use]
    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}
