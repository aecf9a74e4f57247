//! The end of the log, to which the next line is chained.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use crate::head::{Ends, Head, HeadFile};
use crate::line::{Gap, NO_LINE, line_hash};
use crate::raw_lines::RawLines;

/// The end of the log as known to a writer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    /// Number of complete lines.
    pub(crate) lines: u64,
    /// Length of the file.
    pub(crate) bytes: u64,
    /// Hash of the last whole line.
    pub(crate) hash: String,
    /// The part after the last line break: a line that was cut during a write.
    pub(crate) torn: Option<Torn>,
}

/// An incomplete line at the end of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Torn {
    pub(crate) bytes: u64,
    pub(crate) hash: String,
}

impl Tail {
    /// The end of an empty log.
    pub(crate) fn empty() -> Self {
        Self { lines: 0, bytes: 0, hash: NO_LINE.to_owned(), torn: None }
    }

    /// The head for a log that ends here. A torn line belongs to no head.
    pub(crate) fn head(&self) -> Head {
        let torn = self.torn.as_ref().map_or(0, |torn| torn.bytes);
        Head { lines: self.lines, bytes: self.bytes.saturating_sub(torn), hash: self.hash.clone() }
    }

    /// Finds the end of an existing log, and its difference from the head.
    ///
    /// If the head matches, only the part after it is read, so that opening a long log takes no longer than a
    /// short one.
    pub(crate) fn survey(mut log: impl Read + Seek, head: &HeadFile) -> io::Result<(Self, Option<Gap>)> {
        let ends = match head {
            HeadFile::Whole(ends) => ends,
            HeadFile::Missing | HeadFile::Damaged => {
                let tail = Self::empty().read_on(log)?;
                let was_there = tail.bytes > 0 || *head == HeadFile::Damaged;
                return Ok((tail, was_there.then_some(Gap::HeadMissing)));
            }
        };
        if ends_as_said(&mut log, &ends.settled)? {
            let Head { lines, bytes, hash } = ends.settled.clone();
            let tail = Self { lines, bytes, hash, torn: None }.read_on(log)?;
            let doubt = tail.beyond(ends);
            return Ok((tail, doubt));
        }
        Ok((Self::empty().read_on(log)?, Some(mismatch(&ends.settled))))
    }

    /// What the lines after the settled end say: those of the announced batch may be there in part.
    fn beyond(&self, ends: &Ends) -> Option<Gap> {
        let expected_lines = ends.most_lines();
        if self.lines > expected_lines {
            return Some(Gap::LinesAdded { expected_lines, added: self.lines - expected_lines });
        }
        let announced = ends.announced.as_ref()?;
        if self.lines < expected_lines {
            return Some(Gap::BatchCut { expected_lines, missing: expected_lines - self.lines });
        }
        (self.head() != *announced).then(|| mismatch(announced))
    }

    /// Continues from this end, which must be at a line break, to the end of the file.
    pub(crate) fn read_on(mut self, mut log: impl Read + Seek) -> io::Result<Self> {
        log.seek(SeekFrom::Start(self.bytes))?;
        for line in RawLines::new(buffered(log)) {
            let line = line?;
            self.bytes += line.length + u64::from(line.whole);
            if line.whole {
                self.lines += 1;
                self.hash = line.hash;
            } else {
                self.torn = Some(Torn { bytes: line.length, hash: line.hash });
            }
        }
        Ok(self)
    }
}

fn mismatch(head: &Head) -> Gap {
    Gap::HeadMismatch { expected_lines: head.lines, expected_hash: head.hash.clone() }
}

pub(crate) fn buffered(log: impl Read) -> impl BufRead {
    BufReader::with_capacity(1 << 16, log)
}

/// Whether the line that ends at the head's offset has the head's hash.
pub(crate) fn ends_as_said(log: &mut (impl Read + Seek), head: &Head) -> io::Result<bool> {
    /// Longer than any of our lines.
    const WINDOW: u64 = 1 << 16;
    if head.lines == 0 {
        return Ok(*head == Tail::empty().head());
    }
    // A line has at least its line break, and lies in the file: other values in a head could lead anywhere.
    if head.lines > head.bytes || head.bytes > log.seek(SeekFrom::End(0))? {
        return Ok(false);
    }
    let from = head.bytes.saturating_sub(WINDOW);
    log.seek(SeekFrom::Start(from))?;
    let mut window = Vec::new();
    log.take(head.bytes - from).read_to_end(&mut window)?;
    if window.len() as u64 != head.bytes - from || window.pop() != Some(b'\n') {
        return Ok(false);
    }
    let last = window.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(line_hash(last) == head.hash)
}
