//! Verification of the log's hash chain and head.

use std::fs::OpenOptions;
use std::io::{self, BufRead};
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use crate::chain_end::buffered;
use crate::head::{Ends, Head, HeadFile};
use crate::line::{Gap, GapLine, Line, NO_LINE};
use crate::own_file;
use crate::raw_lines::{RawLine, RawLines};

/// A log with a valid chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Number of lines, all of which the head file knows.
    pub lines: u64,
    /// Missing parts that the log itself records.
    pub gaps: Vec<GapLine>,
}

impl Verified {
    /// Gaps that point to tampering: lines were removed, changed or added before a process opened the log and
    /// recorded that. No end of a process explains them.
    pub fn tampered(&self) -> impl Iterator<Item = &GapLine> {
        self.gaps.iter().filter(|line| match line.gap {
            Gap::HeadMismatch { .. } | Gap::LinesAdded { .. } | Gap::HeadMissing => true,
            Gap::Lagged { .. } | Gap::TornLine { .. } | Gap::BatchCut { .. } => false,
        })
    }
}

/// Why the end of a log is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncation {
    /// The missing lines were being written: their process was killed, or the disk or a limit stopped it.
    InFlight,
    /// The missing lines had been written.
    AfterWriting,
}

/// The first defect of a log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The log or its head cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A line is not a valid audit log line.
    #[error("line {line} is not a line of an audit log")]
    Unreadable {
        /// Its position in the file, from 1.
        line: u64,
    },
    /// A line is out of place: one before it is missing, or it was duplicated or moved.
    #[error("line {line} says that it is line {says}: a line is missing, doubled or moved")]
    OutOfPlace {
        /// Its position in the file, from 1.
        line: u64,
        /// The position it claims.
        says: u64,
    },
    /// A line was changed after it was written.
    #[error("line {line} was changed after it was written")]
    Edited {
        /// Its position in the file, from 1.
        line: u64,
    },
    /// The end of the log is missing. What is left of it is as it was written.
    #[error("the log is truncated at line {line}: {}", lost(*line, *expected, *cause))]
    Truncated {
        /// The first line that is not there as a whole, from 1.
        line: u64,
        /// Number of lines that the log would have.
        expected: u64,
        /// How it comes.
        cause: Truncation,
    },
    /// There are lines after those that the head file knows or announces, with a valid chain.
    #[error("{added} lines stand behind the {expected} that the head file knows: they were added")]
    Added {
        /// Number of lines after the head.
        added: u64,
        /// Number of lines according to the head file.
        expected: u64,
    },
    /// The head file exists, but the log does not.
    #[error("the log is missing; its head file is there{}", known(*expected))]
    NoLog {
        /// Number of lines according to the head file; `None` if it is damaged.
        expected: Option<u64>,
    },
    /// The chain is valid, but without a head file it is unknown whether lines are missing from the end.
    #[error("the {lines} lines are a whole chain, but the head file is missing or damaged")]
    NoHead {
        /// Number of lines in the log.
        lines: u64,
    },
}

impl VerifyError {
    /// The next step for the operator, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Truncated { cause: Truncation::InFlight, .. } => {
                Some("no line before it was changed; the next run records the cut and goes on")
            }
            Self::Truncated { cause: Truncation::AfterWriting, .. } => Some(
                "a crash of the machine or of its disk can lose them, and who may write to the log can remove them: keep a copy of the log as it is",
            ),
            Self::NoHead { .. } => {
                Some("lines may be missing from the end; the next run records that and goes on")
            }
            Self::Read { .. } => Some("check the path and its permissions"),
            Self::Unreadable { .. }
            | Self::OutOfPlace { .. }
            | Self::Edited { .. }
            | Self::Added { .. }
            | Self::NoLog { .. } => {
                Some("keep a copy of the log as it is, and find out who could write to it")
            }
        }
    }
}

fn lost(line: u64, expected: u64, cause: Truncation) -> String {
    let lines = if line >= expected {
        format!("line {line} was")
    } else {
        format!("lines {line} to {expected} were")
    };
    match cause {
        Truncation::InFlight => {
            format!("{lines} being written when the process was killed or could not write on")
        }
        Truncation::AfterWriting => format!("{lines} written, and are missing"),
    }
}

fn known(lines: Option<u64>) -> String {
    lines.map_or_else(String::new, |lines| format!(" and knows {lines} lines"))
}

/// Whether there is or was a log: its head outlives it.
pub fn log_exists(log: &Path) -> bool {
    log.symlink_metadata().is_ok() || Head::path(log).symlink_metadata().is_ok()
}

/// Verifies a log and its head: detects any line that was edited, removed, added, moved or cut, and names the
/// first; and a log without its head or a head without its log.
///
/// The chain is not a signature. It detects accidents, and changes by anyone who cannot rewrite the whole
/// rest of the log and its head file.
///
/// # Errors
///
/// See [`VerifyError`].
pub fn verify(log: &Path) -> Result<Verified, VerifyError> {
    let read = |path: PathBuf| move |source| VerifyError::Read { path, source };
    let file = match own_file::open(OpenOptions::new().read(true), log) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound && log_exists(log) => {
            let head = HeadFile::read(log).map_err(read(Head::path(log)))?;
            return Err(VerifyError::NoLog { expected: head.whole().map(|ends| ends.settled.lines) });
        }
        Err(error) => return Err(read(log.to_owned())(error)),
    };
    // Shared lock: a batch that is being written must not look like damage.
    file.lock_shared().map_err(read(log.to_owned()))?;
    let head = HeadFile::read(log).map_err(read(Head::path(log)))?;
    check(buffered(&file), &head, log)
}

