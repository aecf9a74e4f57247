//! Groups paths by folder until there are few enough groups to show. Every path is in a group.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Items in one place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group<K, T> {
    /// The common place.
    pub(super) place: K,
    /// The items, at least one.
    pub(super) members: Vec<T>,
}

/// Groups by parent folder; items below a listed folder belong to that folder's group. Returns at most `most`
/// groups, but at least one if there are items: the deepest folders are merged into their parents.
pub(super) fn by_folder<T: Copy>(
    all: &[T],
    path: impl Fn(T) -> PathBuf,
    most: usize,
) -> Vec<Group<PathBuf, T>> {
    let listed: BTreeSet<PathBuf> = all.iter().map(|one| path(*one)).filter(|path| is_folder(path)).collect();
    let place = |one: T| {
        let path = path(one);
        let around = path.ancestors().filter(|around| listed.contains(*around)).last();
        // Normalized without trailing slash, so that a folder has one name.
        around.or_else(|| path.parent()).unwrap_or(&path).components().collect()
    };
    gathered(all, place, most)
}

/// Groups by the pair of source and target folder.
pub(super) fn by_folders<T: Copy>(
    all: &[T],
    ends: impl Fn(T) -> (PathBuf, PathBuf),
    most: usize,
) -> Vec<Group<(PathBuf, PathBuf), T>> {
    let folder = |path: &Path| path.parent().unwrap_or(path).to_owned();
    let place = |one: T| {
        let (from, to) = ends(one);
        (folder(&from), folder(&to))
    };
    gathered(all, place, most)
}

/// Whether a path is marked as a folder by a trailing slash.
pub(super) fn is_folder(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// A place in a hierarchy.
trait Place: Ord + Clone {
    /// Number of enclosing places.
    fn depth(&self) -> usize;
    /// The enclosing place; itself at the root.
    fn around(&self) -> Self;
}

impl Place for PathBuf {
    fn depth(&self) -> usize {
        self.components().count()
    }
    fn around(&self) -> Self {
        self.parent().unwrap_or(self).to_owned()
    }
}

impl Place for (PathBuf, PathBuf) {
    fn depth(&self) -> usize {
        self.0.depth().max(self.1.depth())
    }
    fn around(&self) -> Self {
        let depth = self.depth();
        let around = |path: &PathBuf| if path.depth() == depth { path.around() } else { path.clone() };
        (around(&self.0), around(&self.1))
    }
}

fn gathered<K: Place, T: Copy>(all: &[T], place: impl Fn(T) -> K, most: usize) -> Vec<Group<K, T>> {
    let mut groups: BTreeMap<K, Vec<T>> = BTreeMap::new();
    for one in all {
        groups.entry(place(*one)).or_default().push(*one);
    }
    while groups.len() > most.max(1) {
        let Some(deepest) = groups.keys().map(Place::depth).max() else { break };
        let deep: Vec<K> = groups.keys().filter(|place| place.depth() == deepest).cloned().collect();
        if deep.iter().all(|place| place.around() == *place) {
            break;
        }
        for place in deep {
            let members = groups.remove(&place).unwrap_or_default();
            groups.entry(place.around()).or_default().extend(members);
        }
    }
    groups.into_iter().map(|(place, members)| Group { place, members }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn grouped(paths: &[&str], most: usize) -> Vec<(String, usize)> {
        let groups = by_folder(paths, PathBuf::from, most);
        groups.iter().map(|group| (group.place.display().to_string(), group.members.len())).collect()
    }

    fn is(groups: &[(String, usize)], expected: &[(&str, usize)]) {
        let groups: Vec<_> = groups.iter().map(|(place, count)| (place.as_str(), *count)).collect();
        assert_eq!(groups, expected);
    }

    #[test]
    fn what_goes_with_its_folder_is_one_group() {
        let build = ["/w/build/", "/w/build/a.o", "/w/build/deep/", "/w/build/deep/b.o"];
        is(&grouped(&build, 9), &[("/w/build", 4)]);
        is(&grouped(&[&build[..], &["/w/notes.txt"]].concat(), 9), &[("/w", 1), ("/w/build", 4)]);
        is(&grouped(&[&build[..], &["/w/notes.txt"]].concat(), 1), &[("/w", 5)]);
    }

    #[test]
    fn the_deepest_are_brought_together_first() {
        let paths = ["/a/x", "/b/c/d/1", "/b/c/e/2", "/b/f/3"];
        is(&grouped(&paths, 9), &[("/a", 1), ("/b/c/d", 1), ("/b/c/e", 1), ("/b/f", 1)]);
        is(&grouped(&paths, 3), &[("/a", 1), ("/b/c", 2), ("/b/f", 1)]);
        is(&grouped(&paths, 2), &[("/a", 1), ("/b", 3)]);
        is(&grouped(&paths, 0), &[("/", 4)]);
    }

    #[test]
    fn renames_are_grouped_by_both_folders() {
        let ends = |(from, to): (&str, &str)| (PathBuf::from(from), PathBuf::from(to));
        let all = [("/p/1", "/p/a"), ("/p/2", "/p/b"), ("/p/q/r/3", "/s/3"), ("/p/q/t/4", "/s/4")];
        let places = |most| {
            let groups = by_folders(&all, ends, most);
            groups.into_iter().map(|group| (group.place, group.members.len())).collect::<Vec<_>>()
        };
        let place = |from: &str, to: &str| (PathBuf::from(from), PathBuf::from(to));
        assert_eq!(places(2), [(place("/p", "/p"), 2), (place("/p/q", "/s"), 2)]);
        assert_eq!(places(1), [(place("/", "/"), 4)]);
    }

    proptest! {
        /// For any input: each path is in exactly one group, at or below its
        /// place, and there are not too many groups.
        #[test]
        fn nothing_is_left_out(
            paths in prop::collection::btree_set("(/[abc]){1,6}/?", 0..40),
            most in 0usize..6,
        ) {
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            let groups = by_folder(&paths, PathBuf::from, most);
            prop_assert!(groups.len() <= most.max(1));
            let mut members: Vec<&str> = groups.iter().flat_map(|group| group.members.clone()).collect();
            for group in &groups {
                prop_assert!(group.members.iter().all(|path| Path::new(path).starts_with(&group.place)));
            }
            members.sort_unstable();
            let mut expected = paths.clone();
            expected.sort_unstable();
            prop_assert_eq!(members, expected);
        }
    }
}
