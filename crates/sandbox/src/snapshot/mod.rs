//! Snapshots for undo: the original state of what a run changes.
//!
//! A [`Snapshot`] scans the folders that a call may write to, or only the paths that it is known to change,
//! before and after the call: originals are kept in a content store, and the differences afterwards are
//! attributed to the call. [`Undo`] restores everything, or reports what prevents that and changes nothing.
//! [`retain`] removes what is too old or too large.
//!
//! Symlinks are never followed, everything below a root is reached only through folders held open, and a
//! record that names anything outside its roots is refused. Paths, limits and ages are arguments; there is no
//! clock here. Design: `docs/design/undo.md`.

pub(crate) mod anchored;
pub(crate) mod attributes;
pub(crate) mod below;
mod change;
pub(crate) mod closed;
mod fitting;
mod live;
pub(crate) mod pieces;
pub(crate) mod placing;
mod record;
mod retention;
mod root;
mod scope;
pub(crate) mod state;
pub(crate) mod store;
mod uncovered;
mod undo;
pub(crate) mod walk;

pub use change::{Change, ChangeKind};
pub use live::{OpenCall, Snapshot};
pub use retention::{Retention, Undoable, retain, undoable};
pub use scope::Named;
pub use uncovered::{NotCovered, SnapshotLimits, Uncovered};
pub use undo::{Aspect, Deviation, Hindrance, Obstacle, Present, TakenBack, Undo, UndoAction, UndoError};

#[cfg(test)]
pub(crate) mod tests;