fn check(log: impl BufRead, head: &HeadFile, path: &Path) -> Result<Verified, VerifyError> {
    let ends = head.whole();
    let mut chain = Chain { hash: NO_LINE.to_owned(), bytes: 0, ends };
    let mut verified = Verified { lines: 0, gaps: Vec::new() };
    let mut lines = RawLines::new(log).peekable();
    while let Some(line) = lines.next() {
        let line = line.map_err(|source| VerifyError::Read { path: path.to_owned(), source })?;
        if !line.whole {
            return Err(chain.torn(verified.lines, &line));
        }
        verified.lines += 1;
        chain.accept(verified.lines, &line, &mut lines)?;
        if let Some(Line::Gap(gap)) = Line::parse(&line.bytes) {
            verified.gaps.push(gap);
        }
    }
    let lines = verified.lines;
    match ends {
        // A process was stopped as it made the files: the log comes first.
        None if lines == 0 && *head == HeadFile::Missing => Ok(verified),
        None => Err(VerifyError::NoHead { lines }),
        Some(ends) if ends.most_lines() > lines => Err(truncated(lines, ends)),
        Some(ends) if ends.most_lines() < lines => {
            let expected = ends.most_lines();
            Err(VerifyError::Added { added: lines - expected, expected })
        }
        Some(_) => Ok(verified),
    }
}

/// The log ends after so many whole lines, before those of its head.
fn truncated(lines: u64, ends: &Ends) -> VerifyError {
    let cause = if lines < ends.settled.lines { Truncation::AfterWriting } else { Truncation::InFlight };
    VerifyError::Truncated { line: lines + 1, expected: ends.most_lines().max(lines + 1), cause }
}

/// The chain up to a line.
struct Chain<'a> {
    hash: String,
    bytes: u64,
    ends: Option<&'a Ends>,
}

impl Chain<'_> {
    fn accept<R: BufRead>(
        &mut self,
        number: u64,
        line: &RawLine,
        rest: &mut Peekable<RawLines<R>>,
    ) -> Result<(), VerifyError> {
        let next = rest.peek().and_then(|next| next.as_ref().ok()).and_then(|next| Line::parse(&next.bytes));
        match Line::parse(&line.bytes) {
            Some(parsed) if parsed.prev_hash() == self.hash => {
                if parsed.number() != number {
                    return Err(VerifyError::Edited { line: number });
                }
            }
            Some(parsed) if parsed.number() != number => {
                return Err(VerifyError::OutOfPlace { line: number, says: parsed.number() });
            }
            Some(_) => return Err(self.edited(number, line, next.as_ref())),
            None if self.is_vouched_for(number, line, next.as_ref()) => {}
            None => return Err(VerifyError::Unreadable { line: number }),
        }
        self.hash.clone_from(&line.hash);
        self.bytes += line.length + 1;
        match self.head_at(number) {
            Some(head) if (&head.hash, head.bytes) != (&self.hash, self.bytes) => {
                Err(VerifyError::Edited { line: number })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The recorded end of the log at this line.
    fn head_at(&self, number: u64) -> Option<&Head> {
        let ends = self.ends?;
        [Some(&ends.settled), ends.announced.as_ref()].into_iter().flatten().find(|head| head.lines == number)
    }

    /// The last line has no line break. A cut makes a log shorter, which a changed byte does not.
    fn torn(&self, lines: u64, line: &RawLine) -> VerifyError {
        let Some(ends) = self.ends else { return VerifyError::NoHead { lines } };
        if lines < ends.settled.lines && self.bytes + line.length >= ends.settled.bytes {
            return VerifyError::Edited { line: lines + 1 };
        }
        truncated(lines, ends)
    }

    /// The link between a line and the previous one is broken. The edited line is the one whose other link is
    /// broken too.
    fn edited(&self, number: u64, line: &RawLine, next: Option<&Line>) -> VerifyError {
        let next_link = match next {
            Some(next) => Some(next.prev_hash()),
            None => self.head_at(number).map(|head| head.hash.as_str()),
        };
        let this_one = number == 1 || next_link.is_some_and(|link| link != line.hash);
        VerifyError::Edited { line: if this_one { number } else { number - 1 } }
    }

    /// Whether the next line records that this one was cut by a crash, with its exact length and hash.
    fn is_vouched_for(&self, number: u64, line: &RawLine, next: Option<&Line>) -> bool {
        match next {
            Some(Line::Gap(GapLine {
                line: place,
                gap: Gap::TornLine { bytes, before_hash },
                prev_hash,
                ..
            })) => {
                *place == number + 1
                    && *bytes == line.length
                    && *before_hash == self.hash
                    && *prev_hash == line.hash
            }
            Some(Line::Gap(_) | Line::Event(_) | Line::Seal(_)) | None => false,
        }
    }
}
