//! Lines of the audit log, and the hash chain that links them.

use artoo_types::{AuditEvent, AuditReport, AuditTrigger, MessageKind, PeriodicReports, RunId};
use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::fact_access::text;
use crate::facts::WHOLE_REPORT;

/// The previous hash of the first line.
pub const NO_LINE: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// One line of the log: an observed message, a known gap, or the seal of a sum of earlier lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Line {
    /// A message.
    Event(AuditEvent),
    /// A gap.
    Gap(GapLine),
    /// A seal.
    Seal(SealLine),
}

impl Line {
    /// Parses a line without its line break; `None` if it is invalid.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        // Tried in turn: parsing to a generic value first to tell them apart takes twice as long.
        let event = serde_json::from_slice(bytes).map(Self::Event).ok();
        let event = event.or_else(|| serde_json::from_slice(bytes).map(Self::Gap).ok());
        event.or_else(|| serde_json::from_slice(bytes).map(Self::Seal).ok())
    }

    /// The line number it claims.
    pub fn number(&self) -> u64 {
        match self {
            Self::Event(event) => event.line,
            Self::Gap(gap) => gap.line,
            Self::Seal(seal) => seal.line,
        }
    }

    /// Time of the event.
    pub fn at(&self) -> DateTime<FixedOffset> {
        match self {
            Self::Event(event) => event.at,
            Self::Gap(gap) => gap.at,
            Self::Seal(seal) => seal.at,
        }
    }

    /// The periodic report that the line keeps, if it does. Lines of older versions keep none.
    pub fn periodic_report(&self) -> Option<AuditReport> {
        let Self::Event(event) = self else { return None };
        periodic_report(event)
    }

    /// The end of the window, if the line records a periodic report.
    pub(crate) fn reported_until(&self) -> Option<DateTime<FixedOffset>> {
        let Self::Event(event) = self else { return None };
        text(event, "until").filter(|_| is_periodic_report(event)).and_then(|until| until.parse().ok())
    }

    /// The hash it claims for the previous line.
    pub fn prev_hash(&self) -> &str {
        match self {
            Self::Event(event) => &event.prev_hash,
            Self::Gap(gap) => &gap.prev_hash,
            Self::Seal(seal) => &seal.prev_hash,
        }
    }
}

/// Whether the message is a periodic report.
pub(crate) fn is_periodic_report(event: &AuditEvent) -> bool {
    event.kind == MessageKind::AuditReport && text(event, "trigger") == Some("periodic")
}

/// The periodic report that the facts of this message keep.
pub(crate) fn periodic_report(event: &AuditEvent) -> Option<AuditReport> {
    let report = event.facts.get(WHOLE_REPORT).filter(|_| is_periodic_report(event))?;
    let report = AuditReport::deserialize(report).ok()?;
    // The reports before it are on record themselves.
    Some(AuditReport { trigger: AuditTrigger::Periodic, periodic: PeriodicReports::default(), ..report })
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

/// A line that binds a sum of earlier lines to the chain. The sums are in the index beside the log, which saves
/// a report from reading these lines; one without its seal does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealLine {
    /// Position in the log, from 1.
    pub line: u64,
    /// When it was written.
    pub at: DateTime<FixedOffset>,
    /// What it seals.
    pub seal: Seal,
    /// SHA-256 of the line before, as in [`AuditEvent`].
    pub prev_hash: String,
}

/// What a [`SealLine`] says of a sum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    /// The last of the lines that it sums up, which begin behind those of the seal before.
    pub lines: u64,
    /// SHA-256 of the sum, in hexadecimal.
    pub sum: String,
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
