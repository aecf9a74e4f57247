//! What a command may read: everything that exists when it starts, but hidden places and devices.
//!
//! Landlock knows grants only, and a grant of a folder covers everything below it. So the folders above a
//! hidden place are not granted themselves, but each of their other entries is. A grant holds the entry, not
//! its name: a secret that replaces another one by a rename, or that appears while the command runs, is no
//! entry that was granted. Covers ([`crate::child_namespace`]) are mounts on names, and a rename from outside
//! removes them.
//!
//! The price is that a command does not see new entries that other programs create directly in such a folder
//! (in the home folder, for instance) while it runs.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open, openat};

const ENTRY: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The folder of devices, none of which is granted by being in it: terminals, disks, cameras.
const DEVICES: &str = "/dev";
/// Its one folder of ordinary files.
const SHARED_MEMORY: &str = "/dev/shm";

/// Opens each entry that may be read, with everything below it.
///
/// # Errors
///
/// A folder above a hidden place cannot be listed, or `grant` failed.
pub(crate) fn each<E: From<io::Error>>(
    hidden: &[PathBuf],
    mut grant: impl FnMut(OwnedFd) -> Result<(), E>,
) -> Result<(), E> {
    let split = Split::around(hidden);
    for folder in &split.listed {
        let opened = open(folder, ENTRY | OFlags::DIRECTORY, Mode::empty()).map_err(io::Error::from)?;
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            // A link leads somewhere that is granted, or not, by its own path.
            if split.is_apart(&path) || entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                continue;
            }
            // It may be gone by now, or belong to somebody else who lets nobody pass.
            if let Ok(entry) = openat(&opened, entry.file_name(), ENTRY, Mode::empty()) {
                grant(entry)?;
            }
        }
    }
    match open(SHARED_MEMORY, ENTRY | OFlags::DIRECTORY, Mode::empty()) {
        Ok(shared) => grant(shared),
        Err(_) => Ok(()),
    }
}

/// The file system, split around hidden places.
#[derive(Debug, PartialEq, Eq)]
struct Split {
    /// Folders whose entries are granted one by one.
    listed: BTreeSet<PathBuf>,
    /// What is not granted.
    hidden: BTreeSet<PathBuf>,
}

impl Split {
    fn around(places: &[PathBuf]) -> Self {
        let hidden: BTreeSet<PathBuf> =
            places.iter().flat_map(|place| [real_name(place), place.canonicalize().ok()]).flatten().collect();
        let is_visible = |folder: &&Path| !hidden.iter().any(|place| folder.starts_with(place));
        let above = hidden.iter().flat_map(|place| place.ancestors().skip(1)).filter(is_visible);
        let listed =
            above.chain([Path::new("/")]).filter(|folder| folder.is_dir()).map(Path::to_owned).collect();
        Self { listed, hidden }
    }

    fn is_apart(&self, path: &Path) -> bool {
        self.listed.contains(path) || self.hidden.contains(path) || path == Path::new(DEVICES)
    }
}

/// The path of a place, which need not exist, in real folders as far as they exist.
fn real_name(place: &Path) -> Option<PathBuf> {
    let name = place.file_name()?;
    let mut missing = PathBuf::from(name);
    for above in place.ancestors().skip(1) {
        if let Ok(real) = above.canonicalize() {
            return Some(real.join(missing));
        }
        missing = Path::new(above.file_name()?).join(missing);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_above_a_hidden_place_are_split_and_others_are_not() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().canonicalize().unwrap();
        for folder in ["kept", ".config/editor", ".ssh/inner"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        std::os::unix::fs::symlink(".config", home.join("settings")).unwrap();
        let places = [".netrc", ".ssh", ".ssh/inner/key", "settings/token", ".cloud/a/token"]
            .map(|name| home.join(name));
        let split = Split::around(&places);
        let hidden = [".netrc", ".ssh", ".ssh/inner/key", ".config/token", ".cloud/a/token"];
        assert_eq!(split.hidden, hidden.map(|name| home.join(name)).into());
        let below_root: Vec<_> = split.listed.iter().filter(|folder| folder.starts_with(&home)).collect();
        assert_eq!(below_root, [&home, &home.join(".config")]);
        assert!(split.listed.contains(Path::new("/")));
        assert!(split.is_apart(Path::new("/dev")) && !split.is_apart(&home.join("kept")));
    }
}
