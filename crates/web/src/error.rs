//! Why the web was not read.

use std::time::Duration;

use artoo_tools::{ToolError, ToolReport};
use artoo_types::{CallEnding, CallFailure, FailureClass};

/// A page that was not got, a search that found nobody who answers, or tools that are set up wrongly.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// As with any tool: a wrong argument, a cancellation.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// An address that may not be reached without a grant.
    #[error("{url} was not asked: {reason}")]
    Address {
        /// The address that was asked for.
        url: String,
        /// Why not.
        reason: String,
    },
    /// A page could not be got.
    #[error("{url} cannot be reached: {reason}")]
    Unreachable {
        /// Its address.
        url: String,
        /// What the network says.
        reason: String,
    },
    /// A page took too long.
    #[error("{url} did not answer within {} seconds", after.as_secs())]
    TimedOut {
        /// Its address.
        url: String,
        /// The limit.
        after: Duration,
    },
    /// A server refused.
    #[error("{url} answered with status {status}")]
    Status {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// What a server sent is no text.
    #[error("{url} is no text but {kind}")]
    NotText {
        /// The address.
        url: String,
        /// What it is.
        kind: String,
    },
    /// A search engine takes artoo for what it is.
    #[error("the search engine {provider} refuses programs just now")]
    Robot {
        /// The engine.
        provider: String,
    },
    /// A search engine does not take the key.
    #[error("the search engine {provider} does not take the key, or its quota is spent")]
    SearchKey {
        /// The engine.
        provider: String,
    },
    /// A search engine answers in another form than is known.
    #[error("the answer of the search engine {provider} cannot be read")]
    UnknownShape {
        /// The engine.
        provider: String,
    },
    /// The web tools are set up wrongly.
    #[error("the web tools cannot be set up: {reason}")]
    Setup {
        /// What is wrong.
        reason: String,
    },
}

/// HTTP statuses that say that the request itself is wrong.
const BAD_REQUESTS: [u16; 7] = [400, 405, 406, 411, 413, 414, 415];

impl WebError {
    /// Whose fault it is: the approach's, the world's, a rule's that no consent lifts, or a missing consent.
    pub fn class(&self) -> FailureClass {
        match self {
            Self::Tool(error) => error.class(),
            Self::NotText { .. } => FailureClass::Logical,
            Self::Address { .. } => FailureClass::Forbidden,
            Self::Status { status, .. } if BAD_REQUESTS.contains(status) => FailureClass::Logical,
            Self::Unreachable { .. }
            | Self::TimedOut { .. }
            | Self::Status { .. }
            | Self::Robot { .. }
            | Self::SearchKey { .. }
            | Self::UnknownShape { .. }
            | Self::Setup { .. } => FailureClass::Environmental,
        }
    }

    /// How the call ended.
    pub fn ending(&self) -> CallEnding {
        match self {
            Self::Tool(error) => error.ending(),
            Self::Address { .. } | Self::Setup { .. } => CallEnding::Refused,
            Self::TimedOut { .. } => CallEnding::TimedOut,
            Self::Unreachable { .. }
            | Self::Status { .. }
            | Self::NotText { .. }
            | Self::Robot { .. }
            | Self::SearchKey { .. }
            | Self::UnknownShape { .. } => CallEnding::Returned,
        }
    }

    /// The next step, where there is one that helps.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Tool(error) => return error.hint(),
            Self::Address { .. } => {
                "only the user can allow it, with `tools.private_addresses = true`; go on without it"
            }
            Self::Unreachable { .. } | Self::TimedOut { .. } => "try another page",
            Self::Status { .. } | Self::NotText { .. } => "look for another page",
            Self::Robot { .. } => {
                "go on without it; the user can set up an engine that takes a key with `tools.search`"
            }
            Self::SearchKey { .. } => "the user has to look at `tools.search_key_env`",
            Self::UnknownShape { .. } => {
                "go on without it; the user can choose another engine with `tools.search`"
            }
            Self::Setup { .. } => "the user has to look at the `tools` table of the configuration",
        };
        Some(text.to_owned())
    }
}

impl From<WebError> for ToolReport {
    fn from(error: WebError) -> Self {
        if let WebError::Tool(error) = error {
            return error.into();
        }
        let failure = CallFailure { class: error.class(), reason: error.to_string(), hint: error.hint() };
        Self::failed(error.ending(), failure)
    }
}
