//! What can go wrong in a task.

use std::{io, path::PathBuf};

/// The result of a task.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a task stopped. Each names what it was about, and what to do where that is known.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder could not be used.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// The verb: read, write, copy.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A program could not be started.
    #[error("cannot start `{command}`: {source}")]
    Start {
        /// The whole command.
        command: String,
        /// What the system said.
        source: io::Error,
    },
    /// A program ended with another status than 0.
    #[error("`{command}` failed ({status})")]
    Failed {
        /// The whole command.
        command: String,
        /// Its exit status, in the system's words.
        status: String,
    },
    /// A file does not hold what it should.
    #[error("{}: {reason}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Rules of `tidy` are broken; the findings have been printed.
    #[error("tidy found {0} thing(s) to mend")]
    Untidy(usize),
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// For `map_err` on file operations.
    pub fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { doing, path, source }
    }
}
