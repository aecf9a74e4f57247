//! `Error`: why a task failed.

use std::{io, path::PathBuf};

/// The result of a task.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a task stopped. Each variant names its subject, and a remedy if one is known.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder operation failed.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// The verb: read, write, copy.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// A program could not be started.
    #[error("cannot start `{command}`: {source}")]
    Start {
        /// The whole command.
        command: String,
        /// The I/O error.
        source: io::Error,
    },
    /// The exit status of a program was not 0.
    #[error("`{command}` failed ({status})")]
    Failed {
        /// The whole command.
        command: String,
        /// Its exit status, in the system's words.
        status: String,
    },
    /// A file has invalid content.
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
