//! What the auditor finds out of order: a closed set of kinds, each with its numbers and its sentence.

use std::fmt;

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumDiscriminants, IntoStaticStr, VariantArray};

use crate::{MessageKind, Role, RunId, Trend, UnitInterval};

/// Something out of order. Prints as one sentence.
///
/// The auditor's thresholds, each with its source, are constants of `artoo_auditor::thresholds`.
///
/// ```
/// use artoo_types::{Anomaly, AnomalyKind};
/// let anomaly = Anomaly::ToolFailing { tool: "shell".to_owned(), calls: 6, failed: 3 };
/// assert_eq!(anomaly.kind(), AnomalyKind::ToolFailing);
/// assert_eq!(anomaly.to_string(), "tool shell: 3 of 6 calls failed");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, EnumDiscriminants)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[strum_discriminants(
    name(AnomalyKind),
    doc = "The kinds of [`Anomaly`], the most important first: what makes a report unsure, then what breaks a promise, then what works badly, then what is known to be missing.",
    derive(PartialOrd, Ord, Hash, VariantArray, IntoStaticStr),
    strum(serialize_all = "snake_case")
)]
pub enum Anomaly {
    /// The log cannot be read, so the report is empty.
    LogUnreadable {
        /// What failed.
        reason: String,
    },
    /// When the log was opened it was not what its head file said, or the head file was missing.
    LogChanged {
        /// The line that records it.
        line: u64,
        /// The lines that the head file knew; `None` where it was missing.
        expected_lines: Option<u64>,
    },
    /// A line of the log cannot be read.
    LineUnreadable {
        /// Its position.
        line: u64,
    },
    /// Messages of a run are not in the log, and no gap says so.
    MessagesMissing {
        /// The run.
        run_id: RunId,
        /// The first missing message.
        first_seq: u64,
        /// The last one.
        last_seq: u64,
    },
    /// A run had a second final result, or a role tried to give it one.
    SecondFinalResult {
        /// The run.
        run_id: RunId,
        /// The message that was the second one, or that reports the refusal.
        seq: u64,
        /// Whether the bus refused it.
        refused: bool,
    },
    /// R4b decided, or the run ended, before every subtask of the round had an outcome.
    FanInIncomplete {
        /// The run.
        run_id: RunId,
        /// The round.
        round: u32,
        /// Outcomes that had to be there, kept ones included.
        expected: u64,
        /// Outcomes that were.
        arrived: u64,
        /// The message that did not wait.
        decided: MessageKind,
    },
    /// An id that must be unique was used twice.
    DuplicateId {
        /// The run.
        run_id: RunId,
        /// The second message with it.
        seq: u64,
        /// What the id is of.
        of: IdKind,
    },
    /// A run went on beyond a limit of its request.
    LimitExceeded {
        /// The run.
        run_id: RunId,
        /// Which limit.
        limit: RunLimit,
        /// What it allows.
        allowed: u64,
        /// What there was.
        seen: u64,
    },
    /// Nothing was heard of a run for a long time, and it has no final result.
    NoFinalResult {
        /// The run.
        run_id: RunId,
        /// Its last message.
        last_at: DateTime<FixedOffset>,
    },
    /// A message found a full mailbox.
    MailboxOverflow {
        /// The run.
        run_id: RunId,
        /// The message that reports it.
        seq: u64,
        /// Who published.
        from: Role,
        /// Whose mailbox was full.
        full: Role,
    },
    /// A model gave no answer, often.
    ModelFailing {
        /// The model.
        model: String,
        /// Its calls.
        calls: u64,
        /// Those without an answer.
        failed: u64,
    },
    /// The answers of a model often lack the shape that was asked for.
    ModelUnusable {
        /// The model.
        model: String,
        /// Its answers that had to have a shape.
        shaped: u64,
        /// Those that did not.
        unusable: u64,
    },
    /// A tool failed often.
    ToolFailing {
        /// The tool.
        tool: String,
        /// Its calls.
        calls: u64,
        /// Those that failed.
        failed: u64,
    },
    /// Two `break_symmetry` directives in a row, and D did not fall.
    GgsThrashing {
        /// The run.
        run_id: RunId,
        /// D when the first of them was given.
        d_before: UnitInterval,
        /// D when the second was.
        d_now: UnitInterval,
    },
    /// The loss of a finished run went one way and came back.
    Oscillation {
        /// The run.
        run_id: RunId,
        /// D of each round.
        d: Vec<UnitInterval>,
    },
    /// A finished run was replanned again and again, and its loss did not fall.
    NoImprovement {
        /// The run.
        run_id: RunId,
        /// Stable or worsening.
        trend: Trend,
        /// D of each round.
        d: Vec<UnitInterval>,
    },
    /// The auditor could not keep up: messages of a run are not in the log, and a gap says so.
    MessagesLost {
        /// The run.
        run_id: RunId,
        /// The first missing message.
        first_seq: u64,
        /// The last one.
        last_seq: u64,
    },
    /// A line of the log was cut by a crash or a full disk.
    LineTorn {
        /// The line that records it; the cut one stands before it.
        line: u64,
        /// So many bytes of it were written.
        bytes: u64,
    },
    /// The log did not catch up with the question in time.
    LogBehind,
}

