//! Errors of perceiving a request.

use artoo_llm_client::LlmError;
use artoo_types::{Fault, FaultKind, Role};

/// Why a request could not be perceived.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PerceiveError {
    /// The request contains no words.
    #[error("the request is empty")]
    Empty,
    /// The request is too long to be carried out faithfully.
    #[error("the request has {bytes} bytes; at most {limit} are read")]
    TooLong {
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The model was needed and failed.
    #[error("the request refers to an earlier turn, and the model that should resolve it failed: {0}")]
    Model(#[from] LlmError),
}

impl PerceiveError {
    /// The fault that ends the run.
    pub fn fault(&self) -> Fault {
        let (kind, hint) = match self {
            Self::Empty => (
                FaultKind::Request,
                Some("say what should be done, for example: how many files are in docs?"),
            ),
            Self::TooLong { .. } => {
                (FaultKind::Request, Some("put the text into a file and name the file in the request"))
            }
            Self::Model(error) => (error.kind().fault(), error.hint()),
        };
        let remedy = match self {
            Self::Model(error) => error.remedy(),
            Self::Empty | Self::TooLong { .. } => None,
        };
        let hint = hint.map(str::to_owned);
        Fault { role: Role::Perceiver, kind, message: self.to_string(), hint, remedy }
    }
}
