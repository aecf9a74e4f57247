//! Lines of the audit log, and the hash chain that links them.

use artoo_types::{AuditEvent, MessageKind, RunId};
use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::fact_access::text;

/// The previous hash of the first line.
pub const NO_LINE: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// One line of the log: an observed message, or a known gap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Line {
    /// A message.
    Event(AuditEvent),
    /// A gap.
    Gap(GapLine),
}

impl Line {
    /// Parses a line without its line break; `None` if it is invalid.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        // Tried in turn: parsing to a generic value first to tell them apart takes twice as long.
        let event = serde_json::from_slice(bytes).map(Self::Event).ok();
        event.or_else(|| serde_json::from_slice(bytes).map(Self::Gap).ok())
    }

    /// The line number it claims.
    pub fn number(&self) -> u64 {
        match self {
            Self::Event(event) => event.line,
            Self::Gap(gap) => gap.line,
        }
    }

    /// Time of the event.
    pub fn at(&self) -> DateTime<FixedOffset> {
        match self {
            Self::Event(event) => event.at,
            Self::Gap(gap) => gap.at,
        }
    }

    /// The end of the window, if the line records a periodic report.
    pub(crate) fn reported_until(&self) -> Option<DateTime<FixedOffset>> {
        let Self::Event(event) = self else { return None };
        let periodic = event.kind == MessageKind::AuditReport && text(event, "trigger") == Some("periodic");
        text(event, "until").filter(|_| periodic).and_then(|until| until.parse().ok())
    }

    /// The hash it claims for the previous line.
    pub fn prev_hash(&self) -> &str {
        match self {
            Self::Event(event) => &event.prev_hash,
            Self::Gap(gap) => &gap.prev_hash,
        }
    }
}

/// A line that records something missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapLine {
    /// Position in the log, from 1.
    pub line: u64,
    /// Time at which the gap was noticed.
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
    /// The auditor could not keep up or could not write: these messages of a run are not in the log.
    Lagged {
        /// The run.
        run_id: RunId,
        /// The first missing message.
        first_seq: u64,
        /// The last missing message.
        last_seq: u64,
    },
    /// The previous line was cut during a write, by a crash or a full disk. It is left unchanged.
    TornLine {
        /// Its length in bytes.
        bytes: u64,
        /// SHA-256 of the last complete line before it.
        before_hash: String,
    },
    /// When it was opened, the log was shorter than or different from what its head file said.
    HeadMismatch {
        /// Number of lines according to the head file.
        expected_lines: u64,
        /// Hash of the last of them.
        expected_hash: String,
    },
    /// The log had complete lines after all those that its head file knew or announced.
    LinesAdded {
        /// Number of lines according to the head file.
        expected_lines: u64,
        /// Number of lines after them.
        added: u64,
    },
    /// The last batch was begun and not completed: its process was killed, or could not write on. Everything
    /// before it is as it was. A process that lives on writes the missing lines later.
    BatchCut {
        /// Number of lines that the log would have had with it.
        expected_lines: u64,
        /// How many of them were not there.
        missing: u64,
    },
    /// When it was opened, the log had lines, but its head file was missing or unreadable: lines may have
    /// been cut off.
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
                    "{added} lines stood behind the {expected_lines} that the head file knew; they were added"
                )
            }
            Self::BatchCut { expected_lines, missing } => {
                let what = if *missing == 1 {
                    format!("the last of {expected_lines} lines was")
                } else {
                    format!("the last {missing} of {expected_lines} lines were")
                };
                write!(
                    f,
                    "the log was truncated: {what} begun and not written, since a process was killed or could not write on"
                )
            }
            Self::HeadMissing => {
                f.write_str("the head file was missing; lines may have been removed from the end")
            }
        }
    }
}

/// The hash of a line without its line break.
pub(crate) fn line_hash(line: &[u8]) -> String {
    hex::encode(Sha256::digest(line))
}
