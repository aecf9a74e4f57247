//! File contents from before a call, so that its changes can be described line by line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_sandbox::preview::{Changes, EntryKind, unified_diff};
use artoo_types::{FileChange, FileChangeKind};
use rustix::fs::OFlags;

use crate::ToolContext;
use crate::consent::diff;
use crate::protected::{Protected, is_private_key};
use crate::text_form::TextForm;

/// Maximum bytes of the diff of one file, and of all files of a call: they go into the record and to a judge.
const LONGEST_DIFF: usize = 2_000;
const ALL_DIFFS: usize = 32 * 1024;
/// Maximum bytes compared of one file, and of all files of a call.
const LONGEST: u64 = 512 * 1024;
const ALL: u64 = 8 * 1024 * 1024;

/// File contents from before a call.
#[derive(Debug)]
pub(crate) struct Contents {
    files: BTreeMap<PathBuf, Held>,
    /// Moves: target path to source path.
    moved: BTreeMap<PathBuf, PathBuf>,
    /// Bytes read so far.
    read: u64,
    /// Files whose content is not shown.
    protected: Arc<Protected>,
}

/// The content of one file.
#[derive(Debug, PartialEq, Eq)]
struct Held {
    size: u64,
    /// `None` if the file is too large, or protected.
    bytes: Option<Vec<u8>>,
}

impl Contents {
    /// None yet. Blocks if the run's protected places are not resolved yet.
    pub(crate) fn none(cx: &ToolContext) -> Self {
        let protected = Arc::clone(Protected::of(cx));
        Self { files: BTreeMap::new(), moved: BTreeMap::new(), read: 0, protected }
    }

    /// The content of the one file that a tool is about to write. Blocks.
    pub(crate) fn of_file(path: &Path, cx: &ToolContext) -> Self {
        let mut contents = Self::none(cx);
        contents.add(path, path);
        contents
    }

    /// The contents of the files that a command changed in its trial, before the changes become real. Blocks.
    pub(crate) fn of_tried(changes: &Changes, cx: &ToolContext) -> Self {
        let mut contents = Self::none(cx);
        for change in changes {
            if change.before.as_ref().is_some_and(|before| before.kind == EntryKind::File) {
                contents.add(&change.path, &change.path);
            }
            if let Some(from) = change.moved.as_ref().filter(|_| change.after.is_some()) {
                contents.moved.insert(as_text(&change.path), as_text(from));
            }
        }
        contents
    }

    /// Adds the former content of `path`, which is kept at `kept`. An existing entry stays.
    pub(crate) fn add(&mut self, path: &Path, kept: &Path) {
        let path = as_text(path);
        if !self.files.contains_key(&path)
            && let Some(held) = self.held(kept)
        {
            self.files.insert(path, held);
        }
    }

    /// Adds differing lines and moves to these changes, after the call. Blocks.
    pub(crate) fn tell(mut self, changes: &mut [FileChange], cx: &ToolContext) {
        let new: Vec<Option<Held>> = changes.iter().map(|change| self.held(&change.path)).collect();
        self.find_moves(changes, &new);
        let left: BTreeSet<PathBuf> = self.moved.values().cloned().collect();
        let mut room = ALL_DIFFS;
        for (change, after) in changes.iter_mut().zip(&new) {
            change.moved_from = self.moved.get(&change.path).cloned();
            let (before, after) = match change.change {
                FileChangeKind::Created if change.moved_from.is_some() => continue,
                FileChangeKind::Created => (None, after.as_ref()),
                FileChangeKind::Deleted if left.contains(&change.path) => continue,
                FileChangeKind::Deleted => (self.files.get(&change.path), None),
                FileChangeKind::Changed => match (self.files.get(&change.path), after) {
                    (Some(before), Some(after)) if before != after => (Some(before), Some(after)),
                    // Only the mode changed, or the former content is unknown.
                    (Some(_) | None, _) => continue,
                },
            };
            let told = told(before, after).map(|told| cut(&cx.evidence.redactor().apply(&told)));
            change.diff = told.filter(|told| told.len() <= room);
            room = room.saturating_sub(change.diff.as_ref().map_or(0, String::len));
        }
    }

