//! What the tests share: a folder with a record beside it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_anchored_files::changed_trees::{Seen, picture};

use super::super::{Change, Present, Snapshot, SnapshotLimits, Undo, UndoError};

/// A workspace and the folder of a run.
pub(crate) struct Place {
    _temporary: Arc<tempfile::TempDir>,
    pub(crate) root: PathBuf,
    pub(crate) record: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let real = temporary.path().canonicalize().unwrap();
        let root = real.join("工作区");
        fs::create_dir(&root).unwrap();
        Self { root, record: real.join("run/undo"), _temporary: Arc::new(temporary) }
    }

    /// One more run in the same workspace.
    pub(crate) fn another_run(&self, number: usize) -> Self {
        Self {
            _temporary: Arc::clone(&self._temporary),
            root: self.root.clone(),
            record: self.record.join(number.to_string()),
        }
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.record.clone(), Vec::new(), SnapshotLimits::default())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// One call that does this.
    pub(crate) fn call(&self, snapshot: &Snapshot, act: impl FnOnce(&Path)) -> Vec<Change> {
        let call = snapshot.before(std::slice::from_ref(&self.root)).unwrap();
        act(&self.root);
        let changes = call.after().unwrap();
        // Where contents are kept is asked about where it matters.
        changes.into_iter().map(|change| Change { kept: None, linked: None, ..change }).collect()
    }

    /// A run of one call.
    pub(crate) fn run(&self, act: impl FnOnce(&Path)) -> Vec<Change> {
        let snapshot = self.snapshot();
        let changes = self.call(&snapshot, act);
        snapshot.close().unwrap();
        changes
    }

    pub(crate) fn prepare(&self) -> Result<Undo, UndoError> {
        self.prepare_in(&self.root)
    }

    pub(crate) fn prepare_in(&self, root: &PathBuf) -> Result<Undo, UndoError> {
        Undo::prepare(&self.record, std::slice::from_ref(root), Present::AsRecorded)
    }

    /// Takes the run back, exactly.
    pub(crate) fn undo(&self) -> Result<(), UndoError> {
        assert_eq!(self.prepare()?.apply()?, []);
        Ok(())
    }

    pub(crate) fn picture(&self) -> BTreeMap<PathBuf, Seen> {
        picture(&self.root)
    }
}
