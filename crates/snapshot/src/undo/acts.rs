//! Decides how to undo the changes of one path, from its original and its current state.

use artoo_anchored_files::{ContentId, Kind, State};

use super::super::record::{Found, Spot};
use super::UndoAction;

/// How a path is undone, in the order of the phases of `apply`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    /// It is unchanged, except for the times of a folder.
    Nothing,
    /// Remove the current entry, if any, then create the original one, if any.
    Replace,
    /// Keep a copy of the file, then write its original content back into it: it has hard links.
    Rewrite,
    /// Remove the current entry, if any, and hard-link this file.
    Link(Spot),
    /// Restore only mode, owner and times.
    Touch,
}

/// A path that the run touched.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) spot: Spot,
    pub(super) before: Option<State>,
    pub(super) kept: Option<ContentId>,
    pub(super) current: Option<State>,
    pub(super) act: Act,
}

impl Item {
    /// Whether the current entry is removed.
    pub(super) fn goes(&self) -> bool {
        self.current.is_some() && matches!(self.act, Act::Replace | Act::Link(_))
    }

    /// The action as shown to a user; `None` if a user would see no difference.
    pub(super) fn action(&self) -> Option<UndoAction> {
        match (&self.before, &self.current, &self.act) {
            (_, _, Act::Nothing) | (None, None, _) => None,
            (None, Some(_), _) => Some(UndoAction::Remove),
            (Some(_), None, _) => Some(UndoAction::Recreate),
            (Some(before), Some(current), Act::Touch) if before.looks_like(current) => None,
            (Some(_), Some(_), _) => Some(UndoAction::Restore),
        }
    }
}

/// The act that leads from `current` to the original. `same_content` says whether a file has the kept
/// content.
pub(super) fn decide(found: &Found, current: Option<&State>, same_content: impl FnOnce() -> bool) -> Act {
    match (&found.0, current) {
        (None, None) => Act::Nothing,
        (None, Some(_)) | (Some(_), None) => Act::Replace,
        (Some(before), Some(current)) => match (&before.kind, &current.kind) {
            (Kind::File, Kind::File) => {
                // A name that now shares its file with another path needs its own file.
                let own = current.is_same_inode(before) || (before.links == 1 && current.links == 1);
                if own && same_content() {
                    if before.looks_like(current) { Act::Nothing } else { Act::Touch }
                } else if current.is_same_inode(before) && (before.links > 1 || current.links > 1) {
                    Act::Rewrite
                } else {
                    Act::Replace
                }
            }
            (Kind::Folder, Kind::Folder) => {
                if before.looks_like(current) {
                    Act::Nothing
                } else {
                    Act::Touch
                }
            }
            (Kind::Link { target: was }, Kind::Link { target: is }) if was == is => {
                if before.mtime == current.mtime && before.looks_like(current) {
                    Act::Nothing
                } else {
                    Act::Touch
                }
            }
            (Kind::Other, Kind::Other) if before.is_same_inode(current) => Act::Touch,
            (Kind::File | Kind::Folder | Kind::Link { .. } | Kind::Other, _) => Act::Replace,
        },
    }
}

/// The index of the item at a spot.
pub(super) fn place(items: &[Item], spot: &Spot) -> Option<usize> {
    items.binary_search_by(|item| item.spot.cmp(spot)).ok()
}