    /// Detects moves: a new file with the content of a removed one. A trial detects them by more than
    /// content.
    fn find_moves(&mut self, changes: &[FileChange], new: &[Option<Held>]) {
        let gone = |change: &&FileChange| change.change == FileChangeKind::Deleted;
        let mut gone: BTreeSet<&PathBuf> = changes.iter().filter(gone).map(|change| &change.path).collect();
        for from in self.moved.values() {
            gone.remove(from);
        }
        for (change, after) in changes.iter().zip(new) {
            let Some(after) = after.as_ref().filter(|after| after.size > 0 && after.bytes.is_some()) else {
                continue;
            };
            if change.change != FileChangeKind::Created || self.moved.contains_key(&change.path) {
                continue;
            }
            let from = gone.iter().find(|path| self.files.get(**path) == Some(after)).copied();
            if let Some(from) = from {
                gone.remove(from);
                self.moved.insert(change.path.clone(), from.clone());
            }
        }
    }

    fn held(&mut self, path: &Path) -> Option<Held> {
        let file = open(path)?;
        let found = file.metadata().ok()?;
        let size = found.len();
        let is_closed = self.protected.has_another_name(&found);
        if is_closed || size > LONGEST || self.read.saturating_add(size) > ALL {
            return Some(Held { size, bytes: None });
        }
        let mut bytes = Vec::new();
        file.take(LONGEST).read_to_end(&mut bytes).ok()?;
        self.read = self.read.saturating_add(bytes.len() as u64);
        Some(Held { size, bytes: Some(bytes) })
    }
}

/// Opens a regular file without following links. A file that cannot be opened is described without its lines.
fn open(path: &Path) -> Option<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path).ok()?;
    file.metadata().ok()?.is_file().then_some(file)
}

/// The path as text, as the record stores it.
pub(crate) fn as_text(path: &Path) -> PathBuf {
    path.to_string_lossy().into_owned().into()
}

/// The differing lines, or the sizes if there are no lines to show. Never keys.
fn told(before: Option<&Held>, after: Option<&Held>) -> Option<String> {
    let bytes = |held: Option<&Held>| held.map_or(Some(Vec::new()), |held| held.bytes.clone());
    let (one, other) = (bytes(before), bytes(after));
    if [&one, &other].into_iter().flatten().any(|bytes| is_private_key(bytes)) {
        return None;
    }
    let lines = match (before, after, one, other) {
        (Some(_), Some(_), Some(one), Some(other)) => diff(&one, &other),
        (None, Some(_), _, Some(other)) => text(other).map(|text| unified_diff(None, &text)),
        (Some(_), None, Some(one), _) => text(one).map(|text| unified_diff(Some(&text), "")),
        (_, _, _, _) => None,
    };
    let sizes = || match (before, after) {
        (Some(before), Some(after)) => {
            format!("[not shown: {} bytes before, {} bytes after]", before.size, after.size)
        }
        (Some(held), None) | (None, Some(held)) => format!("[not shown: {} bytes]", held.size),
        (None, None) => String::new(),
    };
    Some(lines.unwrap_or_else(sizes)).filter(|told| !told.is_empty())
}

/// The content as text, or as much of its beginning as is shown.
fn text(bytes: Vec<u8>) -> Option<String> {
    let (_, text) = TextForm::read(&bytes)?;
    let most = LONGEST_DIFF.saturating_mul(2);
    Some(text.get(..text.floor_char_boundary(most)).map(str::to_owned).unwrap_or(text))
}

fn cut(diff: &str) -> String {
    if diff.len() <= LONGEST_DIFF {
        return diff.to_owned();
    }
    let whole = diff.get(..diff.floor_char_boundary(LONGEST_DIFF)).unwrap_or_default();
    let lines = whole.rfind('\n').map_or(whole, |end| whole.get(..=end).unwrap_or(whole));
    format!("{lines}[cut here: it goes on]\n")
}
