//! The environment as a value: `main` reads the process's variables once, tests pass in others.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Environment variables.
#[derive(Clone, Default)]
pub(crate) struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// Creates an environment from these variables.
    pub(crate) fn new(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self { variables: variables.into_iter().collect() }
    }

    /// The value of a variable that is set, not empty, and valid UTF-8.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.raw(name)?.to_str()
    }

    /// The value of a variable that is set and not empty.
    pub(crate) fn raw(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The names that are valid UTF-8.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.keys().filter_map(|name| name.to_str())
    }

    /// All variables, for the commands of a run; the tools remove secrets from them.
    pub(crate) fn all(&self) -> BTreeMap<OsString, OsString> {
        self.variables.clone()
    }

    /// An absolute folder named by a variable. The XDG specification says that relative paths are ignored.
    pub(crate) fn folder(&self, name: &str) -> Option<PathBuf> {
        self.raw(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// The user's home folder.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.folder("HOME")
    }

    /// The folders of `PATH`.
    pub(crate) fn search_path(&self) -> Vec<PathBuf> {
        self.raw("PATH")
            .map(|path| std::env::split_paths(path).filter(|p| p.is_absolute()).collect())
            .unwrap_or_default()
    }
}

/// Shows only names: values may be secret.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

/// Replaces a leading `~` by the home folder.
pub(crate) fn expand_home(path: &Path, home: &Path) -> PathBuf {
    path.strip_prefix("~").map_or_else(|_| path.to_path_buf(), |rest| home.join(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_and_relative_values_count_as_unset() {
        let environment = Environment::new(
            [("A", ""), ("B", "x"), ("HOME", "relative"), ("PATH", "/bin:rel:/usr/bin")]
                .map(|(name, value)| (name.into(), value.into())),
        );
        assert_eq!((environment.text("A"), environment.text("B")), (None, Some("x")));
        assert_eq!(environment.home(), None);
        assert_eq!(environment.search_path(), [PathBuf::from("/bin"), PathBuf::from("/usr/bin")]);
    }

    #[test]
    fn a_tilde_is_the_home_folder() {
        let check = |path: &str, expected: &str| {
            assert_eq!(expand_home(Path::new(path), Path::new("/home/ada")), PathBuf::from(expected));
        };
        check("~", "/home/ada/");
        check("~/x y", "/home/ada/x y");
        check("~bob/x", "~bob/x");
        check("/a/~", "/a/~");
    }
}
