//! Paths where `AGENTS.md` files are looked for.

use std::path::{Path, PathBuf};

use super::NAME;
use crate::config::own_folder;
use crate::machine::Environment;

/// A possible path of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The path.
    pub(super) path: PathBuf,
    /// The folder that a symbolic link must not lead out of; `None` for the user's own file.
    pub(super) within: Option<PathBuf>,
}

/// The user's own file, next to the configuration.
pub(crate) fn own(environment: &Environment, home: &Path) -> Option<PathBuf> {
    own_folder(environment, home).map(|folder| folder.join(NAME))
}

/// The user's own file, then those from the repository root down to the folder;
/// without a repository, only the folder's.
pub(super) fn of(own: Option<&Path>, folder: &Path) -> Vec<Place> {
    let is_root = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    let root = folder.ancestors().find(is_root).unwrap_or(folder);
    let mut folders: Vec<&Path> = folder.ancestors().take_while(|above| above.starts_with(root)).collect();
    folders.reverse();
    let own = own.map(|path| Place { path: path.to_owned(), within: None });
    let of_folders =
        folders.into_iter().map(|folder| Place { path: folder.join(NAME), within: Some(root.to_owned()) });
    let not_own = |place: &Place| own.as_ref().is_none_or(|own| own.path != place.path);
    let of_folders: Vec<Place> = of_folders.filter(not_own).collect();
    own.into_iter().chain(of_folders).collect()
}
