//! Finds the programs that artoo starts for itself: only such as nobody but root could have put there.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use crate::ToolContext;
use crate::installed_programs::is_executable;

/// Links that are followed on the way to a program, as in the kernel.
const MOST_LINKS: usize = 40;

/// A program of the system, by its absolute path: nobody but root can replace it, or lead its path elsewhere. What artoo starts
/// for itself must be nothing that an earlier run could have left in a folder of `PATH`.
/// ```
/// use artoo_tools::SystemProgram;
///
/// assert_eq!(SystemProgram::find("sh", &["bin".into(), "/nowhere".into()]), None);
/// assert_eq!(SystemProgram::vouched_for("/opt/own/plocate".into()).path().to_str(), Some("/opt/own/plocate"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemProgram(PathBuf);

impl SystemProgram {
    /// The first program of this name in these folders that is root's, with all folders and links on the way to it, and that
    /// neither a group nor others may write. Relative folders are ignored. Blocks.
    pub fn find(name: &str, search_path: &[PathBuf]) -> Option<Self> {
        // Most folders have no such program, which one look tells.
        let is_there = |file: &PathBuf| is_executable(file) && is_roots(file);
        absolute(search_path).map(|folder| folder.join(name)).find(is_there).map(Self)
    }

    /// The program at this absolute path, for which the caller answers: it is started whoever may write it.
    pub fn vouched_for(path: PathBuf) -> Self {
        Self(path)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// The shell of the tool `shell`: bash, because models write for it, otherwise `/bin/sh`. The system's comes first; where it has
/// none, the user's is taken, since commands run under the kernel's rules whatever reads them. Blocks.
pub fn shell_program(search_path: &[PathBuf]) -> Option<PathBuf> {
    let of_the_system = SystemProgram::find("bash", search_path).map(|bash| bash.0);
    let of_the_user =
        || absolute(search_path).map(|folder| folder.join("bash")).find(|file| is_executable(file));
    of_the_system
        .or_else(of_the_user)
        .or_else(|| Some(PathBuf::from("/bin/sh")).filter(|sh| is_executable(sh)))
}

/// The folders of the user's `PATH`.
pub(crate) fn search_path(cx: &ToolContext) -> Vec<PathBuf> {
    let path = cx.environment.get(OsStr::new("PATH")).cloned().unwrap_or_default();
    std::env::split_paths(&path).collect()
}

fn absolute(search_path: &[PathBuf]) -> impl Iterator<Item = &PathBuf> {
    search_path.iter().filter(|folder| folder.is_absolute())
}

/// Whether this absolute path leads to a program by nothing but what is root's alone.
fn is_roots(file: &Path) -> bool {
    let mut left: VecDeque<OsString> = parts(file).collect();
    let (mut at, mut links) = (PathBuf::from("/"), 0);
    while let Some(part) = left.pop_front() {
        // What was reached before is no link, so its parent is the folder above it.
        if part == ".." {
            at.pop();
        } else {
            at.push(part);
        }
        let Ok(found) = fs::symlink_metadata(&at) else { return false };
        if !found.is_symlink() {
            if !is_roots_alone(&found) {
                return false;
            }
            continue;
        }
        links += 1;
        let Ok(target) = fs::read_link(&at) else { return false };
        if links > MOST_LINKS {
            return false;
        }
        at.pop();
        parts(&target).rev().for_each(|part| left.push_front(part));
    }
    is_executable(&at)
}

/// The parts of a path; pushing an absolute one's first part leads to the root.
fn parts(path: &Path) -> impl DoubleEndedIterator<Item = OsString> {
    path.components().filter(|part| *part != Component::CurDir).map(|part| part.as_os_str().to_owned())
}

/// Whether only root may write it. Others who may by an access list show in the bits of the group.
fn is_roots_alone(found: &Metadata) -> bool {
    found.uid() == 0 && found.mode() & 0o022 == 0
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A folder that anybody may write, with an executable file.
    fn open_folder(name: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let open = folder.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::write(open.join(name), "").unwrap();
        fs::set_permissions(open.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
        (folder, open)
    }

    #[test]
    fn what_somebody_else_than_root_could_have_put_there_is_passed_over() {
        let (folder, open) = open_folder("sh");
        let system = [PathBuf::from("/usr/bin"), PathBuf::from("/bin")];
        let Some(sh) = SystemProgram::find("sh", &system) else {
            artoo_test_needs::without("sh", "this machine's sh is not root's alone");
            return;
        };
        let found = |first: PathBuf| SystemProgram::find("sh", &[&[first][..], &system].concat());
        assert_eq!(found(open.clone()).as_ref(), Some(&sh), "whatever stands before it");
        // A link of somebody's to a folder of root's can lead elsewhere tomorrow.
        let link = open.join("link");
        symlink("/usr/bin", &link).unwrap();
        assert_eq!(found(link.clone()).as_ref(), Some(&sh));
        assert_eq!(SystemProgram::find("sh", &[link]), None);
        assert_eq!(SystemProgram::find("sh", std::slice::from_ref(&open)), None);
        // A level above it decides as well.
        let below = open.join("below");
        fs::create_dir(&below).unwrap();
        fs::copy(open.join("sh"), below.join("sh")).unwrap();
        assert_eq!(SystemProgram::find("sh", &[below]), None);
        // What is no program, or nowhere, is none.
        assert_eq!(SystemProgram::find("passwd", &["/etc".into()]), None);
        assert_eq!(SystemProgram::find("sh", &["bin".into(), folder.path().join("nowhere")]), None);
    }

    #[test]
    fn links_and_points_are_followed_by_each_part() {
        for (path, expected) in
            [("/", &["/"][..]), ("/a/./b/../c", &["/", "a", "b", "..", "c"]), ("../x", &["..", "x"])]
        {
            assert_eq!(parts(Path::new(path)).collect::<Vec<_>>(), expected, "{path}");
        }
        let (_folder, open) = open_folder("x");
        symlink(open.join("b"), open.join("a")).unwrap();
        symlink(open.join("a"), open.join("b")).unwrap();
        assert!(!is_roots(&open.join("a")), "a loop ends");
    }

    #[test]
    fn the_users_bash_is_taken_where_the_system_has_none() {
        let (_folder, open) = open_folder("bash");
        assert_eq!(shell_program(std::slice::from_ref(&open)), Some(open.join("bash")));
        if let Some(bash) = SystemProgram::find("bash", &["/usr/bin".into()]) {
            assert_eq!(shell_program(&[open, "/usr/bin".into()]).as_deref(), Some(bash.path()));
        }
    }
}
