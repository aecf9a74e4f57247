//! Recognises a protected file by another name: a hard link elsewhere is the same file.

use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Entries that are looked at in all places together, the nearest first, so that files which are protected by name and those
/// directly in protected folders are always among them.
const MOST_ENTRIES: usize = 100_000;

/// How long a look at the places counts: in a tree with many hard links each file asks.
const COUNTS_FOR: Duration = Duration::from_secs(1);

/// The files in protected places, as they were when they were last looked for.
#[derive(Debug, Default)]
pub(crate) struct OtherNames(Mutex<Option<Files>>);

#[derive(Debug)]
struct Files {
    looked: Instant,
    /// Each by device and inode.
    numbers: BTreeSet<(u64, u64)>,
}

impl OtherNames {
    /// Whether a file is one of those in these places. Blocks.
    pub(crate) fn hold(&self, found: &Metadata, places: &[PathBuf]) -> bool {
        // With one name alone, the name decides.
        found.nlink() > 1 && self.hold_number(id(found), places)
    }

    /// Whether a file of this device and number is one of those in these places. Blocks.
    pub(crate) fn hold_number(&self, id: (u64, u64), places: &[PathBuf]) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = |files: &Files| {
            let is_one = files.numbers.contains(&id);
            (is_one || files.looked.elapsed() < COUNTS_FOR).then_some(is_one)
        };
        if let Some(answer) = known.as_ref().and_then(answer) {
            return answer;
        }
        let files = known.insert(Files { looked: Instant::now(), numbers: numbers_in(places) });
        files.numbers.contains(&id)
    }
}

fn numbers_in(places: &[PathBuf]) -> BTreeSet<(u64, u64)> {
    let (mut found, mut left) = (BTreeSet::new(), MOST_ENTRIES);
    let mut open: VecDeque<PathBuf> = places.iter().cloned().collect();
    while let Some(path) = open.pop_front() {
        let Some(fewer) = left.checked_sub(1) else { break };
        left = fewer;
        match path.symlink_metadata() {
            // What is in a folder that cannot be listed cannot be told.
            Ok(entry) if entry.is_dir() => {
                open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
            }
            Ok(entry) => drop(found.insert(id(&entry))),
            Err(_) => {}
        }
    }
    found
}

fn id(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protected_file_is_known_by_each_of_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("kept/deep")).unwrap();
        for name in ["kept/deep/one", "kept/two", "named", "other"] {
            fs::write(path(name), name).unwrap();
        }
        let places = [path("kept"), path("named"), path("missing")];
        let names = OtherNames::default();
        for (name, expected) in
            [("kept/deep/one", true), ("kept/two", true), ("named", true), ("other", false)]
        {
            let link = path(&format!("link-{}", name.replace('/', "-")));
            // With one name there is nothing to look for.
            assert!(!names.hold(&path(name).metadata().unwrap(), &places));
            fs::hard_link(path(name), &link).unwrap();
            assert_eq!(names.hold(&link.metadata().unwrap(), &places), expected, "{name}");
        }
    }
}
