//! What a command's effects depend on besides its words.

use std::fmt;
use std::path::{Component, Path, PathBuf};

/// Where a command would run.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// What `~` means. Absolute.
    pub home: &'a Path,
    /// Where relative paths lead. Absolute.
    pub working_folder: &'a Path,
    /// What `$WORKSPACE` means, which every run sets. Absolute.
    pub workspace: &'a Path,
    /// What nobody may read or write, by its real name and by the name that people use.
    pub protected: &'a [PathBuf],
    /// What is there.
    pub paths: &'a dyn Paths,
}

/// Answers what is where. `artoo_shell_effects::OnDisk` asks the disk; a table does for tests.
pub trait Paths {
    /// What an absolute path leads to, links resolved. The path may hold `..`.
    fn look(&self, path: &Path) -> Seen;
}

/// What was found at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// Nothing. The path that would come to be, without links.
    Nothing(PathBuf),
    /// A folder, by its path without links.
    Folder(PathBuf),
    /// Something else, by its path without links.
    File(PathBuf),
    /// It cannot be said.
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

/// Knows no path.
pub(super) struct Unlooked;

impl Paths for Unlooked {
    fn look(&self, _: &Path) -> Seen {
        Seen::Unsure
    }
}

/// The path without `.` and `..`, as text alone can say it.
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
