//! Files and folders that a run has created, and may therefore change.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum entries of a folder that are checked before it counts as not ours.
const MAX_ENTRIES: usize = 10_000;

/// The files and folders that one run has created and may therefore change, as long as no other process
/// changes them. Clones share one set.
///
/// Every method but `default` accesses the disk, and belongs on a thread that may block.
/// ```
/// use artoo_tools::CreatedPaths;
///
/// let folder = tempfile::tempdir()?;
/// let report = folder.path().join("report.txt");
/// std::fs::write(&report, "one")?;
/// let created = CreatedPaths::default();
/// created.clone().insert(report.clone());
/// assert!(created.contains(&report));
/// std::fs::write(&report, "somebody else's")?;
/// assert!(!created.contains(&report));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct CreatedPaths(Arc<Mutex<BTreeMap<PathBuf, Stamp>>>);

/// Identity of a file, and its state when the run last left it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    /// Size, mtime and ctime in seconds and nanoseconds. `None` for a folder, whose times change with its
    /// entries.
    state: Option<(u64, [i64; 4])>,
}

impl Stamp {
    /// Whether the file is the same, and was not written since: size and modification time tell.
    pub(crate) fn has_content_of(&self, other: &Self) -> bool {
        let written = |stamp: &Self| stamp.state.map(|(size, [seconds, nanos, ..])| (size, seconds, nanos));
        (self.device, self.inode) == (other.device, other.inode) && written(self) == written(other)
    }

    pub(crate) fn of(found: &Metadata) -> Self {
        let times = [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()];
        Self {
            device: found.dev(),
            inode: found.ino(),
            state: (!found.is_dir()).then_some((found.size(), times)),
        }
    }
}

impl CreatedPaths {
    /// Records a file or folder in its current state, by its absolute path without symlinks. A missing path
    /// is ignored.
    pub fn insert(&self, path: PathBuf) {
        if let Ok(found) = fs::symlink_metadata(&path) {
            // The path of a folder may end in a slash, which would make it a different key.
            self.stamps().insert(path.components().collect(), Stamp::of(&found));
        }
    }

    /// Whether this run created the path, and it has not changed since.
    pub fn contains(&self, path: &Path) -> bool {
        let noted = self.stamps().get(path).copied();
        noted.is_some_and(|noted| fs::symlink_metadata(path).is_ok_and(|found| Stamp::of(&found) == noted))
    }

    /// Like [`contains`](Self::contains), for a file with a single hard link: a write reaches no other name.
    pub(crate) fn is_file_of_its_own(&self, path: &Path) -> bool {
        let single = |found: Metadata| found.is_file() && found.nlink() == 1;
        self.contains(path) && fs::symlink_metadata(path).is_ok_and(single)
    }

    /// Like [`contains`](Self::contains), for a file, or for a folder with everything in it.
    pub(crate) fn is_all_ours(&self, path: &Path) -> bool {
        let mut left = MAX_ENTRIES;
        self.all_ours(path, &mut left)
    }

    fn all_ours(&self, path: &Path, left: &mut usize) -> bool {
        let Some(fewer) = left.checked_sub(1) else { return false };
        *left = fewer;
        if !self.contains(path) {
            return false;
        }
        if !fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
            return true;
        }
        fs::read_dir(path).is_ok_and(|mut entries| {
            entries.all(|entry| entry.is_ok_and(|entry| self.all_ours(&entry.path(), left)))
        })
    }

    fn stamps(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Stamp>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene() -> (tempfile::TempDir, PathBuf, CreatedPaths) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        (folder, root, CreatedPaths::default())
    }

    #[test]
    fn a_folder_is_the_runs_with_everything_in_it_or_not_at_all() {
        let (_folder, root, created) = scene();
        let out = root.join("out");
        fs::create_dir(&out).unwrap();
        created.insert(out.clone());
        fs::write(out.join("a"), "").unwrap();
        assert!(created.contains(&out) && !created.is_all_ours(&out));
        created.insert(out.join("a"));
        assert!(created.is_all_ours(&out));
        fs::write(out.join("theirs"), "").unwrap();
        assert!(!created.is_all_ours(&out));
    }

    /// Writing through one hard link changes the file under its other names.
    #[test]
    fn a_second_name_of_somebodys_file_is_not_the_runs() {
        let (_folder, root, created) = scene();
        let (theirs, link, hard) = (root.join("theirs"), root.join("link"), root.join("hard"));
        fs::write(&theirs, "").unwrap();
        std::os::unix::fs::symlink(&theirs, &link).unwrap();
        fs::hard_link(&theirs, &hard).unwrap();
        for name in [&link, &hard] {
            created.insert(name.clone());
            assert!(!created.is_file_of_its_own(name) && created.is_all_ours(name), "it may be removed");
        }
    }
}
