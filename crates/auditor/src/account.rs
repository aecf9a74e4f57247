//! Which messages of which runs a log accounts for, to be compared with the runs on record.
//!
//! A chain shows nothing of lines that were never in it: a log that was removed together with its head and
//! begun anew is whole. The journals of the runs know which messages there were.

use std::collections::BTreeMap;
use std::path::Path;

use artoo_types::RunId;
use chrono::{DateTime, FixedOffset, TimeDelta};

use crate::head::{Head, HeadFile};
use crate::line::{Gap, Line};
use crate::report::for_each_line;
use crate::thresholds::IN_FLIGHT;
use crate::verify::log_exists;
use crate::{AuditError, GapLine};

/// What a log accounts for.
#[derive(Debug, Default)]
pub struct Account {
    runs: BTreeMap<RunId, Spans>,
    cuts: Vec<Cut>,
    exists: bool,
}

/// A run as its journal has it.
#[derive(Clone, Debug)]
pub struct RunOnRecord {
    /// The run.
    pub run_id: RunId,
    /// Number and time of each message, in order.
    pub messages: Vec<(u64, DateTime<FixedOffset>)>,
    /// Whether its end is on record.
    pub ended: bool,
}

/// Messages of a run that are on record, and of which the log says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingMessages {
    /// The run.
    pub run_id: RunId,
    /// The first missing message.
    pub first_seq: u64,
    /// The last one.
    pub last_seq: u64,
    /// How many are missing.
    pub count: usize,
    /// How many there are.
    pub of: usize,
    /// Why they may be missing.
    pub cause: MissingCause,
}

/// Why messages may be missing from a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingCause {
    /// Its last messages were on their way to the log when its process was killed, or still are.
    InFlight,
    /// The log is known to be cut at that time.
    Truncated,
    /// Nothing on record explains it.
    Unexplained,
}

/// A time in which lines are known to be missing: from the line before the cut to the one that records it.
#[derive(Debug)]
struct Cut {
    from: Option<DateTime<FixedOffset>>,
    to: Option<DateTime<FixedOffset>>,
}

/// Reads what a log accounts for. A missing log accounts for nothing.
///
/// # Errors
///
/// The log or its head exists, but cannot be read.
pub fn account(log: &Path) -> Result<Account, AuditError> {
    let mut account = Account { exists: log_exists(log), ..Account::default() };
    let (mut lines, mut at, mut is_torn) = (0, None, false);
    for_each_line(log, |_, raw| {
        is_torn = !raw.whole;
        lines += u64::from(raw.whole);
        if let Some(line) = Line::parse(&raw.bytes) {
            account.line(&line, at);
            at = Some(line.at());
        }
    })?;
    let head = HeadFile::read(log).map_err(AuditError::read(&Head::path(log)))?;
    if is_torn || head.whole().is_some_and(|ends| ends.most_lines() > lines) {
        account.cuts.push(Cut { from: at, to: None });
    }
    Ok(account)
}

impl Account {
    fn line(&mut self, line: &Line, from: Option<DateTime<FixedOffset>>) {
        match line {
            Line::Event(event) => self.runs.entry(event.run_id).or_default().add(event.seq, event.seq),
            Line::Gap(GapLine { gap: Gap::Lagged { run_id, first_seq, last_seq }, .. }) => {
                self.runs.entry(*run_id).or_default().add(*first_seq, *last_seq);
            }
            Line::Gap(GapLine { gap: Gap::TornLine { .. } | Gap::BatchCut { .. }, at, .. }) => {
                self.cuts.push(Cut { from, to: Some(*at) });
            }
            // What was removed or added does not explain that messages are missing.
            Line::Gap(GapLine {
                gap: Gap::HeadMismatch { .. } | Gap::LinesAdded { .. } | Gap::HeadMissing,
                ..
            })
            | Line::Seal(_) => {}
        }
    }

    /// Whether the log accounts for the first `count` messages of a run: a quick look, before its journal is
    /// read.
    pub fn has_first(&self, run_id: RunId, count: u64) -> bool {
        count == 0 || self.runs.get(&run_id).is_some_and(|spans| spans.has_all(1, count))
    }

    /// The messages of a run that are missing from the log, if there are any.
    pub fn missing(&self, run: &RunOnRecord) -> Option<MissingMessages> {
        let logged = self.runs.get(&run.run_id);
        let is_missing = |seq: u64| logged.is_none_or(|spans| !spans.has_all(seq, seq));
        let missing: Vec<_> = run.messages.iter().filter(|(seq, _)| is_missing(*seq)).collect();
        let (first, last) = (missing.first()?, missing.last()?);
        let is_end = run.messages.iter().filter(|(seq, _)| *seq >= first.0).count() == missing.len();
        let cause = match (is_end && !run.ended, first.1, last.1) {
            // The log is made before the first run.
            _ if !self.exists => MissingCause::Unexplained,
            (true, first, last) if last.signed_duration_since(first) <= in_flight() => MissingCause::InFlight,
            (_, first, last) if self.cuts.iter().any(|cut| cut.covers(first, last)) => {
                MissingCause::Truncated
            }
            (..) => MissingCause::Unexplained,
        };
        let (count, of) = (missing.len(), run.messages.len());
        Some(MissingMessages { run_id: run.run_id, first_seq: first.0, last_seq: last.0, count, of, cause })
    }
}

impl Cut {
    fn covers(&self, first: DateTime<FixedOffset>, last: DateTime<FixedOffset>) -> bool {
        let begins = self.from.is_none_or(|from| first.signed_duration_since(from) >= -in_flight());
        begins && self.to.is_none_or(|to| to.signed_duration_since(last) >= -in_flight())
    }
}

fn in_flight() -> TimeDelta {
    TimeDelta::from_std(IN_FLIGHT).unwrap_or_default()
}

/// Ranges of numbers, from the first of each to the last.
#[derive(Debug, Default)]
struct Spans(BTreeMap<u64, u64>);

impl Spans {
    /// Adds a range; one that ends before it begins is none.
    fn add(&mut self, mut first: u64, mut last: u64) {
        if last < first {
            return;
        }
        if let Some((start, end)) = self.before(first).filter(|(_, end)| end.saturating_add(1) >= first) {
            (first, last) = (start, last.max(end));
        }
        while let Some((start, end)) = self.0.range(first..).next().map(|(start, end)| (*start, *end))
            && start <= last.saturating_add(1)
        {
            self.0.remove(&start);
            last = last.max(end);
        }
        self.0.insert(first, last);
    }

    fn has_all(&self, first: u64, last: u64) -> bool {
        self.before(first).is_some_and(|(_, end)| end >= last)
    }

    /// The range that starts at this number, or the last one before it.
    fn before(&self, first: u64) -> Option<(u64, u64)> {
        self.0.range(..=first).next_back().map(|(start, end)| (*start, *end))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn spans_are_the_set_of_their_numbers(added in prop::collection::vec((0..40_u64, 0..6_u64), 0..20)) {
            let (mut spans, mut set) = (Spans::default(), BTreeSet::new());
            for (first, length) in added {
                spans.add(first, first + length);
                set.extend(first..=first + length);
            }
            for first in 0..50 {
                for last in first..50 {
                    let expected = (first..=last).all(|number| set.contains(&number));
                    prop_assert_eq!(spans.has_all(first, last), expected, "{} to {}", first, last);
                }
            }
        }
    }
}
