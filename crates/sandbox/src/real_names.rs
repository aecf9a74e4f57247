//! The real paths of places that need not exist.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The places that exist, by their paths without links, in the order given. With many places in the same folders this takes far fewer
/// system calls than [`Path::canonicalize`] on each.
///
/// ```
/// let places = ["/tmp/../dev".into(), "/nothing/here".into()];
/// assert_eq!(artoo_sandbox::real_paths(&places), [std::path::PathBuf::from("/dev")]);
/// ```
pub fn real_paths(places: &[PathBuf]) -> Vec<PathBuf> {
    let mut names = RealNames::default();
    places.iter().filter_map(|place| names.existing(place)).collect()
}

/// The kernel takes no longer path.
const LONGEST: usize = 4096;

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

    /// The place without links in it, as [`Path::canonicalize`] tells it; `None` if it does not exist. Where its folder is known and its
    /// last name is no link, that takes one system call.
    pub(crate) fn existing(&mut self, place: &'a Path) -> Option<PathBuf> {
        let (Some(folder), Some(name)) = (place.parent(), place.file_name()) else {
            return place.canonicalize().ok();
        };
        if !place.is_absolute() || place.as_os_str().len() > LONGEST {
            return place.canonicalize().ok();
        }
        let real = self.folder(folder)?.join(name);
        if real.symlink_metadata().ok()?.is_symlink() { real.canonicalize().ok() } else { Some(real) }
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
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let real = self.existing(folder);
        self.folders.insert(folder, real.clone());
        real
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
        let long = root.join("x/".repeat(40_000));
        let more =
            [Path::new("/"), Path::new("/.."), Path::new("src"), Path::new("src/none"), long.as_path()];
        for place in places.iter().map(PathBuf::as_path).chain(more) {
            assert_eq!(names.existing(place), place.canonicalize().ok());
        }
        assert_eq!((names.of(Path::new("/")), names.of(Path::new("relative"))), (None, None));
    }
}
