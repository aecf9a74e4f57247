//! Finds all names of files with hard links.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Entries of a folder that are looked at.
const MOST_ENTRIES: usize = 200_000;

/// Whether every name of these files lies in this folder and counts.
///
/// # Errors
///
/// The first file with another name, or of which that cannot be told.
pub(super) fn all_within<'p>(
    folder: &Path,
    files: &[&'p Path],
    counts: impl Fn(&Path) -> bool,
) -> Result<(), &'p Path> {
    let mut found: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    let mut states: Vec<(&'p Path, Metadata)> = Vec::new();
    for file in files {
        let state = fs::symlink_metadata(file).map_err(|_| *file)?;
        found.insert((state.dev(), state.ino()), 0);
        states.push((file, state));
    }
    let (mut open, mut left) = (vec![folder.to_owned()], MOST_ENTRIES);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            left = left.saturating_sub(1);
            // Links are not followed.
            let Ok(state) = entry.metadata() else { continue };
            let names = found.get_mut(&(state.dev(), state.ino()));
            if state.is_dir() && left > 0 {
                open.push(entry.path());
            } else if let Some(names) = names
                && counts(&entry.path())
            {
                *names = names.saturating_add(1);
            }
        }
    }
    let has_more = |state: &Metadata| found.get(&(state.dev(), state.ino())) != Some(&state.nlink());
    states.into_iter().find(|(_, state)| has_more(state)).map_or(Ok(()), |(file, _)| Err(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_elsewhere_is_found_missing() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        fs::create_dir_all(path("target/deps")).unwrap();
        fs::write(path("target/deps/a"), "").unwrap();
        fs::hard_link(path("target/deps/a"), path("target/a")).unwrap();
        let (file, folder) = (path("target/a"), path("target"));
        assert_eq!(all_within(&folder, &[&file], |_| true), Ok(()));
        assert_eq!(all_within(&folder, &[&file], |name| !name.ends_with("deps/a")), Err(file.as_path()));
        fs::hard_link(path("target/a"), path("outside")).unwrap();
        assert_eq!(all_within(&folder, &[&file], |_| true), Err(file.as_path()));
        let gone = path("gone");
        assert_eq!(all_within(&folder, &[&gone], |_| true), Err(gone.as_path()));
    }
}
