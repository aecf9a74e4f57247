//! What can be wrong with a session.

use std::{io, path::PathBuf};

use artoo_types::Remedy;

/// Why a session cannot be begun, found, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A file or folder of sessions cannot be read or written.
    #[error("the session {} cannot be {doing}: {source}", path.display())]
    Io {
        /// What was tried: read, written, removed.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No session begins or ends like this, or has this name.
    #[error("there is no session {part:?}")]
    Unknown {
        /// What was asked for.
        part: String,
    },
    /// Several do.
    #[error("{count} sessions answer to {part:?}")]
    Ambiguous {
        /// What was asked for.
        part: String,
        /// How many.
        count: usize,
    },
    /// Another release wrote it.
    #[error("the session {} was written by a newer artoo (format {found}; this one reads {known})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of its format.
        found: u32,
        /// The newest that this release reads.
        known: u32,
    },
    /// Its first line does not say what it is.
    #[error("{} is no session, or its first line is damaged", path.display())]
    Headless {
        /// The file.
        path: PathBuf,
    },
    /// A name that cannot be told from others, or from nothing.
    #[error("{name:?} cannot be the name of a session")]
    Name {
        /// What was given.
        name: String,
    },
}

impl SessionError {
    /// What a front end has for it.
    pub const fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Io { .. } => Some(Remedy::CheckMachine),
            Self::Unknown { .. } => Some(Remedy::ListSessions),
            Self::Headless { .. } => Some(Remedy::ListRuns),
            Self::Ambiguous { .. } | Self::Newer { .. } | Self::Name { .. } => None,
        }
    }

    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Io { .. } => "check the data folder",
            Self::Unknown { .. } => "list them",
            Self::Ambiguous { .. } => "give more characters of the id",
            Self::Newer { .. } => "use the newer release for it, or begin another session",
            Self::Headless { .. } => "its runs are still there",
            Self::Name { .. } => "write one line of at most 100 characters, not empty",
        }
    }
}
