//! Batch of log lines for a single write, and its accounting after a partial write.

use std::collections::VecDeque;
use std::io;

use artoo_types::{AuditEvent, MessageKind, Role, RunId};
use chrono::{DateTime, FixedOffset};

use crate::chain_end::{Tail, Torn};
use crate::head::Head;
use crate::line::{GapLine, Line, Seal, SealLine, line_hash};
use crate::{Facts, Gap};

/// A log entry before it is chained.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Time of the event.
    pub at: DateTime<FixedOffset>,
    /// Content.
    pub what: What,
}

/// Content of an [`Entry`].
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A message was observed.
    Event {
        /// Its run.
        run_id: RunId,
        /// Its sequence number in the run.
        seq: u64,
        /// Its sender.
        from: Role,
        /// Its kind.
        kind: MessageKind,
        /// Its recorded facts.
        facts: Facts,
    },
    /// Something is missing.
    Gap(Gap),
    /// Earlier lines were summed up.
    Seal(Seal),
}

/// The lines of some entries. If the log ends with a torn line, they are preceded by a line that records it.
pub(crate) struct Batch {
    pub(crate) bytes: Vec<u8>,
    ends: Vec<End>,
    number: u64,
    hash: String,
}

/// End of a line in a batch.
struct End {
    offset: usize,
    hash: String,
    /// Number of entries complete at this line.
    entries: usize,
}

impl Batch {
    /// `at` is the timestamp of the line that records a torn one.
    pub(crate) fn new(tail: &Tail, entries: &VecDeque<Entry>, at: DateTime<FixedOffset>) -> Self {
        let mut batch =
            Self { bytes: Vec::new(), ends: Vec::new(), number: tail.lines, hash: tail.hash.clone() };
        if let Some(torn) = &tail.torn {
            // The line break terminates the torn line, and the next line records its hash.
            batch.bytes.push(b'\n');
            let before_hash = batch.end_line(torn.hash.clone(), 0);
            batch.add(&Entry { at, what: What::Gap(Gap::TornLine { bytes: torn.bytes, before_hash }) }, 0);
        }
        for (done, entry) in entries.iter().enumerate() {
            batch.add(entry, done + 1);
        }
        batch
    }

    fn add(&mut self, entry: &Entry, entries: usize) {
        let text = render(self.number + 1, entry, &self.hash);
        self.bytes.extend_from_slice(&text);
        self.bytes.push(b'\n');
        self.end_line(line_hash(&text), entries);
    }

    /// Registers the end of a line; returns the hash of the previous line.
    fn end_line(&mut self, hash: String, entries: usize) -> String {
        self.number += 1;
        self.ends.push(End { offset: self.bytes.len(), hash: hash.clone(), entries });
        std::mem::replace(&mut self.hash, hash)
    }

    /// The head of the log after the whole batch; `None` if the batch is empty.
    pub(crate) fn head_after(&self, before: &Tail) -> Option<Head> {
        let bytes = before.bytes + self.bytes.len() as u64;
        (!self.bytes.is_empty()).then(|| Head { lines: self.number, bytes, hash: self.hash.clone() })
    }

    /// Number of entries in the log after this many bytes were written. An entry that lacks only its line
    /// break counts: the next batch adds the break.
    pub(crate) fn entries_within(&self, written: usize) -> usize {
        self.lines_within(written + 1).last().map_or(0, |end| end.entries)
    }

    /// The tail of the log after this many bytes of the batch were written. The part after the last complete
    /// line is torn.
    pub(crate) fn tail_after(&self, before: &Tail, written: usize) -> Tail {
        if written == 0 {
            return before.clone();
        }
        // The first byte of a batch terminates an earlier torn line, so none is left.
        let mut tail = Tail { torn: None, bytes: before.bytes + written as u64, ..before.clone() };
        let mut from = 0;
        for end in self.lines_within(written) {
            tail.lines += 1;
            tail.hash.clone_from(&end.hash);
            from = end.offset;
        }
        if let Some(rest) = self.bytes.get(from..written).filter(|rest| !rest.is_empty()) {
            tail.torn = Some(Torn { bytes: rest.len() as u64, hash: line_hash(rest) });
        }
        tail
    }

    fn lines_within(&self, written: usize) -> impl Iterator<Item = &End> {
        self.ends.iter().take_while(move |end| end.offset <= written)
    }
}

fn render(line: u64, entry: &Entry, prev_hash: &str) -> Vec<u8> {
    let (at, prev_hash) = (entry.at, prev_hash.to_owned());
    let line = match entry.what.clone() {
        What::Event { run_id, seq, from, kind, facts } => {
            Line::Event(AuditEvent { line, at, run_id, seq, from, kind, facts, prev_hash })
        }
        What::Gap(gap) => Line::Gap(GapLine { line, at, gap, prev_hash }),
        What::Seal(seal) => Line::Seal(SealLine { line, at, seal, prev_hash }),
    };
    // Plain data with string keys cannot fail to serialise; an empty line would show as damage.
    serde_json::to_vec(&line).unwrap_or_default()
}

/// Writes all bytes, or returns how many were written and the error.
pub(crate) fn write_tracked(
    bytes: &[u8],
    mut write: impl FnMut(&[u8]) -> io::Result<usize>,
) -> (usize, Option<io::Error>) {
    let mut written = 0;
    while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
        match write(rest) {
            Ok(0) => return (written, Some(io::ErrorKind::WriteZero.into())),
            Ok(more) => written += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (written, Some(error)),
        }
    }
    (written, None)
}
