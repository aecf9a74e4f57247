//! The line format of a session's file.

use std::path::PathBuf;

use artoo_types::{Rejection, RunId, SessionId};
use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};

use super::session::{SessionTurn, TurnEnd};

/// The format version that this release writes, and the newest that it reads.
pub(super) const VERSION: u32 = 1;

/// A line, with the version of its format.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Line {
    /// The version.
    pub(super) v: u32,
    /// The content.
    #[serde(flatten)]
    pub(super) entry: Entry,
}

/// The content of a line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Entry {
    /// The first line.
    Session {
        /// The session.
        id: SessionId,
        /// The folder that it belongs to.
        folder: PathBuf,
        /// When it began.
        began: DateTime<FixedOffset>,
    },
    /// A person named the session.
    Name {
        /// The name.
        name: String,
    },
    /// A request.
    Turn(SessionTurn),
    /// A run ended.
    End {
        /// The run.
        run_id: RunId,
        /// Its end.
        end: TurnEnd,
    },
    /// The person rejected the result of a run.
    Rejected {
        /// The run.
        run_id: RunId,
        /// How.
        how: Rejection,
    },
}

/// Only the version of a line: nothing else of a newer format can be relied on.
#[derive(Deserialize)]
pub(super) struct Versioned {
    /// The version.
    pub(super) v: u32,
}
