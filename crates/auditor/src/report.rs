//! Reports: a fold over the lines of the log, for any window. A query resets nothing.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use artoo_types::{AuditReport, AuditTrigger};
use chrono::{DateTime, FixedOffset};

use crate::chain_end::buffered;
use crate::raw_lines::{RawLine, RawLines};
use crate::thresholds::SILENCE;
use crate::{AuditError, Line, ReportFold};

/// The parameters of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The reason for the report.
    pub trigger: AuditTrigger,
    /// Start of the window; `None` for the first line.
    pub since: Option<DateTime<FixedOffset>>,
    /// The time of the report.
    pub now: DateTime<FixedOffset>,
    /// A run without a final result counts as lost after this time without messages.
    pub silence: Duration,
}

impl Window {
    /// A window up to `now`, with [`SILENCE`].
    pub fn new(
        trigger: AuditTrigger,
        since: Option<DateTime<FixedOffset>>,
        now: DateTime<FixedOffset>,
    ) -> Self {
        Self { trigger, since, now, silence: SILENCE }
    }
}

/// Computes a report from a log. A missing log counts as empty. The log and its head are not changed.
///
/// # Errors
///
/// The log exists, but cannot be read. Damaged lines are no error: they are anomalies of the report.
pub fn report(log: &Path, window: &Window) -> Result<AuditReport, AuditError> {
    let mut fold = ReportFold::new(window.clone());
    for_each_line(log, |number, line| match Line::parse(&line.bytes) {
        Some(line) => fold.line(&line),
        None => fold.unreadable(number),
    })?;
    Ok(fold.finish())
}

/// The time up to which periodic reports cover the log: the end of the last periodic report's window, or the
/// time of the first line if there was none. `None` for an empty log.
///
/// The next periodic report begins here, in any process: what happened after the last one of a process that
/// ended is in the first one of the next.
///
/// # Errors
///
/// The log exists, but cannot be read.
pub fn reported_until(log: &Path) -> Result<Option<DateTime<FixedOffset>>, AuditError> {
    let mut until = None;
    for_each_line(log, |_, line| {
        // Most lines need no parsing.
        let may_tell = until.is_none() || line.bytes.windows(REPORT.len()).any(|bytes| bytes == REPORT);
        if may_tell && let Some(line) = Line::parse(&line.bytes) {
            until = line.reported_until().or(until).or(Some(line.at()));
        }
    })?;
    Ok(until)
}

/// Substring of every line that records a report.
const REPORT: &[u8] = b"audit_report";

pub(crate) fn for_each_line(log: &Path, mut take: impl FnMut(u64, &RawLine)) -> Result<(), AuditError> {
    let file = match File::open(log) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(AuditError::read(log)(error)),
    };
    // Shared lock: a line that is being written must not look damaged.
    file.lock_shared().map_err(AuditError::read(log))?;
    for (number, line) in (1..).zip(RawLines(buffered(&file))) {
        take(number, &line.map_err(AuditError::read(log))?);
    }
    Ok(())
}
