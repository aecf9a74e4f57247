//! The context of a command: its folders, protected places and the file system.

use std::fmt;
use std::path::{Component, Path, PathBuf};

/// Where a command would run.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// What `~` expands to. Absolute.
    pub home: &'a Path,
    /// The base of relative paths. Absolute.
    pub working_folder: &'a Path,
    /// The value of `$WORKSPACE`, which every run sets. Absolute.
    pub workspace: &'a Path,
    /// Paths that must not be read or written, both by their real path and as users name them.
    pub protected: &'a [PathBuf],
    /// The file system.
    pub paths: &'a dyn Paths,
}

/// Answers what is where. `artoo_shell_effects::OnDisk` asks the disk; a table does for tests.
pub trait Paths {
    /// What an absolute path leads to, with links resolved. The path may contain `..`.
    fn look(&self, path: &Path) -> Seen;
}

/// The result of looking up a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// Nothing; the path that would be created, without links.
    Nothing(PathBuf),
    /// A folder, by its path without links.
    Folder(PathBuf),
    /// Something else, by its path without links.
    File(PathBuf),
    /// Unknown.
    Unsure,
}

impl fmt::Debug for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Place")
            .field("home", &self.home)
            .field("working_folder", &self.working_folder)
            .field("workspace", &self.workspace)
            .finish_non_exhaustive()
    }
}

impl Place<'_> {
    pub(super) fn is_protected(&self, path: &Path) -> bool {
        self.protected.iter().any(|place| path.starts_with(place))
    }
}

/// A file system about which nothing is known.
pub(super) struct Unlooked;

impl Paths for Unlooked {
    fn look(&self, _: &Path) -> Seen {
        Seen::Unsure
    }
}

/// The path without `.` and `..`, resolved lexically.
pub(super) fn tidy(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}
