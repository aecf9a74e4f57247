//! What a run finds before it changes it, kept so that it can be put back.
//!
//! A [`Snapshot`] looks at the folders that a call may write, or at the paths alone that it is known to change, before the call and after it: what it
//! finds before is kept in a store of contents, what differs after is the call's doing. [`Undo`] puts everything back as it was, or says what
//! stands in the way and changes nothing. [`retain`] removes what is too old or too much.
//!
//! Symlinks are never followed, below a root nothing is reached but through folders held open, and a record that names
//! anything outside its roots is refused. Paths, limits and ages come in; there is no clock here. Design:
//! `docs/design/undo.md`.

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
