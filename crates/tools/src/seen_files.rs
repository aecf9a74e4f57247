//! What this run knows of the files that it has read or written, to notice that somebody else changed them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use artoo_anchored_files::open_regular;
use artoo_types::{FileChange, FileChangeKind};
use sha2::{Digest as _, Sha256};

use crate::ToolError;
use crate::created_paths::Stamp;

/// The longest file whose content is remembered by its hash; of a longer one size and time count.
const HASHED: u64 = 1024 * 1024;
/// The most files that are remembered.
const MOST_FILES: usize = 10_000;
/// The most changes of one call whose contents are hashed.
const MOST_HASHED: usize = 32;

/// The files that one run has read or written, as it last knew them. Clones share one set.
///
/// A model writes a whole file from what it read of it. Where somebody changed the file since, that would throw away
/// their work, whatever consent was given before: the call is refused once, so that the model reads the file again. A
/// file that the run never read is not concerned: there the question about the change protects it.
///
/// ```
/// use artoo_tools::SeenFiles;
///
/// let folder = tempfile::tempdir()?;
/// let notes = folder.path().join("notes.txt");
/// std::fs::write(&notes, "one")?;
/// let seen = SeenFiles::default();
/// seen.note(&notes);
/// assert!(!seen.is_stale(&notes));
/// std::fs::write(&notes, "somebody else's")?;
/// assert!(seen.is_stale(&notes));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SeenFiles(Arc<Mutex<BTreeMap<PathBuf, Sighting>>>);

/// A file as the run knows it.
#[derive(Debug, Clone)]
pub(crate) struct Sighting {
    stamp: Stamp,
    /// The hash of its content, if that is short.
    content: Option<[u8; 32]>,
    /// The state that another process gave it, once that was noticed.
    noticed: Option<Stamp>,
    /// Whether a call was refused because of that.
    is_refused: bool,
}

impl Sighting {
    /// The file as it is. `None` if there is no regular file.
    fn of(path: &Path, is_hashed: bool) -> Option<Self> {
        let stamp = stamp_of(path)?;
        let content = if is_hashed { hash_of(path) } else { None };
        // A content that came while it was read belongs to a later state.
        let content = content.filter(|_| stamp_of(path) == Some(stamp));
        Some(Self { stamp, content, noticed: None, is_refused: false })
    }

    /// The state in which the file is now, if somebody else wrote it since.
    fn changed(&self, path: &Path) -> Option<Stamp> {
        let now = stamp_of(path).filter(|now| *now != self.stamp)?;
        let is_same = match self.content {
            Some(content) => hash_of(path) == Some(content),
            None => now.has_content_of(&self.stamp),
        };
        if is_same { None } else { Some(now) }
    }
}

impl SeenFiles {
    /// Remembers a file as it is now, by its absolute path without symlinks. Blocks.
    pub fn note(&self, path: &Path) {
        self.put(path.to_owned(), Sighting::of(path, true));
    }

    /// Whether somebody else changed the file since the run last knew it. Blocks.
    pub fn is_stale(&self, path: &Path) -> bool {
        let seen = self.files().get(path).cloned();
        seen.is_some_and(|seen| seen.changed(path).is_some())
    }

    /// Whether another process changed a file since this was last asked. Blocks.
    pub fn have_news(&self) -> bool {
        let mut is_news = false;
        for (path, seen) in self.all() {
            let now = seen.changed(&path);
            if now.is_some() && now != seen.noticed {
                is_news = true;
                if let Some(seen) = self.files().get_mut(&path) {
                    seen.noticed = now;
                }
            }
        }
        is_news
    }

    /// Refuses to write a file that somebody else changed since. Blocks.
    pub(crate) fn check(&self, path: &Path, shown: &str) -> Result<(), ToolError> {
        if self.is_stale(path) { Err(self.refusal(path, shown)) } else { Ok(()) }
    }

    /// The refusal of a call that would write over somebody else's change.
    pub(crate) fn refusal(&self, path: &Path, shown: &str) -> ToolError {
        if let Some(seen) = self.files().get_mut(path) {
            seen.is_refused = true;
        }
        ToolError::ChangedSinceRead { path: shown.to_owned() }
    }

    /// The files that others changed, when a command begins. A file for which a call was refused already is forgotten: a
    /// command may have read it in a way that its words do not show. Blocks.
    pub(crate) fn stale_before_command(&self) -> BTreeSet<PathBuf> {
        self.files().retain(|_, seen| !seen.is_refused);
        self.all()
            .into_iter()
            .filter(|(path, seen)| seen.changed(path).is_some())
            .map(|(path, _)| path)
            .collect()
    }

    /// The files among these as they are before a command reads them. Blocks.
    pub(crate) fn before_reading(paths: impl Iterator<Item = PathBuf>) -> Vec<(PathBuf, Sighting)> {
        let real = paths.filter_map(|path| path.canonicalize().ok());
        real.filter_map(|path| Some((path.clone(), Sighting::of(&path, true)?))).take(MOST_HASHED).collect()
    }

