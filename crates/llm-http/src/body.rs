//! Reads a response body piece by piece, with limits on time and size.

use std::time::Duration;

use artoo_llm_client::Failure;
use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;
use tokio::time::timeout;

use crate::encoding::{UnpackError, Unpacker};

/// The body of one response.
pub(crate) struct Incoming {
    response: Response,
    unpacker: Unpacker,
    idle: Duration,
    room: usize,
}

/// Why the next piece did not arrive.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stalled {
    /// The connection broke; the message.
    Broken(String),
    /// Idle timeout.
    Idle,
    /// The body exceeds the size limit.
    TooLarge,
    /// The body is packed in this way, which was not asked for.
    Packed(String),
}

impl Stalled {
    /// The failure, for the retry policy.
    pub(crate) const fn failure(&self) -> Failure {
        match self {
            Self::Broken(_) => Failure::Broken,
            Self::Idle => Failure::Idle,
            Self::TooLarge | Self::Packed(_) => Failure::Protocol,
        }
    }
}

impl Incoming {
    /// Reads at most `room` bytes and waits at most `idle` for each piece.
    pub(crate) fn new(response: Response, idle: Duration, room: usize) -> Self {
        let declared = response.headers().get(CONTENT_ENCODING).and_then(|name| name.to_str().ok());
        Self { unpacker: Unpacker::new(declared), response, idle, room }
    }

    /// Sets the idle timeout from now on.
    pub(crate) fn set_idle(&mut self, idle: Duration) {
        self.idle = idle;
    }

    /// The next piece, which is never empty; `None` at the end. Whatever comes from the server ends the
    /// silence, keep-alives too.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<u8>>, Stalled> {
        loop {
            let read = timeout(self.idle, self.response.chunk()).await.map_err(|_| Stalled::Idle)?;
            let read = read.map_err(|error| Stalled::Broken(causes(&error)))?;
            let is_last = read.is_none();
            let piece = match read {
                Some(piece) => self.unpacker.feed(&piece, self.room).map_err(|error| match error {
                    UnpackError::Unknown(name) => Stalled::Packed(name),
                    UnpackError::Damaged(reason) => Stalled::Broken(reason),
                })?,
                None => self.unpacker.finish(),
            };
            self.room = self.room.checked_sub(piece.len()).ok_or(Stalled::TooLarge)?;
            if !piece.is_empty() {
                return Ok(Some(piece));
            }
            if is_last {
                return Ok(None);
            }
        }
    }

    /// Appends the rest of the body to `buffer`.
    pub(crate) async fn rest(&mut self, buffer: &mut Vec<u8>) -> Result<(), Stalled> {
        while let Some(piece) = self.next().await? {
            buffer.extend_from_slice(&piece);
        }
        Ok(())
    }

    /// Reads the remaining body after the server said that it is done, so that the connection can be reused.
    /// If the server keeps it open instead, the connection is dropped without waiting.
    pub(crate) async fn drain(mut self) {
        const PATIENCE: Duration = Duration::from_millis(50);
        self.idle = PATIENCE;
        let _ = timeout(PATIENCE, self.rest(&mut Vec::new())).await;
    }
}

/// An error and its causes in one line. Addresses are omitted: they are named elsewhere, without credentials.
pub(crate) fn causes(error: &reqwest::Error) -> String {
    let mut text = String::new();
    let mut next: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(cause) = next {
        let words = cause.to_string();
        next = cause.source();
        // The library's own message for "something went wrong, see below".
        if words.starts_with("client error (") && next.is_some() {
            continue;
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&words);
    }
    if text.is_empty() { "the request failed".to_owned() } else { text }
}
