//! Errors of previews and commits.

use std::fmt;
use std::io;
use std::path::PathBuf;

use artoo_anchored_files::as_text;
use serde::Serialize;

use crate::{NoConfinement, SandboxError};

/// Why this machine does not support previews.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoPreview {
    /// The kernel cannot even confine a command.
    NoConfinement(NoConfinement),
    /// The trial run failed.
    Refused {
        /// What failed.
        answer: String,
    },
}

impl fmt::Display for NoPreview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoConfinement(reason) => reason.fmt(f),
            Self::Refused { answer } => f.write_str(answer),
        }
    }
}

impl std::error::Error for NoPreview {}

/// Why a command has no preview. Nothing outside the store was changed, and the caller falls back to what the
/// command's text says.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PreviewError {
    /// This machine does not support previews.
    #[error("there are no previews on this machine: {0}")]
    Unsupported(NoPreview),
    /// The mode lets the command write nowhere.
    #[error("there is nothing to preview where nothing may be written")]
    ReadOnly,
    /// A folder cannot be used.
    #[error("there is no preview for {}", path.display())]
    Root {
        /// The folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A folder belongs to another user, who is not mapped in the user namespace.
    #[error("there is no preview for {}: it belongs to another user", path.display())]
    ForeignRoot {
        /// The folder.
        path: PathBuf,
    },
    /// The layers would be where the command may write.
    #[error("there is no preview: its store {} lies in {}", store.display(), within.display())]
    StoreWithin {
        /// The store.
        store: PathBuf,
        /// The writable folder that contains it.
        within: PathBuf,
    },
    /// The layers cannot be created or read.
    #[error("there is no preview: {} cannot be used", path.display())]
    Store {
        /// The path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The command could not be run.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// Processes of the command could not be killed and may still write.
    #[error("the preview has no end: {count} processes of the command could not be ended")]
    Survivors {
        /// Their number.
        count: u32,
    },
    /// It changes more entries than are examined.
    #[error("the command changes more than {most} entries")]
    TooMany {
        /// The most entries that are examined.
        most: usize,
    },
    /// It changes folders nested too deeply.
    #[error("{} lies too deep", path.display())]
    TooDeep {
        /// The path.
        path: PathBuf,
    },
    /// A file with hard links is changed or moved: its other names would change with it, but do not in an
    /// overlay.
    #[error("{} has other names (hard links), which a preview cannot follow", path.display())]
    HardLinks {
        /// The file.
        path: PathBuf,
    },
    /// It creates a socket, a FIFO or a device.
    #[error("{} is no file, folder or link, and a preview can only remove such", path.display())]
    Special {
        /// The path.
        path: PathBuf,
    },
    /// Something the command changed cannot be read, so it cannot be reported.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl PreviewError {
    /// Whether only the layers failed: the command could run directly on the real folders, with consent.
    /// Otherwise the command's own effects are the reason, and running it would repeat them.
    pub const fn is_of_the_layers(&self) -> bool {
        match self {
            Self::Unsupported(_)
            | Self::Root { .. }
            | Self::ForeignRoot { .. }
            | Self::StoreWithin { .. }
            | Self::HardLinks { .. }
            | Self::Special { .. }
            | Self::Sandbox(SandboxError::Namespace { .. }) => true,
            Self::ReadOnly
            | Self::Store { .. }
            | Self::Sandbox(_)
            | Self::Survivors { .. }
            | Self::TooMany { .. }
            | Self::TooDeep { .. }
            | Self::Unreadable { .. } => false,
        }
    }
}

/// Why the changes were not applied, or not all of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommitError {
    /// Another program changed something that the command would change; nothing was done.
    #[error("{} of the previewed changes are out of date, so none was made", clashes.len())]
    Refused {
        /// The conflicts, by path. The text of the error only counts them.
        clashes: Vec<Clash>,
    },
    /// There is not enough space for what would be written; nothing was done.
    #[error("there is no room for {needed} bytes in {}", path.display())]
    NoRoom {
        /// The root.
        path: PathBuf,
        /// The bytes that would be written.
        needed: u64,
    },
    /// A step failed. The steps before it were undone: the tree is as it was.
    #[error("{} could not be changed as previewed, so nothing was", path.display())]
    Step {
        /// The path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A step failed, and not all steps before it could be undone. The previous contents are in a hidden
    /// folder of the root.
    #[error("{failed}, but {} could not be put back", path.display())]
    Halfway {
        /// The path that could not be restored.
        path: PathBuf,
        /// The reason.
        source: io::Error,
        /// The first failure.
        failed: Box<CommitError>,
    },
}

impl CommitError {
    /// What to do next.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Refused { .. } => "run the command again: its preview shows what it would do now",
            Self::NoRoom { .. } => "free some space, then run the command again",
            Self::Step { .. } => "remove the cause, then run the command again",
            Self::Halfway { .. } => "look at the folder; an undo of the run takes back what was done",
        }
    }
}

/// Something that is not as the preview found it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Clash {
    /// The path.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// What differs.
    #[serde(flatten)]
    pub why: ClashKind,
}

/// How something differs from what the preview found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum ClashKind {
    /// It was changed after the command.
    ChangedSince,
    /// It was changed while the command ran.
    ChangedMeanwhile,
    /// Something exists where nothing was.
    Appeared,
    /// It no longer exists.
    Gone,
    /// The command removes this folder, but it contains something new.
    Holds {
        /// The new entry.
        #[serde(serialize_with = "as_text")]
        entry: PathBuf,
    },
    /// It cannot be examined.
    Unreadable {
        /// The system's error message.
        error: String,
    },
}

impl fmt::Display for ClashKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChangedSince => f.write_str("changed since the preview"),
            Self::ChangedMeanwhile => f.write_str("changed by somebody else during the preview"),
            Self::Appeared => f.write_str("came to be since the preview"),
            Self::Gone => f.write_str("gone since the preview"),
            Self::Holds { entry } => write!(f, "holds {}, which the preview did not see", entry.display()),
            Self::Unreadable { error } => write!(f, "cannot be looked at: {error}"),
        }
    }
}