    /// Remembers what a command has read.
    pub(crate) fn were_read(&self, read: &[(PathBuf, Sighting)]) {
        for (path, seen) in read {
            self.put(path.clone(), Some(seen.clone()));
        }
    }

    /// Remembers what a call has left. Blocks.
    pub(crate) fn note_changes(&self, changes: &[FileChange]) {
        for change in changes {
            match change.change {
                FileChangeKind::Created | FileChangeKind::Changed => {
                    self.put(change.path.clone(), Sighting::of(&change.path, changes.len() <= MOST_HASHED));
                }
                FileChangeKind::Deleted => drop(self.files().remove(&change.path)),
            }
        }
    }

    /// Remembers what a call has left of the files that the run has seen. Blocks.
    pub(crate) fn refresh(&self, changed: &[PathBuf]) {
        let seen = |path: &&PathBuf| self.files().contains_key(*path);
        for path in changed.iter().filter(seen) {
            match Sighting::of(path, true) {
                Some(left) => self.put(path.clone(), Some(left)),
                None => drop(self.files().remove(path)),
            }
        }
    }

    fn put(&self, path: PathBuf, seen: Option<Sighting>) {
        let mut files = self.files();
        match seen {
            Some(seen) if files.len() < MOST_FILES || files.contains_key(&path) => {
                files.insert(path, seen);
            }
            Some(_) | None => {}
        }
    }

    /// A copy, so that no file is read under the lock.
    fn all(&self) -> Vec<(PathBuf, Sighting)> {
        self.files().iter().map(|(path, seen)| (path.clone(), seen.clone())).collect()
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Sighting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stamp_of(path: &Path) -> Option<Stamp> {
    fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file).map(|found| Stamp::of(&found))
}

fn hash_of(path: &Path) -> Option<[u8; 32]> {
    let file = open_regular(path).ok()?;
    let length = file.metadata().ok().filter(|found| found.len() <= HASHED)?.len();
    let mut bytes = Vec::new();
    file.take(HASHED).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == length).then(|| Sha256::digest(&bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene() -> (tempfile::TempDir, PathBuf, SeenFiles) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("a.txt");
        fs::write(&path, "one\n").unwrap();
        (folder, path, SeenFiles::default())
    }

    #[test]
    fn another_content_is_a_change_and_another_time_is_none() {
        let (_folder, path, seen) = scene();
        fs::write(&path, "unseen\n").unwrap();
        assert!(!seen.is_stale(&path), "it was never read");
        seen.note(&path);
        let rewritten = path.with_extension("new");
        fs::write(&rewritten, "unseen\n").unwrap();
        fs::rename(&rewritten, &path).unwrap();
        assert!(!seen.is_stale(&path), "saved again, and the same");
        fs::write(&path, "theirs\n").unwrap();
        assert!(seen.is_stale(&path));
        fs::remove_file(&path).unwrap();
        assert!(!seen.is_stale(&path), "there is nothing to overwrite");
    }

    #[test]
    fn long_files_are_told_apart_by_size_and_time() {
        let (_folder, path, seen) = scene();
        let long = vec![b'x'; usize::try_from(HASHED).unwrap() + 1];
        fs::write(&path, &long).unwrap();
        seen.note(&path);
        assert!(!seen.is_stale(&path));
        fs::write(&path, [long.as_slice(), b"y"].concat()).unwrap();
        assert!(seen.is_stale(&path));
    }

    #[test]
    fn what_was_refused_stays_so_until_it_is_read_or_a_command_runs() {
        let (_folder, path, seen) = scene();
        seen.note(&path);
        fs::write(&path, "theirs\n").unwrap();
        for _ in 0..2 {
            assert!(matches!(seen.check(&path, "a.txt"), Err(ToolError::ChangedSinceRead { .. })));
        }
        seen.note(&path);
        assert!(seen.check(&path, "a.txt").is_ok());
        fs::write(&path, "theirs again\n").unwrap();
        assert_eq!(seen.stale_before_command(), BTreeSet::from([path.clone()]));
        let _ = seen.refusal(&path, "a.txt");
        assert_eq!(seen.stale_before_command(), BTreeSet::new());
    }

    #[test]
    fn each_change_of_others_is_news_once() {
        let (_folder, path, seen) = scene();
        seen.note(&path);
        assert!(!seen.have_news());
        for content in ["theirs\n", "theirs again\n"] {
            fs::write(&path, content).unwrap();
            assert_eq!([seen.have_news(), seen.have_news()], [true, false]);
        }
        fs::write(&path, "ours\n").unwrap();
        seen.note_changes(&[FileChange::new(&path, FileChangeKind::Changed)]);
        assert!(!seen.have_news());
    }
}
