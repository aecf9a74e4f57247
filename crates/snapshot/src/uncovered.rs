//! What a snapshot does not cover, and its limits.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use artoo_anchored_files::{RawPath, as_text};

/// The limits of a snapshot.
///
/// ```
/// use artoo_snapshot::SnapshotLimits;
///
/// assert_eq!(SnapshotLimits::default().bytes, 512 * 1024 * 1024);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotLimits {
    /// The most bytes of contents that one run keeps. Small files come first.
    pub bytes: u64,
    /// The most entries below one root that are scanned before and after each call.
    pub entries: usize,
}

impl Default for SnapshotLimits {
    /// 512 MiB and 50,000 entries.
    fn default() -> Self {
        Self { bytes: 512 * 1024 * 1024, entries: 50_000 }
    }
}

/// Something that cannot be restored if the run changes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct NotCovered {
    /// A file; or a folder, with everything below it.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// The reason.
    #[serde(flatten)]
    pub why: Uncovered,
}

/// Why something is not covered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Uncovered {
    /// More entries than can be scanned.
    TooMany {
        /// How many entries can be scanned.
        entries: usize,
    },
    /// The contents kept so far leave no room for this one.
    NoRoom {
        /// Its size in bytes.
        bytes: u64,
    },
    /// It cannot be read or kept.
    Unreadable {
        /// The system's error message.
        error: String,
    },
    /// Folders nested too deeply.
    TooDeep,
    /// Its content changed while it was read.
    Unsteady,
    /// Commands could write anywhere, and only the workspace and the working folder were scanned.
    Elsewhere,
}

impl fmt::Display for Uncovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany { entries } => write!(f, "it holds more than {entries} entries"),
            Self::NoRoom { bytes } => write!(f, "its {bytes} bytes did not fit into the snapshot"),
            Self::Unreadable { error } => write!(f, "it could not be kept: {error}"),
            Self::TooDeep => f.write_str("its folders are nested too deeply"),
            Self::Unsteady => f.write_str("it changed while it was read"),
            Self::Elsewhere => f.write_str("commands could write here, and nobody looked"),
        }
    }
}

/// [`NotCovered`] as a record writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RawNotCovered {
    path: RawPath,
    #[serde(flatten)]
    why: Uncovered,
}

impl From<&NotCovered> for RawNotCovered {
    fn from(given: &NotCovered) -> Self {
        Self { path: given.path.as_path().into(), why: given.why.clone() }
    }
}

impl RawNotCovered {
    pub(super) fn read(self) -> Result<NotCovered, artoo_anchored_files::FromHexError> {
        Ok(NotCovered { path: self.path.to_path()?, why: self.why })
    }
}
