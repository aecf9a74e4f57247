//! The lines of a session's file.

use std::path::PathBuf;

use artoo_types::{RunId, SessionId};
use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};

use super::session::{SessionTurn, TurnEnd};

/// The newest version of the format that this release reads, and the one it writes.
pub(super) const VERSION: u32 = 1;

/// A line, with the version of its format.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Line {
    /// The version.
    pub(super) v: u32,
    /// What it says.
    #[serde(flatten)]
    pub(super) entry: Entry,
}

/// What a line says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Entry {
    /// The first line.
    Session {
        /// The session.
        id: SessionId,
        /// Where it belongs.
        folder: PathBuf,
        /// When it began.
        began: DateTime<FixedOffset>,
    },
    /// A person named it.
    Name {
        /// The name.
        name: String,
    },
    /// Something was asked.
    Turn(SessionTurn),
    /// A run came to its end.
    End {
        /// Which.
        run_id: RunId,
        /// How.
        end: TurnEnd,
    },
}

/// Only the version of a line: of a newer format nothing else can be relied on.
#[derive(Deserialize)]
pub(super) struct Versioned {
    /// The version.
    pub(super) v: u32,
}
