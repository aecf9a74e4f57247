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
    /// The provider does not serve the account for want of money: no credit, or a quota that is used up. A
    /// retry cannot help.
    #[error("the model server at {url} answered {status}: {message}")]
    NoCredit {
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
    #[error("{}", too_long(model, *tokens, *limit, said))]
    TooLong {
        /// The model, or the server that refused.
        model: String,
        /// Tokens in the prompt, if known.
        tokens: Option<usize>,
        /// Tokens that fit, if known.
        limit: Option<usize>,
        /// The server's own words, truncated; empty if there is no server.
        said: String,
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

fn too_long(model: &str, tokens: Option<usize>, limit: Option<usize>, said: &str) -> String {
    let said = if said.is_empty() { String::new() } else { format!(", which says: {said}") };
    match (tokens, limit) {
        (Some(tokens), Some(limit)) => {
            format!("the prompt has {tokens} tokens; at most {limit} fit the context of {model}{said}")
        }
        _ => format!("the prompt does not fit the context of {model}{said}"),
    }
}

impl LlmError {
    /// The kind of this error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreachable { .. }
            | Self::TimedOut { .. }
            | Self::NoCredit { .. }
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
            | Self::NoCredit { usage, .. }
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
            | Self::NoCredit { usage, .. }
            | Self::Protocol { usage, .. } => *usage += used,
            Self::Unusable { .. }
            | Self::Engine { .. }
            | Self::TooLong { .. }
            | Self::Configuration { .. }
            | Self::Unscripted { .. } => {}
        }
        self
    }

    /// The kind of the fault with which a run ends, if no other attempt and no other plan can do better: the provider
    /// fails, or the configuration is wrong. What the model answered may be better the next time.
    pub fn fault_of_the_provider(&self) -> Option<FaultKind> {
        match self.kind() {
            kind @ (ErrorKind::Infrastructure | ErrorKind::Configuration) => Some(kind.fault()),
            ErrorKind::Answer => None,
        }
    }

    /// What a front end has for it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Unreachable { .. } | Self::NoCredit { .. } => Some(Remedy::ChooseModel),
            Self::Configuration { .. } => Some(Remedy::ShowConfiguration),
            Self::Engine { .. } => Some(Remedy::CheckModelFiles),
            Self::Status { status: 404, .. } => Some(Remedy::ChooseModel),
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
            Self::NoCredit { .. } => {
                Some("the account at the provider has no credit left: add some, or choose another model")
            }
            Self::Status { status, .. } => of_status(*status),
            Self::Protocol { .. } => Some(
                "check that the base URL is the address of the API; if it is, the server is faulty: try again",
            ),
            Self::Unusable { .. } => {
                Some("the model does not keep to the form that it is asked for; choose a stronger one")
            }
            Self::Configuration { .. } => Some("look at the configuration"),
            Self::Engine { .. } => Some("check the model file, and fetch it anew"),
            Self::TooLong { .. } => Some("shorten the request, or use a model with a larger context"),
            Self::Unscripted { .. } => None,
        }
    }
}

/// What to do about an error status.
fn of_status(status: u16) -> Option<&'static str> {
    match status {
        400 | 413 | 422 => {
            Some("the server does not take this request; check that its model can be used for chat")
        }
        401 => Some("check the API key: it is missing, wrong, expired or revoked"),
        403 | 451 => Some(
            "check the API key and what it may use: the provider denies it this model, or does not serve this region",
        ),
        404 => Some("check the base URL and the model's name: the server has no such model or address"),
        405 | 501 => Some("check the base URL: this address does not answer chats"),
        407 => Some("check the proxy and its password"),
        408 | 425 => Some("the server is slow; try again"),
        429 => Some("the provider limits your rate; wait a little"),
        300..400 => Some("check the base URL: the server refers to another address, which is not followed"),
        500.. => Some("the server has a failure of its own; try again later"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_can_do_something_is_told_what() {
        let url = || "http://h/v1".to_owned();
        let status = |status| LlmError::Status {
            url: url(),
            status,
            message: "no".to_owned(),
            usage: Usage::default(),
        };
        let hint = |status_code: u16| status(status_code).hint().unwrap_or_default();
        assert!(hint(401).contains("revoked") && hint(403).contains("region"));
        assert!(hint(404).contains("model's name") && hint(429).contains("rate"));
        for code in [300, 400, 405, 407, 408, 413, 422, 451, 500, 501, 503, 529] {
            assert!(!hint(code).is_empty(), "{code}");
        }
        let broke = LlmError::NoCredit {
            url: url(),
            status: 429,
            message: "You exceeded your current quota".to_owned(),
            usage: Usage::default(),
        };
        assert!(broke.hint().unwrap().contains("credit"), "not: wait a little");
        assert_eq!(broke.kind(), ErrorKind::Infrastructure);
    }

    #[test]
    fn a_prompt_that_does_not_fit_is_reported_in_the_server_s_words() {
        let error = |tokens, limit, said: &str| {
            LlmError::TooLong { model: "m".to_owned(), tokens, limit, said: said.to_owned() }.to_string()
        };
        assert_eq!(error(Some(9), Some(8), ""), "the prompt has 9 tokens; at most 8 fit the context of m");
        assert_eq!(
            error(None, None, "too long"),
            "the prompt does not fit the context of m, which says: too long"
        );
    }
}
