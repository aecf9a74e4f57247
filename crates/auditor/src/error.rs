//! Errors of the audit log.

use std::io;
use std::path::{Path, PathBuf};

/// Why the audit log could not be read or written. The run continues; the operator is told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The folder could not be created.
    #[error("cannot make the audit folder {}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The log or its head could not be opened, locked or read.
    #[error("cannot read the audit log {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The log or its head could not be written. Unwritten entries are kept and written later.
    #[error("cannot write the audit log {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The log's path is not a regular file.
    #[error("the audit log {} is not a regular file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The log was removed or replaced while it was open.
    #[error("the audit log {} was removed or replaced while it was written", path.display())]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// The thread that writes the log could not be started.
    #[error("cannot start the thread that writes the audit log")]
    Thread {
        /// The system's error.
        source: io::Error,
    },
}

impl AuditError {
    /// The next step for the operator, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Folder { .. } | Self::Read { .. } => Some("check the folder's owner and permissions"),
            Self::Write { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                Some("the disk is full: free some space, and the log goes on by itself")
            }
            Self::Write { source, .. } if source.kind() == io::ErrorKind::FileTooLarge => {
                Some("the limit of file sizes is reached: raise it, and the log goes on by itself")
            }
            Self::Write { .. } => Some("check the folder's owner and permissions, and the state of the disk"),
            Self::NotAFile { .. } => Some("move it away; the auditor makes its own file"),
            Self::Gone { .. } => {
                Some("find out who removed it; the next run begins a new one, and says so there")
            }
            Self::Thread { .. } => None,
        }
    }

    pub(crate) fn open(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| {
            let path = path.to_owned();
            let is_no_file = source.kind() == io::ErrorKind::InvalidInput;
            if is_no_file { Self::NotAFile { path } } else { Self::Read { path, source } }
        }
    }

    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Read { path: path.to_owned(), source }
    }

    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Write { path: path.to_owned(), source }
    }
}
