//! The real paths of places that need not exist.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Resolves the folders of many places, each folder once.
#[derive(Debug, Default)]
pub(crate) struct RealNames<'a> {
    folders: BTreeMap<&'a Path, Option<PathBuf>>,
}

impl<'a> RealNames<'a> {
    /// The place in real folders, as far as these exist; the last name itself is not followed. `None` for the
    /// root and for a path that is not absolute.
    #[cfg(target_os = "linux")] // readable.rs
    pub(crate) fn of(&mut self, place: &'a Path) -> Option<PathBuf> {
        let name = place.file_name()?;
        let folder = place.parent()?;
        if let Some(real) = self.folder(folder) {
            return Some(real.join(name));
        }
        Some(self.of(folder)?.join(name))
    }

    /// The first part of the place that does not exist, in real folders; `None` if all of it exists.
    pub(crate) fn first_missing(&mut self, place: &'a Path) -> Option<PathBuf> {
        if place.symlink_metadata().is_ok() {
            return None;
        }
        let mut above = place;
        loop {
            let (folder, name) = (above.parent()?, above.file_name()?);
            if let Some(real) = self.folder(folder) {
                return Some(real.join(name));
            }
            above = folder;
        }
    }

    fn folder(&mut self, folder: &'a Path) -> Option<PathBuf> {
        self.folders.entry(folder).or_insert_with(|| folder.canonicalize().ok()).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn links_in_front_of_the_last_name_are_followed() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("real/inner")).unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        let mut names = RealNames::default();
        let places =
            ["link/inner", "link/inner/a", "link/none/b", "link", "real/c"].map(|name| root.join(name));
        let real = places.each_ref().map(|place| names.of(place).unwrap());
        assert_eq!(
            real,
            ["real/inner", "real/inner/a", "real/none/b", "link", "real/c"].map(|name| root.join(name))
        );
        let missing = places.each_ref().map(|place| names.first_missing(place));
        assert_eq!(
            missing,
            [None, Some("real/inner/a"), Some("real/none"), None, Some("real/c")]
                .map(|name| name.map(|name| root.join(name)))
        );
        assert_eq!((names.of(Path::new("/")), names.of(Path::new("relative"))), (None, None));
    }
}
