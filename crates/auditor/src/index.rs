//! The index of a log: sums of its older lines, so that a report need not read them.
//!
//! `audit.index` beside the log has a line for each [`Segment`]. It is no second truth: the log holds a
//! *seal* for each of them, a line with the SHA-256 of the sum. A sum counts only if its seal stands in the
//! chain where the index says, and if the log still has the line with which the segment ends. Whoever would
//! change a sum has to rewrite the log from its seal on, and its head: as much as for any other line. The sums
//! before the first one that does not count are used, the other lines are read. Verification never uses the
//! index.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::chain_end::ends_as_said;
use crate::head::{Head, HeadFile};
use crate::line::{Seal, line_hash};
use crate::segment::Segment;
use crate::tally::Runs;
use crate::{Line, own_file};

/// Lines of a segment. A report reads up to so many, and a tenth of a second is enough to sum them up.
pub(crate) const SEGMENT: u64 = 16_384;

/// Longer than a seal and the line behind it may be for the seal to be found.
const WINDOW: u64 = 1 << 16;

/// The segments of a log that count, from its first line on without a hole.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) segments: Vec<Segment>,
    /// Length of the file, and of the entries in it that count.
    length: u64,
    used: u64,
}

impl Index {
    /// The index beside a log: `audit.index` for `audit.jsonl`.
    pub(crate) fn path(log: &Path) -> PathBuf {
        log.with_extension("index")
    }

    /// Reads what counts of the index of a log, which is locked. No index, or one of another log, has nothing.
    ///
    /// # Errors
    ///
    /// The log or its head cannot be read.
    pub(crate) fn read(log: &Path, mut file: &File) -> io::Result<Self> {
        let mut text = Vec::new();
        let opened = own_file::open(OpenOptions::new().read(true), &Self::path(log));
        // An index that cannot be read is of no use, and no harm.
        if opened.and_then(|mut index| index.read_to_end(&mut text)).is_err() {
            text.clear();
        }
        let head = HeadFile::read(log)?;
        let mut index = Self { segments: Vec::new(), length: text.len() as u64, used: 0 };
        for entry in text.split_inclusive(|byte| *byte == b'\n') {
            let Some(segment) = entry.strip_suffix(b"\n").and_then(Entry::parse) else { break };
            if !segment.counts(&mut file, &index.end(), &head)? {
                break;
            }
            index.used += entry.len() as u64;
            index.segments.push(segment.segment);
        }
        Ok(index)
    }

    /// Where its last segment ends.
    pub(crate) fn end(&self) -> Head {
        self.segments.last().map_or_else(Head::beginning, |segment| segment.end.clone())
    }

    /// The runs as they stand there.
    pub(crate) fn runs(&self) -> Runs {
        let runs = self.segments.iter().flat_map(|segment| &segment.runs);
        runs.map(|(run_id, run)| (*run_id, run.clone())).collect()
    }

    /// Whether nobody has written to the file since it was read.
    pub(crate) fn is_current(&self, log: &Path) -> bool {
        let length = Self::path(log).symlink_metadata().map_or(0, |metadata| metadata.len());
        length == self.length
    }

    /// Adds a segment whose seal stands at this byte of the log. Entries that do not count are cut off. Called
    /// under the log's lock.
    pub(crate) fn append(&self, log: &Path, sealed_at: u64, sum: &str) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let mut file = own_file::open(&mut options, &Self::path(log))?;
        file.set_len(self.used)?;
        file.seek(SeekFrom::End(0))?;
        file.write_all(format!("{sealed_at} {sum}\n").as_bytes())
    }
}

impl Segment {
    /// The sum as it is written into the index, and its seal.
    pub(crate) fn sealed(&self) -> serde_json::Result<(String, Seal)> {
        let sum = serde_json::to_string(self)?;
        let seal = Seal { lines: self.end.lines, sum: line_hash(sum.as_bytes()) };
        Ok((sum, seal))
    }
}

/// A line of the index.
struct Entry {
    sealed_at: u64,
    seal: Seal,
    segment: Segment,
}

impl Entry {
    fn parse(line: &[u8]) -> Option<Self> {
        let (sealed_at, sum) = std::str::from_utf8(line).ok()?.split_once(' ')?;
        let segment: Segment = serde_json::from_str(sum).ok()?;
        let seal = Seal { lines: segment.end.lines, sum: line_hash(sum.as_bytes()) };
        Some(Self { sealed_at: sealed_at.parse().ok()?, seal, segment })
    }

    /// Whether it continues at `from`, the log has the end of its lines, and its seal is in the chain.
    fn counts(&self, log: &mut (impl Read + Seek), from: &Head, head: &HeadFile) -> io::Result<bool> {
        let Segment { from_lines, end, .. } = &self.segment;
        let follows = *from_lines == from.lines && end.lines > from.lines && end.bytes <= self.sealed_at;
        Ok(follows && ends_as_said(log, end)? && self.is_sealed(log, head)?)
    }

    fn is_sealed(&self, log: &mut (impl Read + Seek), head: &HeadFile) -> io::Result<bool> {
        log.seek(SeekFrom::Start(self.sealed_at))?;
        let mut window = Vec::new();
        log.by_ref().take(WINDOW).read_to_end(&mut window)?;
        let mut lines = window.split_inclusive(|byte| *byte == b'\n').filter_map(|l| l.strip_suffix(b"\n"));
        let Some(bytes) = lines.next() else { return Ok(false) };
        let Some(Line::Seal(line)) = Line::parse(bytes) else { return Ok(false) };
        let hash = line_hash(bytes);
        let linked = match lines.next() {
            Some(next) => Line::parse(next).is_some_and(|next| next.prev_hash() == hash),
            None => {
                let bytes = self.sealed_at.saturating_add(bytes.len() as u64 + 1);
                let end = Head { lines: line.line, bytes, hash };
                head.whole().is_some_and(|ends| ends.settled == end)
            }
        };
        Ok(linked && line.seal == self.seal)
    }
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
