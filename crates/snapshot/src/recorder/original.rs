//! Files as they were before the run.

use std::io;
use std::path::Path;

use artoo_anchored_files::{Below, Moment, hash, look_at, open_regular};

use super::Snapshot;

/// A file as it was before the run, beside what is there now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Original {
    /// Whether content, permissions and owner are the same.
    pub is_same: bool,
    /// When it had last been changed before the run.
    pub changed: Moment,
}

impl Snapshot {
    /// What is known of a regular file as it was before the run, compared with what is there now; `None` if its content was not
    /// kept. `path` is real.
    ///
    /// # Errors
    ///
    /// If what is there now cannot be read.
    ///
    /// ```
    /// use artoo_snapshot::{Snapshot, SnapshotLimits};
    ///
    /// let (run, workspace) = (tempfile::tempdir()?, tempfile::tempdir()?);
    /// let root = workspace.path().canonicalize()?;
    /// let note = root.join("note.txt");
    /// std::fs::write(&note, "old")?;
    /// let snapshot = Snapshot::new(run.path().join("undo"), Vec::new(), SnapshotLimits::default());
    /// let call = snapshot.before(std::slice::from_ref(&root))?;
    /// std::fs::write(&note, "new")?;
    /// call.after()?;
    /// assert!(!snapshot.original(&note)?.is_some_and(|original| original.is_same));
    /// std::fs::write(&note, "old")?;
    /// assert!(snapshot.original(&note)?.is_some_and(|original| original.is_same));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn original(&self, path: &Path) -> io::Result<Option<Original>> {
        let known = {
            let inner = self.0.lock();
            inner.roots.iter().find_map(|root| {
                let below = Below::new(path.strip_prefix(root.path()).ok()?).ok()?;
                let (state, content) = root.original(&below)?;
                Some((state.clone(), content.clone()))
            })
        };
        let Some((before, content)) = known else { return Ok(None) };
        let mut file = open_regular(path)?;
        let now = look_at(&file)?;
        let has_same_rights = (now.mode, now.uid, now.gid) == (before.mode, before.uid, before.gid);
        let is_same = has_same_rights && now.size == before.size && hash(&mut file)?.has_bytes_of(&content);
        Ok(Some(Original { is_same, changed: before.ctime }))
    }
}
