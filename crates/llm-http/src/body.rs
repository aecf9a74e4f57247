//! Reads a response body piece by piece, with limits on time and size.

use std::time::Duration;

use artoo_llm_client::Failure;
use reqwest::Response;
use tokio::time::timeout;

/// The body of one response.
pub(crate) struct Incoming {
    response: Response,
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
}

impl Stalled {
    /// The failure, for the retry policy.
    pub(crate) const fn failure(&self) -> Failure {
        match self {
            Self::Broken(_) => Failure::Broken,
            Self::Idle => Failure::Idle,
            Self::TooLarge => Failure::Protocol,
        }
    }
}

impl Incoming {
    /// Reads at most `room` bytes and waits at most `idle` for each piece.
    pub(crate) fn new(response: Response, idle: Duration, room: usize) -> Self {
        Self { response, idle, room }
    }

    /// Sets the idle timeout from now on.
    pub(crate) fn set_idle(&mut self, idle: Duration) {
        self.idle = idle;
    }

    /// The next piece, which is never empty; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<impl AsRef<[u8]> + use<>>, Stalled> {
        loop {
            let read = timeout(self.idle, self.response.chunk()).await.map_err(|_| Stalled::Idle)?;
            let Some(piece) = read.map_err(|error| Stalled::Broken(causes(&error)))? else {
                return Ok(None);
            };
            self.room = self.room.checked_sub(piece.len()).ok_or(Stalled::TooLarge)?;
            if !piece.is_empty() {
                return Ok(Some(piece));
            }
        }
    }

    /// Appends the rest of the body to `buffer`.
    pub(crate) async fn rest(&mut self, buffer: &mut Vec<u8>) -> Result<(), Stalled> {
        while let Some(piece) = self.next().await? {
            buffer.extend_from_slice(piece.as_ref());
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
