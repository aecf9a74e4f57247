//! The changes made by a call.

use std::path::PathBuf;

use artoo_anchored_files::State;

/// What a call did to one path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The path.
    pub path: PathBuf,
    /// What happened.
    pub kind: ChangeKind,
    /// Whether it is, or was, a folder. A created or deleted folder is listed only if nothing below it is
    /// listed.
    pub folder: bool,
    /// The file that keeps its content from before the call. `None` if the run itself had created that
    /// content, or if it is not kept.
    pub kept: Option<PathBuf>,
    /// The device and the number of the file before the call, if it had several names.
    pub linked: Option<(u64, u64)>,
}

/// What happened to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// It was not there before.
    Created,
    /// It existed before, and differs now.
    Changed,
    /// It no longer exists.
    Deleted,
}

impl Change {
    /// The change between two states; `None` if a user would see no difference.
    pub(super) fn of(
        path: PathBuf,
        old: Option<&State>,
        new: Option<&State>,
        is_rewritten: impl FnOnce() -> bool,
    ) -> Option<Self> {
        let kind = match (old, new) {
            (None, None) => return None,
            (None, Some(_)) => ChangeKind::Created,
            (Some(_), None) => ChangeKind::Deleted,
            (Some(old), Some(new)) if !old.looks_like(new) || is_rewritten() => ChangeKind::Changed,
            (Some(_), Some(_)) => return None,
        };
        let folder = new.or(old).is_some_and(State::is_folder);
        let linked = old.filter(|old| old.is_file() && old.links > 1).map(|old| (old.dev, old.ino));
        Some(Self { path, kind, folder, kept: None, linked })
    }
}

/// Sorted by path, without the redundant ones: a created or deleted folder beside its entries.
pub(super) fn changes(all: impl Iterator<Item = Change>) -> Vec<Change> {
    let mut changes: Vec<Change> = all.collect();
    changes.sort();
    let says_something = |at: usize| {
        let (Some(change), next) = (changes.get(at), changes.get(at.saturating_add(1))) else { return true };
        let entry_follows = next.is_some_and(|next| next.path.starts_with(&change.path));
        !(change.folder && change.kind != ChangeKind::Changed && entry_follows)
    };
    let kept: Vec<bool> = (0..changes.len()).map(says_something).collect();
    let mut kept = kept.into_iter();
    changes.retain(|_| kept.next().unwrap_or(true));
    changes
}
