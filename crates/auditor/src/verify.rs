//! Checking the chain.

use std::fs::OpenOptions;
use std::io::{self, BufRead};
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use crate::head::{Head, HeadFile};
use crate::line::{Gap, GapLine, Line, NO_LINE};
use crate::own_file;
use crate::raw::{RawLine, RawLines};
use crate::tail::buffered;

/// A log whose chain holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Lines in it. The head file knows all of them.
    pub lines: u64,
    /// What the log itself says is missing.
    pub gaps: Vec<GapLine>,
}

impl Verified {
    /// The gaps that an honest end of a process does not explain, or need not: lines were removed, changed or added before a
    /// process looked at the log and recorded that.
    pub fn tampered(&self) -> impl Iterator<Item = &GapLine> {
        self.gaps.iter().filter(|line| match line.gap {
            Gap::HeadMismatch { .. } | Gap::LinesAdded { .. } | Gap::HeadMissing => true,
            Gap::Lagged { .. } | Gap::TornLine { .. } => false,
        })
    }
}

/// The first thing that is wrong with a log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The log or its head cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line is not a line of an audit log.
    #[error("line {line} is not a line of an audit log")]
    Unreadable {
        /// Its place in the file, from 1.
        line: u64,
    },
    /// A line is not where it belongs: one before it is missing, or it was doubled or moved.
    #[error("line {line} says that it is line {says}: a line is missing, doubled or moved")]
    OutOfPlace {
        /// Its place in the file, from 1.
        line: u64,
        /// The place that it gives itself.
        says: u64,
    },
    /// A line was changed after it was written.
    #[error("line {line} was changed after it was written")]
    Edited {
        /// Its place in the file, from 1.
        line: u64,
    },
    /// The last line has no end.
    #[error("line {line}, the last, is cut")]
    Cut {
        /// Its place in the file, from 1.
        line: u64,
    },
    /// Lines are missing from the end.
    #[error("the log ends after line {lines}; {expected} were written")]
    Truncated {
        /// Lines that are there.
        lines: u64,
        /// Lines that the head file knows.
        expected: u64,
    },
    /// Lines stand behind those that the head file knows, in a chain that holds.
    #[error(
        "{added} lines stand behind the {expected} that the head file knows: they were added, or a process was killed as it wrote them"
    )]
    Added {
        /// Lines behind the head.
        added: u64,
        /// Lines that the head file knows.
        expected: u64,
    },
    /// The head file is there, and the log is not.
    #[error("the log is missing; its head file is there{}", known(*expected))]
    NoLog {
        /// Lines that the head file knows; `None` where it is damaged.
        expected: Option<u64>,
    },
    /// The chain holds, but without a head file nothing tells whether lines are missing from the end.
    #[error("the {lines} lines are a whole chain, but the head file is missing or damaged")]
    NoHead {
        /// Lines that are there.
        lines: u64,
    },
}

impl VerifyError {
    /// The next step for the operator, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Cut { .. } => {
                Some("a crash or a full disk may have cut it; the next run records that and goes on")
            }
            Self::NoHead { .. } => {
                Some("lines may be missing from the end; the next run records that and goes on")
            }
            Self::Read { .. } => Some("check the path and its permissions"),
            Self::Unreadable { .. }
            | Self::OutOfPlace { .. }
            | Self::Edited { .. }
            | Self::Added { .. }
            | Self::NoLog { .. }
            | Self::Truncated { .. } => {
                Some("keep a copy of the log as it is, and find out who could write to it")
            }
        }
    }
}

fn known(lines: Option<u64>) -> String {
    lines.map_or_else(String::new, |lines| format!(" and knows {lines} lines"))
}

/// Whether there is a log, or was one: its head outlives it.
pub fn is_begun(log: &Path) -> bool {
    log.symlink_metadata().is_ok() || Head::path(log).symlink_metadata().is_ok()
}

/// Checks a log and its head: finds any line that was edited, removed, added, moved or cut, and names the first; and a log or a head
/// that is missing beside the other.
///
/// The chain is no signature. It tells of accidents, and of changes by somebody who cannot rewrite the whole rest of the
/// log and the head file beside it.
///
/// # Errors
///
/// See [`VerifyError`].
pub fn verify(log: &Path) -> Result<Verified, VerifyError> {
    let read = |path: PathBuf| move |source| VerifyError::Read { path, source };
    let file = match own_file::open(OpenOptions::new().read(true), log) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound && is_begun(log) => {
            let head = HeadFile::read(log).map_err(read(Head::path(log)))?;
            return Err(VerifyError::NoLog { expected: head.whole().map(|head| head.lines) });
        }
        Err(error) => return Err(read(log.to_owned())(error)),
    };
    // Shared: a batch that is being written must not look like damage.
    file.lock_shared().map_err(read(log.to_owned()))?;
    let head = HeadFile::read(log).map_err(read(Head::path(log)))?;
    check(buffered(&file), head.whole(), log)
}

fn check(log: impl BufRead, head: Option<&Head>, path: &Path) -> Result<Verified, VerifyError> {
    let mut chain = Chain { hash: NO_LINE.to_owned(), bytes: 0, head };
    let mut verified = Verified { lines: 0, gaps: Vec::new() };
    let mut lines = RawLines(log).peekable();
    while let Some(line) = lines.next() {
        let line = line.map_err(|source| VerifyError::Read { path: path.to_owned(), source })?;
        verified.lines += 1;
        chain.accept(verified.lines, &line, &mut lines)?;
        if let Some(Line::Gap(gap)) = Line::parse(&line.bytes) {
            verified.gaps.push(gap);
        }
    }
    let lines = verified.lines;
    match head {
        None => Err(VerifyError::NoHead { lines }),
        Some(head) if head.lines > lines => Err(VerifyError::Truncated { lines, expected: head.lines }),
        Some(head) if head.lines < lines => {
            Err(VerifyError::Added { added: lines - head.lines, expected: head.lines })
        }
        Some(_) => Ok(verified),
    }
}

/// The chain up to a line.
struct Chain<'a> {
    hash: String,
    bytes: u64,
    head: Option<&'a Head>,
}

impl Chain<'_> {
    fn accept<R: BufRead>(
        &mut self,
        number: u64,
        line: &RawLine,
        rest: &mut Peekable<RawLines<R>>,
    ) -> Result<(), VerifyError> {
        let next = rest.peek().and_then(|next| next.as_ref().ok()).and_then(|next| Line::parse(&next.bytes));
        if !line.whole {
            return Err(VerifyError::Cut { line: number });
        }
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
        match self.head {
            Some(head) if head.lines == number && (&head.hash, head.bytes) != (&self.hash, self.bytes) => {
                Err(VerifyError::Edited { line: number })
            }
            _ => Ok(()),
        }
    }

    /// The link between a line and the one before is broken: which of them was changed? The one whose other link is
    /// broken too.
    fn edited(&self, number: u64, line: &RawLine, next: Option<&Line>) -> VerifyError {
        let next_link = match (next, self.head) {
            (Some(next), _) => Some(next.prev_hash()),
            (None, Some(head)) if head.lines == number => Some(head.hash.as_str()),
            (None, _) => None,
        };
        let this_one = number == 1 || next_link.is_some_and(|link| link != line.hash);
        VerifyError::Edited { line: if this_one { number } else { number - 1 } }
    }

    /// A line that was cut by a crash is followed by one that says exactly that of it.
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
            Some(Line::Gap(_) | Line::Event(_)) | None => false,
        }
    }
}
