//! The files that decide what is build output, as they were before the run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use artoo_anchored_files::open_regular;
use artoo_consent::REPOSITORY;

use super::git_ignores::IGNORES;
use super::marks;
use super::user_ignores::UserIgnores;
use crate::ToolContext;

/// The longest such file that is read.
const LONGEST: u64 = 1024 * 1024;

/// The files that decide what is build output (rules of git, marks of tools), as they were before the run changed them. A run
/// can therefore not turn what it found into build output. Clones share one record.
///
/// ```
/// assert!(!artoo_tools::BuildRules::default().is_lost());
/// ```
#[derive(Debug, Clone, Default)]
pub struct BuildRules(Arc<Mutex<Record>>);

#[derive(Debug, Default)]
struct Record {
    /// Those that the run changed, with their content from before; `None` is no such file.
    before: BTreeMap<PathBuf, Option<Vec<u8>>>,
    /// The user's own rules; `None` until somebody has looked.
    of_user: Option<UserIgnores>,
    /// The files of build output that calls of the run changed, as hashes of their paths.
    built: BTreeSet<u64>,
    is_lost: bool,
}

impl BuildRules {
    /// A call may have changed files that nobody observed: from now on nothing is build output.
    pub fn lose_track(&self) {
        self.record().is_lost = true;
    }

    /// Whether some changes of the run are unknown.
    pub fn is_lost(&self) -> bool {
        self.record().is_lost
    }

    /// Whether the user's own rules were read.
    pub(crate) fn knows_user(&self) -> bool {
        self.record().of_user.is_some()
    }

    /// Reads the user's own rules, unless that was done: before the first call, which may change them. Blocks.
    pub(crate) fn learn_of_user(&self, cx: &ToolContext) {
        if !self.knows_user() {
            let of_user = UserIgnores::of(cx);
            self.record().of_user.get_or_insert(of_user);
        }
    }

    /// The user's own rules before the run; `None` if nobody looked.
    pub(super) fn of_user(&self) -> Option<UserIgnores> {
        self.record().of_user.clone()
    }

    /// Notes a file of build output that a call has changed. Whether it is the first call of the run that does.
    pub(crate) fn note_built(&self, path: &Path) -> bool {
        let mut hasher = DefaultHasher::new();
        path.hash(&mut hasher);
        self.record().built.insert(hasher.finish())
    }

    /// Keeps what these files hold, before a call changes them. Blocks.
    pub(crate) fn about_to_change<'p>(&self, paths: impl IntoIterator<Item = &'p Path>) {
        for path in paths.into_iter().filter(|path| decides(path)) {
            let found = read(path);
            self.record().before.entry(path.to_owned()).or_insert(found);
        }
    }

    /// Notes a file that a call has changed, with where its former content is kept, if it is. Blocks.
    pub(crate) fn was_changed(&self, path: &Path, kept: Option<&Path>) {
        for path in path.ancestors().filter(|path| decides(path)) {
            let before = kept.and_then(read);
            self.record().before.entry(path.to_owned()).or_insert(before);
        }
    }

    /// The content of such a file before the run; `None` if there was none. Blocks.
    pub(super) fn content(&self, path: &Path) -> Option<Vec<u8>> {
        let noted = self.record().before.get(path).cloned();
        noted.unwrap_or_else(|| read(path))
    }

    /// Whether the run changed the path.
    pub(super) fn is_changed(&self, path: &Path) -> bool {
        self.record().before.contains_key(path)
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether what lies at this path decides about build output.
fn decides(path: &Path) -> bool {
    let is_named = |name: &str| path.file_name().is_some_and(|own| own == name);
    is_named(REPOSITORY)
        || IGNORES.iter().any(|ignores| path.ends_with(ignores))
        || marks::FILES.into_iter().any(is_named)
}

/// The content of a regular file of usual size; a link is none.
fn read(path: &Path) -> Option<Vec<u8>> {
    fs::symlink_metadata(path).ok().filter(|found| found.is_file() && found.len() <= LONGEST)?;
    let mut content = Vec::new();
    open_regular(path).ok()?.take(LONGEST).read_to_end(&mut content).ok()?;
    Some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_held_before_the_run_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (mark, ignores) = (folder.path().join("CACHEDIR.TAG"), folder.path().join(".gitignore"));
        let rules = BuildRules::default();
        fs::write(&ignores, "old").unwrap();
        assert_eq!(rules.content(&ignores).as_deref(), Some(&b"old"[..]));
        rules.about_to_change([mark.as_path(), &ignores, &folder.path().join("other")]);
        fs::write(&mark, "mark").unwrap();
        fs::write(&ignores, "new").unwrap();
        rules.about_to_change([mark.as_path(), &ignores]);
        assert_eq!((rules.content(&mark), rules.content(&ignores)), (None, Some(b"old".to_vec())));
        assert!(rules.is_changed(&mark) && !rules.is_changed(&folder.path().join("other")));
    }

    #[test]
    fn what_was_observed_afterwards_counts_with_what_is_kept_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("kept"), "old").unwrap();
        for name in [".gitignore", "pyvenv.cfg"] {
            fs::write(path(name), "new").unwrap();
        }
        let rules = BuildRules::default();
        rules.was_changed(&path(".gitignore"), Some(&path("kept")));
        rules.was_changed(&path("pyvenv.cfg"), None);
        rules.was_changed(&path(".git/HEAD"), None);
        assert_eq!(rules.content(&path(".gitignore")).as_deref(), Some(&b"old"[..]));
        assert_eq!(rules.content(&path("pyvenv.cfg")), None);
        assert!(rules.is_changed(&path(".git")));
    }

    #[test]
    fn a_link_is_no_mark() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "x").unwrap();
        let link = folder.path().join("CACHEDIR.TAG");
        std::os::unix::fs::symlink("file", &link).unwrap();
        assert_eq!(BuildRules::default().content(&link), None);
    }
}
