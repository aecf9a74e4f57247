//! A stretch of the log, summed up: what a report needs of its lines.

use std::collections::BTreeSet;
use std::io::{self, Read, Seek, SeekFrom};

use artoo_types::{AuditTrigger, RunId};
use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};

use crate::chain_end::buffered;
use crate::findings::Findings;
use crate::head::Head;
use crate::raw_lines::RawLines;
use crate::tally::{Runs, Tally};
use crate::{Gap, GapLine, Line, ReportFold, Window};

/// Some lines of a log that follow one another, summed up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Segment {
    /// Number of lines before it.
    pub(crate) from_lines: u64,
    /// Where it ends.
    pub(crate) end: Head,
    times: Times,
    /// End of the window of its last periodic report.
    pub(crate) reported_until: Option<DateTime<FixedOffset>>,
    /// The runs that it is about, as they stand at its end.
    pub(crate) runs: Runs,
    pub(crate) tally: Tally,
    /// Its lines that cannot be read. They have no time, so they are in every window.
    pub(crate) unreadable: Findings,
}

/// The times of the lines of a segment. A clock may go back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Times {
    pub(crate) first: DateTime<FixedOffset>,
    pub(crate) earliest: DateTime<FixedOffset>,
    pub(crate) latest: DateTime<FixedOffset>,
}

impl Segment {
    pub(crate) fn times(&self) -> Times {
        self.times
    }

    /// Sums up the lines behind `from`: `lines` of them, and more until one can be read, since a line says
    /// whether the one before it was cut. `None` if there are not that many before the byte `until`.
    pub(crate) fn read(
        mut log: impl Read + Seek,
        from: &Head,
        history: Runs,
        lines: u64,
        until: u64,
    ) -> io::Result<Option<Self>> {
        log.seek(SeekFrom::Start(from.bytes))?;
        let log = log.take(until.saturating_sub(from.bytes));
        let mut summing = Summing::new(history);
        let mut end = from.clone();
        for line in RawLines::new(buffered(log)) {
            let line = line?;
            if !line.whole {
                break;
            }
            end.lines += 1;
            end.bytes += line.length + 1;
            end.hash = line.hash;
            let parsed = Line::parse(&line.bytes);
            summing.line(end.lines, parsed.as_ref());
            if parsed.is_some() && end.lines - from.lines >= lines {
                return Ok(summing.finish(from.lines, end));
            }
        }
        Ok(None)
    }
}

/// A segment under construction.
struct Summing {
    fold: ReportFold,
    times: Option<Times>,
    reported_until: Option<DateTime<FixedOffset>>,
    touched: BTreeSet<RunId>,
}

impl Summing {
    fn new(history: Runs) -> Self {
        // Everything is inside such a window; the time and the cause of a report do not matter here.
        let window = Window::new(AuditTrigger::OnDemand, None, DateTime::UNIX_EPOCH.fixed_offset());
        let fold = ReportFold::new(window).with_history(history);
        Self { fold, times: None, reported_until: None, touched: BTreeSet::new() }
    }

    fn line(&mut self, number: u64, line: Option<&Line>) {
        let Some(line) = line else { return self.fold.unreadable(number) };
        let at = line.at();
        let times = self.times.get_or_insert(Times { first: at, earliest: at, latest: at });
        (times.earliest, times.latest) = (times.earliest.min(at), times.latest.max(at));
        self.reported_until = line.reported_until().or(self.reported_until);
        match line {
            Line::Event(event) => _ = self.touched.insert(event.run_id),
            Line::Gap(GapLine { gap: Gap::Lagged { run_id, .. }, .. }) => _ = self.touched.insert(*run_id),
            Line::Gap(_) | Line::Seal(_) => {}
        }
        self.fold.line(line);
    }

    fn finish(self, from_lines: u64, end: Head) -> Option<Segment> {
        let (mut runs, tally, unreadable) = self.fold.into_parts()?;
        runs.retain(|run_id, _| self.touched.contains(run_id));
        let (times, reported_until) = (self.times?, self.reported_until);
        Some(Segment { from_lines, end, times, reported_until, runs, tally, unreadable })
    }
}
