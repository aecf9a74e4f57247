//! What a run finds before it changes it, kept so that it can be put back.
//!
//! A [`Snapshot`] looks at the folders that a call may write, or at the paths alone that it is known to change, before the call and after it: what it
//! finds before is kept in a store of contents, what differs after is the call's doing. [`Undo`] puts everything back as it was, or says what
//! stands in the way and changes nothing. [`retain`] removes what is too old or too much.
//!
//! Symlinks are never followed, below a root nothing is reached but through folders held open, and a record that names
//! anything outside its roots is refused. Paths, limits and ages come in; there is no clock here. Design:
//! `docs/design/undo.md`.
//!
//! *Architecture invariant*: this crate knows no command and no run. An undo that cannot be whole changes nothing ([`UndoError`]).
//!
//! ```
//! use artoo_snapshot::{Present, Snapshot, SnapshotLimits, Undo};
//!
//! let folder = tempfile::tempdir()?;
//! let (root, record) = (folder.path().canonicalize()?.join("notes"), folder.path().join("record"));
//! std::fs::create_dir(&root)?;
//! std::fs::write(root.join("a.txt"), "mine")?;
//!
//! let snapshot = Snapshot::new(record.clone(), Vec::new(), SnapshotLimits::default());
//! let call = snapshot.before(std::slice::from_ref(&root))?;
//! std::fs::write(root.join("a.txt"), "overwritten")?;
//! assert_eq!(call.after()?.len(), 1);
//! snapshot.close()?;
//!
//! Undo::prepare(&record, std::slice::from_ref(&root), Present::AsRecorded)?.apply()?;
//! assert_eq!(std::fs::read_to_string(root.join("a.txt"))?, "mine");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod budget;
mod change;
mod content_store;
mod record;
mod recorder;
mod retention;
mod root;
mod scope;
mod uncovered;
mod undo;

pub use artoo_anchored_files::{Moment, Named};
pub use change::{Change, ChangeKind};
pub use recorder::{OpenCall, Original, Snapshot};
pub use retention::{Retention, Undoable, retain, undoable};
pub use uncovered::{NotCovered, SnapshotLimits, Uncovered};
pub use undo::{Aspect, Deviation, Hindrance, Obstacle, Present, TakenBack, Undo, UndoAction, UndoError};

#[cfg(test)]
mod tests;
