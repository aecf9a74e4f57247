//! Which changed files of a call are named where it is told, and which are only counted.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::{FileChange, FileChangeKind};

/// How many created files of a call are named.
const MOST_CREATED: usize = 8;
/// How many folders are named in which further files were created.
const MOST_FOLDERS: usize = 8;

/// The changed files of a call as they are told: each that was there before, the first eight that are new, and the number of
/// the other new ones per folder.
///
/// ```
/// use artoo_types::{FileChange, FileChangeKind, ToldChanges};
///
/// let new = |n: u32| FileChange::new(format!("/w/out/{n}.txt"), FileChangeKind::Created);
/// let files: Vec<FileChange> = (0..20).map(new).chain([FileChange::new("/w/a", FileChangeKind::Changed)]).collect();
/// let told = ToldChanges::of(&files);
/// assert_eq!((told.named.len(), told.counted.len()), (9, 1));
/// assert_eq!(told.counted[0].to_string(), "12 more new files in /w/out/");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldChanges<'a> {
    /// Those that are named.
    pub named: Vec<&'a FileChange>,
    /// The rest of the new ones.
    pub counted: Vec<MoreCreated>,
}

/// The number of new files in a folder that are not named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoreCreated {
    /// The folder, in which or deeper below which they lie.
    pub folder: PathBuf,
    /// How many.
    pub files: usize,
}

impl<'a> ToldChanges<'a> {
    /// How these changes are told.
    pub fn of(files: &'a [FileChange]) -> Self {
        let is_new = |file: &&FileChange| file.change == FileChangeKind::Created && file.moved_from.is_none();
        let mut left = MOST_CREATED;
        let (named, counted): (Vec<&FileChange>, Vec<&FileChange>) = files.iter().partition(|file| {
            let is_named = !is_new(file) || left > 0;
            left = left.saturating_sub(usize::from(is_new(file)));
            is_named
        });
        let parents: Vec<&Path> = counted.iter().filter_map(|file| file.path.parent()).collect();
        Self { named, counted: per_folder(&parents) }
    }
}

/// Counts by the folders directly below the innermost one that is around all, or by that one if they are many.
fn per_folder(parents: &[&Path]) -> Vec<MoreCreated> {
    let Some(first) = parents.first() else { return Vec::new() };
    let is_around = |folder: &&Path| parents.iter().all(|parent| parent.starts_with(folder));
    let around = first.ancestors().find(is_around).unwrap_or(first);
    let mut counts: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for parent in parents {
        let next = parent.strip_prefix(around).ok().and_then(|below| below.components().next());
        let folder = next.map_or_else(|| around.to_owned(), |name| around.join(name));
        let count = counts.entry(folder).or_default();
        *count = count.saturating_add(1);
    }
    if counts.len() > MOST_FOLDERS {
        return vec![MoreCreated { folder: around.to_owned(), files: parents.len() }];
    }
    counts.into_iter().map(|(folder, files)| MoreCreated { folder, files }).collect()
}

impl fmt::Display for MoreCreated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.files == 1 { "file" } else { "files" };
        write!(f, "{} more new {noun} in {}", self.files, self.folder.join("").display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(paths: impl Iterator<Item = String>) -> (usize, Vec<String>) {
        let files: Vec<_> = paths.map(|path| FileChange::new(path, FileChangeKind::Created)).collect();
        let told = ToldChanges::of(&files);
        (told.named.len(), told.counted.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn new_files_beyond_eight_are_counted_per_folder() {
        let both = (0..10).map(|n| format!("/w/a/x{n}")).chain((0..3).map(|n| format!("/w/b/c{n}/y")));
        assert_eq!(
            told(both),
            (8, vec!["2 more new files in /w/a/".into(), "3 more new files in /w/b/".into()])
        );
        assert_eq!(told((0..8).map(|n| format!("/w/{n}"))), (8, vec![]));
        let many = (0..40).map(|n| format!("/w/{n}/x"));
        assert_eq!(told(many), (8, vec!["32 more new files in /w/".into()]));
        assert_eq!(told((0..9).map(|n| format!("/w/{n}"))), (8, vec!["1 more new file in /w/".into()]));
    }

    #[test]
    fn what_was_there_before_is_always_named() {
        let mut moved = FileChange::new("/w/moved", FileChangeKind::Created);
        moved.moved_from = Some("/w/old".into());
        let changed = (0..30).map(|n| FileChange::new(format!("/w/{n}"), FileChangeKind::Changed));
        let files: Vec<_> = changed.chain([moved]).collect();
        assert_eq!(ToldChanges::of(&files).named.len(), 31);
    }
}
