//! Why there is no preview, and why it is not made real.

use std::fmt;
use std::io;
use std::path::PathBuf;

use serde::Serialize;

use crate::snapshot::below::as_text;
use crate::{NoConfinement, SandboxError};

/// Why this machine has no previews. `artoo doctor` prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoPreview {
    /// The kernel cannot even confine a command.
    NoConfinement(NoConfinement),
    /// It was tried, and it failed.
    Refused {
        /// At what.
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

/// Why a command has no preview. Nothing outside the store was changed, and the caller goes on with what the command's words say.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PreviewError {
    /// This machine has none.
    #[error("there are no previews on this machine: {0}")]
    Unsupported(NoPreview),
    /// The mode lets the command write nowhere.
    #[error("there is nothing to preview where nothing may be written")]
    ReadOnly,
    /// A folder cannot be used.
    #[error("there is no preview for {}", path.display())]
    Root {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A folder belongs to another user, whom a namespace does not know.
    #[error("there is no preview for {}: it belongs to another user", path.display())]
    ForeignRoot {
        /// Which.
        path: PathBuf,
    },
    /// The layers would lie where the command may write.
    #[error("there is no preview: its store {} lies in {}", store.display(), within.display())]
    StoreWithin {
        /// The store.
        store: PathBuf,
        /// What the command may write in.
        within: PathBuf,
    },
    /// The layers cannot be made or read.
    #[error("there is no preview: {} cannot be used", path.display())]
    Store {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The command could not be run.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// Processes of the command could not be ended and may still write.
    #[error("the preview has no end: {count} processes of the command could not be ended")]
    Survivors {
        /// How many.
        count: u32,
    },
    /// It changes more than is looked at.
    #[error("the command changes more than {most} entries")]
    TooMany {
        /// How many are looked at.
        most: usize,
    },
    /// It changes folders too deep in folders.
    #[error("{} lies too deep", path.display())]
    TooDeep {
        /// Where.
        path: PathBuf,
    },
    /// A file with other names is changed or moved: its other names would change with it, and do not in an overlay.
    #[error("{} has other names (hard links), which a preview cannot follow", path.display())]
    HardLinks {
        /// Which.
        path: PathBuf,
    },
    /// A socket, a fifo or a device is made.
    #[error("{} is no file, folder or link, and a preview can only remove such", path.display())]
    Special {
        /// Which.
        path: PathBuf,
    },
    /// What the command changed cannot be read, so it cannot be told.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl PreviewError {
    /// Whether the command could be run where it writes in the real folders, if somebody agrees to that: only the layers stand in the way.
    /// Otherwise what it did is the reason, and it would do that again.
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

/// Why the changes were not made, or not all of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommitError {
    /// Somebody else changed what the command would change; nothing was done.
    #[error("{} of the previewed changes are out of date, so none was made", clashes.len())]
    Refused {
        /// What stands in the way, by path.
        clashes: Vec<Clash>,
    },
    /// There is no room for what would be written; nothing was done.
    #[error("there is no room for {needed} bytes in {}", path.display())]
    NoRoom {
        /// Where.
        path: PathBuf,
        /// How many would be written.
        needed: u64,
    },
    /// A step failed. What was done before was taken back: the tree is as it was.
    #[error("{} could not be changed as previewed, so nothing was", path.display())]
    Step {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A step failed, and not everything that was done before could be taken back. What was there waits in a hidden folder of the root.
    #[error("{failed}, but {} could not be put back", path.display())]
    Halfway {
        /// What could not.
        path: PathBuf,
        /// Why.
        source: io::Error,
        /// What failed first.
        failed: Box<CommitError>,
    },
}

impl CommitError {
    /// The next step.
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
    /// Where.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// What.
    #[serde(flatten)]
    pub why: ClashKind,
}

/// How something is not as the preview found it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum ClashKind {
    /// Somebody changed it since.
    ChangedSince,
    /// Somebody changed it while the command ran.
    ChangedMeanwhile,
    /// Nothing was there, and now something is.
    Appeared,
    /// It is gone.
    Gone,
    /// The command removes this folder, and something new is in it.
    Holds {
        /// What.
        #[serde(serialize_with = "as_text")]
        entry: PathBuf,
    },
    /// It cannot be looked at.
    Unreadable {
        /// What the system says.
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