impl AnomalyKind {
    /// Every kind, the most important first.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Anomaly {
    /// Its kind.
    pub fn kind(&self) -> AnomalyKind {
        self.into()
    }
}

impl fmt::Display for Anomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LogUnreadable { reason } => f.write_str(reason),
            Self::LogChanged { line, expected_lines: Some(expected) } => write!(
                f,
                "line {line} of the log: it was not what its head file said ({expected} lines); lines were removed, changed or added"
            ),
            Self::LogChanged { line, expected_lines: None } => write!(
                f,
                "line {line} of the log: the head file was missing; lines may have been removed from the end"
            ),
            Self::LineUnreadable { line } => {
                write!(f, "line {line} of the log cannot be read")
            }
            Self::MessagesMissing { run_id, first_seq, last_seq } => write!(
                f,
                "run {run_id}: messages {first_seq} to {last_seq} are missing from the log, and no gap says so"
            ),
            Self::SecondFinalResult { run_id, seq, refused } => {
                let refused = if *refused { "; refused" } else { "" };
                write!(f, "run {run_id}: a second final result (message {seq}){refused}")
            }
            Self::FanInIncomplete { run_id, round, expected, arrived, decided } => {
                let decided = decided.name();
                write!(f, "run {run_id}: {decided} in round {round} with {arrived} of {expected} outcomes")
            }
            Self::DuplicateId { run_id, seq, of } => {
                write!(f, "run {run_id}: the id of {} is used twice (message {seq})", of.name())
            }
            Self::LimitExceeded { run_id, limit, allowed, seen } => {
                write!(f, "run {run_id}: {seen} {}, the limit is {allowed}", limit.name())
            }
            Self::NoFinalResult { run_id, last_at } => {
                write!(f, "run {run_id}: no final result; nothing was heard of it since {last_at}")
            }
            Self::MailboxOverflow { run_id, seq, from, full } => {
                write!(
                    f,
                    "run {run_id}: {from} found the mailbox of {full} full (message {seq}); the run failed"
                )
            }
            Self::ModelFailing { model, calls, failed } => {
                write!(f, "model {model}: {failed} of {calls} calls failed")
            }
            Self::ModelUnusable { model, shaped, unusable } => {
                write!(f, "model {model}: {unusable} of {shaped} answers were not usable")
            }
            Self::ToolFailing { tool, calls, failed } => {
                write!(f, "tool {tool}: {failed} of {calls} calls failed")
            }
            Self::GgsThrashing { run_id, d_before, d_now } => {
                let d = Path(&[*d_before, *d_now]);
                write!(f, "run {run_id}: break_symmetry twice in a row, and D did not fall ({d})")
            }
            Self::Oscillation { run_id, d } => write!(f, "run {run_id}: D went and came back ({})", Path(d)),
            Self::NoImprovement { run_id, trend, d } => {
                let (plans, trend) = (d.len(), trend.name());
                write!(f, "run {run_id}: {plans} plans and no improvement: {trend} (D {})", Path(d))
            }
            Self::MessagesLost { run_id, first_seq, last_seq } => {
                let count = last_seq.saturating_sub(*first_seq).saturating_add(1);
                write!(f, "run {run_id}: {count} messages are not in the log ({first_seq} to {last_seq})")
            }
            Self::LineTorn { line, bytes } => {
                write!(
                    f,
                    "line {line} of the log: the one before was cut after {bytes} bytes by a crash or a full disk"
                )
            }
            Self::LogBehind => f.write_str("the log is behind: this report may lack the last messages"),
        }
    }
}

/// D from round to round, in words: `0.80, 0.40, 0.80`.
struct Path<'a>(&'a [UnitInterval]);

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, d) in self.0.iter().enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            write!(f, "{comma}{:.2}", d.get())?;
        }
        Ok(())
    }
}

/// What an id is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdKind {
    /// A run: it got a second request.
    Run,
    /// A message: its number is there twice, or out of order.
    Message,
    /// A subtask: it was handed out twice.
    SubTask,
    /// The outcome of a subtask.
    Outcome,
    /// A tool call: it began or ended twice.
    ToolCall,
}

impl IdKind {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "a run",
            Self::Message => "a message",
            Self::SubTask => "a subtask",
            Self::Outcome => "a subtask's outcome",
            Self::ToolCall => "a tool call",
        }
    }
}

/// A limit that a request sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunLimit {
    /// Replans of the run.
    Replans,
    /// Corrections of one subtask.
    Corrections,
}

impl RunLimit {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Replans => "replans",
            Self::Corrections => "corrections of one subtask",
        }
    }
}
