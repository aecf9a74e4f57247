//! `LlmError`: why a model call failed.

use std::time::Duration;

use artoo_types::{FaultKind, Remedy};

use crate::Usage;

/// Why a model call failed. Every variant names the model or server; those of a server include the usage up
/// to the failure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LlmError {
    /// The connection failed.
    #[error("cannot reach the model server at {url}: {reason}")]
    Unreachable {
        /// The server, without credentials.
        url: String,
        /// The network error.
        reason: String,
        /// Usage of earlier attempts.
        usage: Usage,
    },
    /// The server was silent for too long.
    #[error("the model server at {url} {phase} for {waited:?}")]
    TimedOut {
        /// The server, without credentials.
        url: String,
        /// The phase: "sent no first byte", "stopped sending".
        phase: &'static str,
        /// The time limit.
        waited: Duration,
        /// Usage, including this attempt.
        usage: Usage,
    },
    /// The server answered with an error status after all retries.
    #[error("the model server at {url} answered {status}: {message}")]
    Status {
        /// The server, without credentials.
        url: String,
        /// The HTTP status code.
        status: u16,
        /// The server's own words, truncated.
        message: String,
        /// Usage, including this attempt.
        usage: Usage,
    },
    /// The server's response violates the protocol.
    #[error("the model server at {url} sent something that is not an answer: {reason}")]
    Protocol {
        /// The server, without credentials.
        url: String,
        /// The violation.
        reason: String,
        /// Usage, including this attempt.
        usage: Usage,
    },
    /// The answer did not match the requested schema, even after one repair call. It has no usage: each of
    /// its answers was counted as a call of its own.
    #[error("the answer of {model} does not fit the schema {schema}: {reason}")]
    Unusable {
        /// The model.
        model: String,
        /// The schema's name.
        schema: String,
        /// The first violation.
        reason: String,
    },
    /// The model file or the engine failed.
    #[error("the embedded model {model} failed: {reason}")]
    Engine {
        /// The model.
        model: String,
        /// The failure.
        reason: String,
    },
    /// The prompt exceeds the model's context. A shorter one may be sent.
    #[error("{}", too_long(model, *tokens, *limit))]
    TooLong {
        /// The model, or the server that refused.
        model: String,
        /// Tokens in the prompt, if known.
        tokens: Option<usize>,
        /// Tokens that fit, if known.
        limit: Option<usize>,
    },
    /// The request itself cannot be sent (bad base URL, bad header value).
    #[error("the model is configured wrongly: {reason}")]
    Configuration {
        /// The problem.
        reason: String,
    },
    /// A scripted or replayed model got an unknown request.
    #[error("the recorded model has no answer for this request: {reason}")]
    Unscripted {
        /// The request.
        reason: String,
    },
}

/// The kinds of [`LlmError`] that callers treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The path to the model is broken, or its provider refuses: network, server, key, credits, engine.
    Infrastructure,
    /// The model answered, but not usably.
    Answer,
    /// The user's configuration is wrong: no request can be sent.
    Configuration,
}

impl ErrorKind {
    /// The kind of the fault with which a run ends that cannot go on without the answer.
    pub const fn fault(self) -> FaultKind {
        match self {
            Self::Infrastructure => FaultKind::Provider,
            Self::Answer => FaultKind::Answer,
            Self::Configuration => FaultKind::Configuration,
        }
    }
}

fn too_long(model: &str, tokens: Option<usize>, limit: Option<usize>) -> String {
    match (tokens, limit) {
        (Some(tokens), Some(limit)) => {
            format!("the prompt has {tokens} tokens; {model} takes at most {limit}")
        }
        _ => format!("the prompt is longer than the context of {model}"),
    }
}

impl LlmError {
    /// The kind of this error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreachable { .. }
            | Self::TimedOut { .. }
            | Self::Status { .. }
            | Self::Protocol { .. }
            | Self::Engine { .. }
            | Self::Unscripted { .. } => ErrorKind::Infrastructure,
            Self::Unusable { .. } | Self::TooLong { .. } => ErrorKind::Answer,
            Self::Configuration { .. } => ErrorKind::Configuration,
        }
    }

    /// The usage of a server's failed call, over all its attempts: the counts that the server reported before
    /// it failed, or an estimate if words of an answer had arrived. Zero if no server is involved.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Unreachable { usage, .. }
            | Self::TimedOut { usage, .. }
            | Self::Status { usage, .. }
            | Self::Protocol { usage, .. } => *usage,
            Self::Unusable { .. }
            | Self::Engine { .. }
            | Self::TooLong { .. }
            | Self::Configuration { .. }
            | Self::Unscripted { .. } => Usage::default(),
        }
    }

    /// The error with this earlier usage added.
    #[must_use]
    pub fn after(mut self, used: Usage) -> Self {
        match &mut self {
            Self::Unreachable { usage, .. }
            | Self::TimedOut { usage, .. }
            | Self::Status { usage, .. }
            | Self::Protocol { usage, .. } => *usage += used,
            Self::Unusable { .. }
            | Self::Engine { .. }
            | Self::TooLong { .. }
            | Self::Configuration { .. }
            | Self::Unscripted { .. } => {}
        }
        self
    }

    /// What a front end has for it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Unreachable { .. } => Some(Remedy::ChooseModel),
            Self::Configuration { .. } => Some(Remedy::ShowConfiguration),
            Self::Engine { .. } => Some(Remedy::CheckModelFiles),
            Self::TimedOut { .. }
            | Self::Status { .. }
            | Self::Protocol { .. }
            | Self::Unusable { .. }
            | Self::TooLong { .. }
            | Self::Unscripted { .. } => None,
        }
    }

    /// The next step for the person at the terminal, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unreachable { .. } => {
                Some("check the address and that the server runs, or choose another model")
            }
            Self::TimedOut { .. } => {
                Some("the server is slow or stuck; try again, or raise the time-outs in the configuration")
            }
            Self::Status { status: 401 | 403, .. } => Some("check the API key"),
            Self::Status { status: 404, .. } => Some("check the base URL and the model's name"),
            Self::Status { status: 429, .. } => Some("the provider limits your rate; wait a little"),
            Self::Configuration { .. } => Some("look at the configuration"),
            Self::Engine { .. } => Some("check the model file, and fetch it anew"),
            Self::TooLong { .. } => Some("shorten the request, or use a model with a larger context"),
            Self::Status { .. } | Self::Protocol { .. } | Self::Unusable { .. } | Self::Unscripted { .. } => {
                None
            }
        }
    }
}
