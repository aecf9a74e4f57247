//! Tails a log: its newest lines, then the lines added later. For display; verifies nothing.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::{AuditError, Line, own_file};

/// Read size.
const PIECE: u64 = 1 << 16;

/// Our lines are far shorter. A longer line counts as unreadable.
const LONGEST: usize = 1 << 20;

/// An item read from the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A line.
    Line(Box<Line>),
    /// An unreadable line.
    Unreadable,
    /// The log is shorter than before, or missing: it is read from the beginning next.
    Shrunk,
}

/// A read position in a log.
#[derive(Debug)]
pub struct Following {
    log: PathBuf,
    position: u64,
    /// The beginning of an incomplete line.
    begun: Vec<u8>,
}

impl Following {
    /// The last `count` lines of a log, and the position after them. A missing log counts as empty.
    ///
    /// # Errors
    /// The log exists, but cannot be read.
    pub fn newest(log: &Path, count: usize) -> Result<(Self, Vec<Seen>), AuditError> {
        let mut following = Self { log: log.to_owned(), position: 0, begun: Vec::new() };
        following.position = following.reading(|file, length| last_lines(file, length, count))?.unwrap_or(0);
        let mut seen = following.added()?;
        // One line break too many: a line was appended in the meantime.
        seen.drain(..seen.len().saturating_sub(count));
        Ok((following, seen))
    }

    /// The lines added since, complete ones only.
    ///
    /// # Errors
    /// As [`newest`](Self::newest).
    pub fn added(&mut self) -> Result<Vec<Seen>, AuditError> {
        let position = self.position;
        let read = self.reading(|file, length| {
            if length < position {
                return Ok(None);
            }
            file.seek(SeekFrom::Start(position))?;
            let mut bytes = Vec::new();
            file.take(length - position).read_to_end(&mut bytes)?;
            Ok(Some(bytes))
        })?;
        let Some(Some(bytes)) = read else {
            let was_read = std::mem::take(&mut self.position) > 0;
            self.begun.clear();
            return Ok(if was_read { vec![Seen::Shrunk] } else { Vec::new() });
        };
        self.position += bytes.len() as u64;
        self.begun.extend(bytes);
        let Some(end) = self.begun.iter().rposition(|byte| *byte == b'\n') else {
            // Bounds the memory for an endless line.
            self.begun.truncate(LONGEST + 1);
            return Ok(Vec::new());
        };
        let rest = self.begun.split_off(end + 1);
        let whole = std::mem::replace(&mut self.begun, rest);
        let lines = whole.split(|byte| *byte == b'\n');
        Ok(lines.take(whole.iter().filter(|byte| **byte == b'\n').count()).map(seen).collect())
    }

    /// Opens the log and calls `work` with its current length; `None` if there is no log.
    fn reading<T>(
        &self,
        work: impl FnOnce(&mut File, u64) -> io::Result<T>,
    ) -> Result<Option<T>, AuditError> {
        let read = || {
            let mut file = match own_file::open(OpenOptions::new().read(true), &self.log) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            };
            let length = file.metadata()?.len();
            work(&mut file, length).map(Some)
        };
        read().map_err(|source| AuditError::Read { path: self.log.clone(), source })
    }
}

fn seen(bytes: &[u8]) -> Seen {
    let line = if bytes.len() > LONGEST { None } else { Line::parse(bytes) };
    line.map_or(Seen::Unreadable, |line| Seen::Line(Box::new(line)))
}

/// The offset of the last `count` complete lines, or of as many as there are.
fn last_lines(file: &mut File, length: u64, count: usize) -> io::Result<u64> {
    let mut breaks = VecDeque::new();
    let mut from = length;
    // One more break than lines: the one before the first of them.
    while from > 0 && breaks.len() <= count {
        let before = from.saturating_sub(PIECE);
        file.seek(SeekFrom::Start(before))?;
        let mut piece = Vec::new();
        file.by_ref().take(from - before).read_to_end(&mut piece)?;
        for (at, byte) in (before..).zip(piece.iter()).collect::<Vec<_>>().into_iter().rev() {
            if *byte == b'\n' {
                breaks.push_front(at + 1);
            }
        }
        from = before;
    }
    let first = breaks.len().checked_sub(count.saturating_add(1));
    Ok(first.and_then(|first| breaks.get(first)).copied().unwrap_or(0))
}
