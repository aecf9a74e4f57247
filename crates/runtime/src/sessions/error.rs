//! `SessionError`: problems of a session.

use std::{io, path::PathBuf};

use artoo_types::Remedy;

/// Why a session cannot be started, found, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A file or folder of sessions cannot be read or written.
    #[error("the session {} cannot be {doing}: {source}", path.display())]
    Io {
        /// The operation: read, written, removed.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// No session has this id prefix or suffix, or this name.
    #[error("there is no session {part:?}")]
    Unknown {
        /// The requested part.
        part: String,
    },
    /// Several sessions match.
    #[error("{count} sessions answer to {part:?}")]
    Ambiguous {
        /// The requested part.
        part: String,
        /// The number of matches.
        count: usize,
    },
    /// Written by a newer release.
    #[error("the session {} was written by a newer artoo (format {found}; this one reads {known})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of its format.
        found: u32,
        /// The newest version that this release reads.
        known: u32,
    },
    /// The first line is not a session header.
    #[error("{} is no session, or its first line is damaged", path.display())]
    Headless {
        /// The file.
        path: PathBuf,
    },
    /// An empty or ambiguous name.
    #[error("{name:?} cannot be the name of a session")]
    Name {
        /// The given name.
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
