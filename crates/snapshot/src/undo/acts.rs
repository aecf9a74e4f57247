//! What is done about one path, decided from what it was and what it is.

use artoo_anchored_files::{ContentId, Kind, State};

use super::super::record::{Found, Spot};
use super::UndoAction;

/// What is done about a path, in the order of the phases of `apply`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    /// It is as it was, but for the times of a folder.
    Nothing,
    /// Take away what is there, if anything, then make what was there, if anything.
    Replace,
    /// Take a copy of the file away, then write its content back into it: it has other names.
    Rewrite,
    /// Take away what is there, if anything, and give this file one more name.
    Link(Spot),
    /// Mode, owner and times alone.
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
    /// Whether what is there is taken away.
    pub(super) fn goes(&self) -> bool {
        self.current.is_some() && matches!(self.act, Act::Replace | Act::Link(_))
    }

    /// How a person would call it; `None` for what no person sees.
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

/// The act that leads from `current` to what was found. `same_content` says whether a file holds what was kept.
pub(super) fn decide(found: &Found, current: Option<&State>, same_content: impl FnOnce() -> bool) -> Act {
    match (&found.0, current) {
        (None, None) => Act::Nothing,
        (None, Some(_)) | (Some(_), None) => Act::Replace,
        (Some(before), Some(current)) => match (&before.kind, &current.kind) {
            (Kind::File, Kind::File) => {
                // A name that now shares its file with another path needs a file of its own.
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

/// Where the item of a spot stands.
pub(super) fn place(items: &[Item], spot: &Spot) -> Option<usize> {
    items.binary_search_by(|item| item.spot.cmp(spot)).ok()
}
