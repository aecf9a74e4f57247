//! `RecordFailure`: why a journal can no longer be written, in a sentence for the person.

use std::{
    fs::File,
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use artoo_types::{Fault, FaultKind, Remedy, Role};
use rustix::fs::{Access, access};

use crate::folder_hint;

/// Why a run's record ends before the run does. Each variant has its path.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum RecordFailure {
    /// The folder was removed or moved during the run.
    #[error("the run's folder {} disappeared while the run worked", folder.display())]
    Gone {
        /// The run's folder.
        folder: PathBuf,
    },
    /// The folder exists, but is no longer writable.
    #[error("the run's folder {} may no longer be written", folder.display())]
    ReadOnly {
        /// The run's folder.
        folder: PathBuf,
    },
    /// The disk is full.
    #[error("the disk is full: {} cannot be written", path.display())]
    Full {
        /// The journal.
        path: PathBuf,
    },
    /// The process may not create files of that size (`ulimit -f`, SIGXFSZ).
    #[error("the limit of file sizes is reached: {} cannot grow", path.display())]
    TooLarge {
        /// The journal.
        path: PathBuf,
    },
    /// Anything else.
    #[error("the journal {} cannot be written: {source}", path.display())]
    Io {
        /// The journal.
        path: PathBuf,
        /// The cause.
        source: Arc<io::Error>,
    },
    /// The thread that writes journals is gone.
    #[error("the thread that writes journals has ended")]
    NoThread,
}

impl RecordFailure {
    /// Classifies an error of writing the journal.
    pub(super) fn of(source: io::Error, path: &Path) -> Self {
        let path = path.to_owned();
        let kind = source.kind();
        if matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
            Self::Full { path }
        } else if kind == io::ErrorKind::FileTooLarge {
            Self::TooLarge { path }
        } else {
            Self::Io { path, source: Arc::new(source) }
        }
    }

    /// The fault that ends the run.
    pub(crate) fn fault(&self) -> Fault {
        Fault {
            role: Role::Supervisor,
            kind: FaultKind::Storage,
            message: self.to_string(),
            hint: Some(self.hint().to_owned()),
            remedy: self.remedy(),
        }
    }

    /// What a front end has for it.
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Gone { .. } | Self::ReadOnly { .. } | Self::Full { .. } => Some(Remedy::ChooseDataFolder),
            Self::Io { source, .. } => folder_hint::remedy(source),
            Self::TooLarge { .. } | Self::NoThread => None,
        }
    }

    /// The next step.
    fn hint(&self) -> &'static str {
        match self {
            Self::Gone { .. } => "find out what removes it, or choose another data folder",
            Self::ReadOnly { .. } => "check its owner and permissions, or choose another data folder",
            Self::Full { .. } => "free some space, or choose another data folder",
            Self::TooLarge { .. } => "raise the limit: ulimit -f",
            Self::Io { source, .. } => folder_hint::hint(source),
            Self::NoThread => "this is a fault of artoo; please report it",
        }
    }
}

/// Whether writes to an open journal still reach its path. Writes to a removed file are lost without an
/// error, and the folder is needed for more than the journal.
pub(super) fn reaches(file: &File, path: &Path) -> Result<(), RecordFailure> {
    let folder = path.parent().unwrap_or(path);
    let identity = |found: std::fs::Metadata| (found.dev(), found.ino());
    let named = path.symlink_metadata().map(identity).ok();
    if named.is_none() || named != file.metadata().map(identity).ok() {
        return Err(RecordFailure::Gone { folder: folder.to_owned() });
    }
    access(folder, Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|_| RecordFailure::ReadOnly { folder: folder.to_owned() })
}
