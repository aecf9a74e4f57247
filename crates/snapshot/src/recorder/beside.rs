//! What the caller of a snapshot keeps beside its record.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;

use super::Snapshot;
use crate::record::{BESIDE, ChangeLine};

impl Snapshot {
    /// The folder in which the caller keeps what else an undo of the run needs, beside its changes of files. The record then says
    /// that there is something to undo. It goes with the contents of the record.
    ///
    /// # Errors
    ///
    /// If the record cannot be written.
    pub fn beside(&self) -> io::Result<PathBuf> {
        let mut inner = self.0.lock();
        inner.begin()?;
        let folder = inner.folder.join(BESIDE);
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        if !inner.has_beside {
            inner.note(&[ChangeLine::Beside])?;
            inner.has_beside = true;
        }
        Ok(folder)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Present, Retention, SnapshotLimits, Undo, Undoable, retain, undoable};

    use super::*;

    #[test]
    fn what_is_kept_beside_is_something_to_undo_until_it_expires() {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("undo");
        let snapshot = Snapshot::new(record.clone(), Vec::new(), SnapshotLimits::default());
        let beside = snapshot.beside().unwrap();
        std::fs::write(beside.join("more"), "x").unwrap();
        assert_eq!(snapshot.beside().unwrap(), beside);
        snapshot.close().unwrap();
        assert_eq!(undoable(&record), Undoable::Yes);
        Undo::prepare(&record, &[], Present::AsRecorded).unwrap();
        let none = Retention { max_bytes: 0, ..Retention::default() };
        assert_eq!(retain(vec![(record.clone(), std::time::Duration::ZERO)], none).unwrap(), 1);
        assert_eq!((undoable(&record), beside.exists()), (Undoable::Expired, false));
    }
}
