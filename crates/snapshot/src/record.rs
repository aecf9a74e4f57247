//! The record of a run's changes: written while it runs, and read for undo.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use artoo_anchored_files::{Below, ContentId, Moment, RawPath, State};
use rustix::fs::FlockOperation;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::UndoError;
use super::uncovered::{NotCovered, RawNotCovered, Uncovered};

/// The state of each path before the run.
pub(super) const BEFORE: &str = "before.jsonl";
/// The changes of the run.
pub(super) const CHANGES: &str = "changes.jsonl";
/// The original contents.
pub(super) const OBJECTS: &str = "objects";
/// What the caller keeps for an undo besides contents of files.
pub(super) const BESIDE: &str = "beside";
/// What undo removed.
pub(super) const TAKEN: &str = "taken";

/// The longest line accepted. A path has at most some thousand bytes.
const LONGEST_LINE: u64 = 1024 * 1024;
/// The most lines read from one file.
const MOST_LINES: usize = 4_000_000;

/// A path of a record: the number of its root, and the path below it.
pub(super) type Spot = (usize, Below);

/// The original state of a path, and the content of a file if kept.
pub(super) type Found = (Option<State>, Option<ContentId>);

/// The original state of a path. The last line about a path counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BeforeLine {
    pub(super) root: usize,
    pub(super) path: Below,
    /// `None`: it did not exist.
    pub(super) state: Option<State>,
    /// The content of a file; `None` if not kept.
    pub(super) kept: Option<ContentId>,
}

/// An event of the run, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub(super) enum ChangeLine {
    /// A writable folder; roots are numbered from 0.
    Root { path: RawPath, whole: bool, excluded: Vec<Below> },
    /// A call starts.
    Begin,
    /// The state in which the run left a path; `None`: it does not exist.
    After { root: usize, path: Below, state: Option<State> },
    /// A call ended, and everything that it changed is recorded above.
    End,
    /// Another program changed a path that the run had changed.
    Foreign { root: usize, path: Below },
    /// Something that cannot be restored.
    NotCovered(RawNotCovered),
    /// The run ended, and everything that it changed is recorded above.
    Closed,
    /// The caller keeps something of its own beside the record.
    Beside,
    /// An undo started. These folders keep these times, because another program changed their entries.
    Undoing { keep: Vec<(usize, Below, Moment)> },
    /// Undo moved this path to `taken` under this number.
    Taken { number: u64, root: usize, path: Below },
    /// Everything was undone.
    Undone,
}

/// A file of lines. Each is written completely or, if artoo is killed, not at all.
#[derive(Debug)]
pub(super) struct Lines(File);

