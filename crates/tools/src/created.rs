//! What a run has created.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The files that one run has created and may therefore change. Clones share one set.
///
/// ```
/// use artoo_tools::CreatedPaths;
/// use std::path::Path;
///
/// let created = CreatedPaths::default();
/// created.clone().insert("/w/report.txt".into());
/// assert!(created.contains(Path::new("/w/report.txt")));
/// ```
#[derive(Debug, Clone, Default)]
pub struct CreatedPaths(Arc<Mutex<BTreeSet<PathBuf>>>);

impl CreatedPaths {
    /// Notes a file: its absolute path without symlinks.
    pub fn insert(&self, path: PathBuf) {
        self.paths().insert(path);
    }

    /// Whether this run created the file.
    pub fn contains(&self, path: &Path) -> bool {
        self.paths().contains(path)
    }

    fn paths(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
