//! `LocalError`: failures of the embedded model, before they become an `LlmError`.

use std::path::PathBuf;

use artoo_llm_client::LlmError;

/// Why the embedded model could not load or answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LocalError {
    /// The file could not be opened or read.
    #[error("cannot read the model file {}: {source}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The I/O error.
        source: std::io::Error,
    },
    /// The file is not a model that this engine can run: truncated, damaged, or of another kind.
    #[error("{} is not a usable model file: {reason}", file.display())]
    BadFile {
        /// The file.
        file: PathBuf,
        /// The first problem.
        reason: String,
    },
    /// The schema cannot be turned into a grammar.
    #[error("the schema {name} cannot constrain an answer: {reason}")]
    Schema {
        /// The schema's name.
        name: String,
        /// The grammar compiler's message.
        reason: String,
    },
    /// The prompt does not fit.
    #[error("the prompt has {tokens} tokens; the context takes {limit}")]
    TooLong {
        /// Tokens in the prompt.
        tokens: usize,
        /// Tokens that fit.
        limit: usize,
    },
    /// The engine panicked; the next request loads it afresh.
    #[error("the engine broke: {reason}; the model is loaded again at the next request")]
    Broken {
        /// The panic message.
        reason: String,
    },
}

impl LocalError {
    /// The failure as an [`LlmError`], for the model called `model`.
    pub(crate) fn into_llm(self, model: &str) -> LlmError {
        let model = model.to_owned();
        match self {
            Self::TooLong { tokens, limit } => {
                LlmError::TooLong { model, tokens: Some(tokens), limit: Some(limit), said: String::new() }
            }
            Self::Schema { .. } => LlmError::Configuration { reason: self.to_string() },
            Self::Unreadable { .. } | Self::BadFile { .. } | Self::Broken { .. } => {
                LlmError::Engine { model, reason: self.to_string() }
            }
        }
    }
}