impl Lines {
    pub(super) fn append(folder: &Path, name: &str) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let mut options = OpenOptions::new();
        Ok(Self(options.read(true).append(true).create(true).mode(0o600).open(folder.join(name))?))
    }

    /// Opens an existing file.
    pub(super) fn reopen(path: &Path) -> io::Result<Self> {
        Ok(Self(OpenOptions::new().read(true).append(true).open(path)?))
    }

    pub(super) fn write(&mut self, lines: &[impl Serialize]) -> io::Result<()> {
        let mut text = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut text, line)?;
            text.push(b'\n');
        }
        self.0.write_all(&text)?;
        // Writes to a removed file succeed, but are lost.
        if self.0.metadata()?.nlink() == 0 {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "the record was removed while the run worked",
            ));
        }
        Ok(())
    }

    pub(super) fn file(&self) -> &File {
        &self.0
    }

    /// Takes the lock of the record; returns `false` if another process has it.
    pub(super) fn lock(&self) -> io::Result<bool> {
        match rustix::fs::flock(&self.0, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// A root as recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RecordedRoot {
    pub(super) path: PathBuf,
    /// Whether everything below it was scanned; otherwise only paths that a tool named.
    pub(super) whole: bool,
    /// What was not scanned nevertheless.
    pub(super) excluded: BTreeSet<Below>,
}

/// The content of `changes.jsonl`.
#[derive(Debug, Default)]
pub(super) struct Course {
    pub(super) roots: Vec<RecordedRoot>,
    pub(super) after: BTreeMap<Spot, Option<State>>,
    pub(super) foreign: BTreeSet<Spot>,
    pub(super) not_covered: Vec<NotCovered>,
    /// Calls that started and did not end.
    pub(super) open: usize,
    /// Whether an undo started, and the times it recorded.
    pub(super) undoing: Option<Vec<(usize, Below, Moment)>>,
    pub(super) taken: u64,
    pub(super) undone: bool,
    /// Whether something is kept beside the record.
    pub(super) has_beside: bool,
}

impl Course {
    pub(super) fn read(folder: &Path) -> Result<Self, UndoError> {
        let mut course = Self::default();
        let path = folder.join(CHANGES);
        each_line(&path, |line: ChangeLine| {
            match line {
                ChangeLine::Root { path, whole, excluded } => {
                    let excluded: BTreeSet<Below> = excluded.into_iter().collect();
                    let path = path.to_path().map_err(|_| "a root is no path")?;
                    if !path.is_absolute() {
                        return Err("a root is not absolute");
                    }
                    match course.roots.iter_mut().find(|root| root.path == path) {
                        Some(root) => *root = RecordedRoot { path, whole: root.whole || whole, excluded },
                        None => course.roots.push(RecordedRoot { path, whole, excluded }),
                    }
                }
                ChangeLine::Begin => course.open += 1,
                ChangeLine::After { root, path, state } => {
                    known(&course.roots, root)?;
                    course.after.insert((root, path), state);
                }
                ChangeLine::End => course.open = course.open.saturating_sub(1),
                ChangeLine::Foreign { root, path } => {
                    known(&course.roots, root)?;
                    course.foreign.insert((root, path));
                }
                ChangeLine::NotCovered(raw) => {
                    course.not_covered.push(raw.read().map_err(|_| "a path is not in hexadecimal")?);
                }
                ChangeLine::Closed => course.open = 0,
                ChangeLine::Beside => course.has_beside = true,
                ChangeLine::Undoing { keep } => {
                    for (root, ..) in &keep {
                        known(&course.roots, *root)?;
                    }
                    course.undoing = Some(keep);
                }
                ChangeLine::Taken { number, .. } => course.taken = course.taken.max(number.saturating_add(1)),
                ChangeLine::Undone => course.undone = true,
            }
            Ok(())
        })?;
        course.not_covered.sort();
        course.not_covered.dedup();
        Ok(course)
    }

    /// Whether the run changed a path that was too large to be kept.
    pub(super) fn changed_what_had_no_room(&self) -> bool {
        let large = self.not_covered.iter().filter(|one| matches!(one.why, Uncovered::NoRoom { .. }));
        let large: BTreeSet<&Path> = large.map(|one| one.path.as_path()).collect();
        !large.is_empty()
            && self.after.keys().any(|(root, below)| {
                let root = self.roots.get(*root);
                root.is_some_and(|root| large.contains(below.under(&root.path).as_path()))
            })
    }
}

fn known(roots: &[RecordedRoot], root: usize) -> Result<(), &'static str> {
    roots.get(root).map(drop).ok_or("a line names a root that is not there")
}

/// The content of `before.jsonl`.
pub(super) fn read_before(folder: &Path) -> Result<BTreeMap<Spot, Found>, UndoError> {
    let mut before = BTreeMap::new();
    each_line(&folder.join(BEFORE), |line: BeforeLine| {
        before.insert((line.root, line.path), (line.state, line.kept));
        Ok(())
    })?;
    Ok(before)
}

/// Reads a file line by line. A last line without a line end was cut off by a crash and counts as not
/// written.
fn each_line<L: DeserializeOwned>(
    path: &Path,
    mut on: impl FnMut(L) -> Result<(), &'static str>,
) -> Result<(), UndoError> {
    use std::io::Read;
    let unreadable = |source| UndoError::Unreadable { path: path.to_owned(), source };
    let mut reader = BufReader::new(File::open(path).map_err(unreadable)?);
    let mut line = Vec::new();
    for number in 1..=MOST_LINES {
        let damaged = |problem: String| UndoError::Damaged { path: path.to_owned(), line: number, problem };
        line.clear();
        reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(unreadable)?;
        let Some(text) = line.strip_suffix(b"\n") else {
            let cut = line.len() < usize::try_from(LONGEST_LINE).unwrap_or(usize::MAX);
            return if cut { Ok(()) } else { Err(damaged("it is too long".to_owned())) };
        };
        let read = serde_json::from_slice(text).map_err(|error| damaged(error.to_string()))?;
        on(read).map_err(|problem| damaged(problem.to_owned()))?;
    }
    Err(UndoError::Damaged { path: path.to_owned(), line: MOST_LINES, problem: "it goes on".to_owned() })
}
