//! What a call did, as a value.

use std::path::PathBuf;

use artoo_anchored_files::State;

/// What a call did to one path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The path.
    pub path: PathBuf,
    /// What happened.
    pub kind: ChangeKind,
    /// Whether it is, or was, a folder. One is listed for itself only where nothing below it is listed.
    pub folder: bool,
    /// The file in which is kept what it held before the call. `None` of what the run itself made so, and where nothing is kept.
    pub kept: Option<PathBuf>,
}

/// What happened to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// It was not there before.
    Created,
    /// It was there, and is different now.
    Changed,
    /// It is gone.
    Deleted,
}

impl Change {
    /// The change from one state to another; `None` where a person sees no difference.
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
        Some(Self { path, kind, folder, kept: None })
    }
}

/// By path, without what says nothing: a folder that came or went, beside what came or went in it.
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
