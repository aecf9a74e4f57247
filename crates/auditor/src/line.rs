//! The lines of the audit log, and the chain that binds them.

use artoo_types::{AuditEvent, MessageKind, RunId};
use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::fact::text;

/// What the first line names as the hash of the line before it.
pub const NO_LINE: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// One line of the log: a message that was seen, or a gap that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Line {
    /// A message.
    Event(AuditEvent),
    /// A gap.
    Gap(GapLine),
}

impl Line {
    /// Reads a line, without its line break; `None` where it is not one.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        // Tried one after the other: telling them apart by a generic value first takes twice as long.
        let event = serde_json::from_slice(bytes).map(Self::Event).ok();
        event.or_else(|| serde_json::from_slice(bytes).map(Self::Gap).ok())
    }

    /// The number that it gives itself.
    pub fn number(&self) -> u64 {
        match self {
            Self::Event(event) => event.line,
            Self::Gap(gap) => gap.line,
        }
    }

    /// When it happened.
    pub fn at(&self) -> DateTime<FixedOffset> {
        match self {
            Self::Event(event) => event.at,
            Self::Gap(gap) => gap.at,
        }
    }

    /// Where it records a periodic report, the end of that report's window.
    pub(crate) fn reported_until(&self) -> Option<DateTime<FixedOffset>> {
        let Self::Event(event) = self else { return None };
        let periodic = event.kind == MessageKind::AuditReport && text(event, "trigger") == Some("periodic");
        text(event, "until").filter(|_| periodic).and_then(|until| until.parse().ok())
    }

    /// The hash that it gives the line before it.
    pub fn prev_hash(&self) -> &str {
        match self {
            Self::Event(event) => &event.prev_hash,
            Self::Gap(gap) => &gap.prev_hash,
        }
    }
}

/// A line that stands for something missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapLine {
    /// Position in the log, from 1.
    pub line: u64,
    /// When it was noticed.
    pub at: DateTime<FixedOffset>,
    /// What is missing.
    pub gap: Gap,
    /// SHA-256 of the line before, as in [`AuditEvent`].
    pub prev_hash: String,
}

/// What is missing from the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Gap {
    /// The auditor could not keep up, or could not write: these messages of a run are not in the log.
    Lagged {
        /// The run.
        run_id: RunId,
        /// The first missing message.
        first_seq: u64,
        /// The last missing message.
        last_seq: u64,
    },
    /// The line before was cut while it was written, by a crash or a full disk. It stays as it is.
    TornLine {
        /// Its length in bytes.
        bytes: u64,
        /// SHA-256 of the last whole line before it.
        before_hash: String,
    },
    /// When the log was opened it was shorter than, or different from, what its head file said.
    HeadMismatch {
        /// How many lines the head file knew.
        expected_lines: u64,
        /// The hash of the last of them.
        expected_hash: String,
    },
    /// When the log was looked at it had whole lines behind those that its head file knew. A process that was killed between a batch
    /// and its head leaves some; so does somebody who adds lines.
    LinesAdded {
        /// How many lines the head file knew.
        expected_lines: u64,
        /// How many stood behind them.
        added: u64,
    },
    /// When the log was opened it had lines, but its head file was missing or unreadable: lines may have been cut off.
    HeadMissing,
}

impl std::fmt::Display for Gap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Lagged { run_id, first_seq, last_seq } => {
                let count = last_seq.saturating_sub(*first_seq).saturating_add(1);
                write!(f, "run {run_id}: {count} messages are not in the log ({first_seq} to {last_seq})")
            }
            Self::TornLine { bytes, .. } => {
                write!(f, "a line was cut after {bytes} bytes by a crash or a full disk")
            }
            Self::HeadMismatch { expected_lines, .. } => {
                write!(
                    f,
                    "the log was not what its head file said ({expected_lines} lines); lines were removed or changed"
                )
            }
            Self::LinesAdded { expected_lines, added } => {
                write!(
                    f,
                    "{added} lines stood behind the {expected_lines} that the head file knew; they were added, or a process was killed as it wrote them"
                )
            }
            Self::HeadMissing => {
                f.write_str("the head file was missing; lines may have been removed from the end")
            }
        }
    }
}

/// The hash of a line, given without its line break.
pub(crate) fn line_hash(line: &[u8]) -> String {
    hex::encode(Sha256::digest(line))
}
