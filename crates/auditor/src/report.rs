//! Reports: a fold over the lines of the log, for any window. A query resets nothing.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::Duration;

use artoo_types::{AuditReport, AuditTrigger};
use chrono::{DateTime, FixedOffset};

use crate::chain_end::buffered;
use crate::head::Head;
use crate::index::Index;
use crate::own_file;
use crate::raw_lines::{RawLine, RawLines};
use crate::segment::Segment;
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

    /// Whether a line of this time is in it.
    pub(crate) fn has(&self, at: DateTime<FixedOffset>) -> bool {
        self.since.is_none_or(|since| at >= since)
    }
}

/// Computes a report from a log. A missing log counts as empty. The log, its head and its index are not
/// changed. The index saves reading older lines; see the module.
///
/// # Errors
///
/// The log exists, but cannot be read. Damaged lines are no error: they are anomalies of the report.
pub fn report(log: &Path, window: &Window) -> Result<AuditReport, AuditError> {
    let mut fold = ReportFold::new(window.clone());
    walk(log, &mut fold)?;
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
    let mut until = Until(None);
    walk(log, &mut until)?;
    Ok(until.0)
}

/// Substring of every line that records a report.
const REPORT: &[u8] = b"audit_report";

/// Somebody who reads a log from its beginning.
pub(crate) trait Reader {
    /// Takes the sum of the next lines. `false`: the lines themselves are needed.
    fn segment(&mut self, segment: &Segment) -> bool;

    /// Takes the next line, which is the one with this number in the file.
    fn line(&mut self, number: u64, line: &RawLine);
}

impl Reader for ReportFold {
    fn segment(&mut self, segment: &Segment) -> bool {
        Self::segment(self, segment)
    }

    fn line(&mut self, number: u64, line: &RawLine) {
        match Line::parse(&line.bytes) {
            Some(line) => self.line(&line),
            None => self.unreadable(number),
        }
    }
}

struct Until(Option<DateTime<FixedOffset>>);

impl Reader for Until {
    fn segment(&mut self, segment: &Segment) -> bool {
        self.0 = segment.reported_until.or(self.0).or(Some(segment.times().first));
        true
    }

    fn line(&mut self, _number: u64, line: &RawLine) {
        // Most lines need no parsing.
        let may_tell = self.0.is_none() || line.bytes.windows(REPORT.len()).any(|bytes| bytes == REPORT);
        if may_tell && let Some(line) = Line::parse(&line.bytes) {
            self.0 = line.reported_until().or(self.0).or(Some(line.at()));
        }
    }
}

/// Reads a log: the sums of its index where they do, and all other lines. Returns how many lines were read.
pub(crate) fn walk(log: &Path, reader: &mut impl Reader) -> Result<u64, AuditError> {
    let Some(file) = opened(log)? else { return Ok(0) };
    let index = Index::read(log, &file).map_err(AuditError::read(log))?;
    let (mut read, mut from) = (0, Head::beginning());
    let mut lines = |from: &Head, until: Option<&Head>, reader: &mut _| {
        let counted = read_lines(&file, from, until, reader).map_err(AuditError::read(log))?;
        read += counted;
        Ok(())
    };
    for segment in &index.segments {
        if !reader.segment(segment) {
            lines(&from, Some(&segment.end), reader)?;
        }
        from = segment.end.clone();
    }
    lines(&from, None, reader)?;
    Ok(read)
}

fn read_lines(
    mut file: &File,
    from: &Head,
    until: Option<&Head>,
    reader: &mut impl Reader,
) -> io::Result<u64> {
    file.seek(SeekFrom::Start(from.bytes))?;
    let length = until.map_or(u64::MAX, |until| until.bytes.saturating_sub(from.bytes));
    let mut read = 0;
    for line in RawLines::without_hashes(buffered(file.take(length))) {
        read += 1;
        reader.line(from.lines + read, &line?);
    }
    Ok(read)
}

/// Calls `take` with every line of a log.
pub(crate) fn for_each_line(log: &Path, mut take: impl FnMut(u64, &RawLine)) -> Result<(), AuditError> {
    let Some(file) = opened(log)? else { return Ok(()) };
    for (number, line) in (1..).zip(RawLines::without_hashes(buffered(&file))) {
        take(number, &line.map_err(AuditError::read(log))?);
    }
    Ok(())
}

/// The log under a shared lock: a line that is being written must not look damaged. `None` if there is none.
fn opened(log: &Path) -> Result<Option<File>, AuditError> {
    let file = match own_file::open(OpenOptions::new().read(true), log) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(AuditError::read(log)(error)),
    };
    file.lock_shared().map_err(AuditError::read(log))?;
    Ok(Some(file))
}
