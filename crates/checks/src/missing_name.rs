//! What a command looked for and did not find: a file, a column, a key.

use std::path::{Path, PathBuf};

/// The exceptions of Python that name what is not there.
const NO_KEY: &str = "KeyError";
const NO_FILE: &str = "FileNotFoundError";
/// The exception of a query, and what SQLite says in it of a column.
const NO_QUERY: &str = "sqlite3.OperationalError";
const NO_COLUMN: &str = "no such column: ";
/// What the C library says of it, in the locale that commands run in.
pub(crate) const NOT_THERE: &str = "No such file or directory";

/// What is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingName {
    /// A column, a field: what is looked up in a file.
    Key(String),
    /// A file or a folder.
    File(String),
}

impl MissingName {
    /// What a command that failed says last on its standard error; `None` if that is something else. The class of an
    /// exception and the text of an error number decide, not words of a language.
    /// ```
    /// use artoo_checks::MissingName;
    /// let column = MissingName::Key("discount".to_owned());
    /// assert_eq!(MissingName::of("Traceback\n  line 3\nKeyError: 'discount'\n"), Some(column));
    /// let file = MissingName::File("a b.txt".to_owned());
    /// assert_eq!(MissingName::of("wc: 'a b.txt': No such file or directory"), Some(file));
    /// let column = MissingName::Key("discount".to_owned());
    /// assert_eq!(MissingName::of("sqlite3.OperationalError: no such column: discount"), Some(column));
    /// assert_eq!(MissingName::of("TypeError: 'a' is no number"), None);
    /// ```
    pub fn of(stderr: &str) -> Option<Self> {
        let line = stderr.lines().rev().find(|line| !line.trim().is_empty())?.trim();
        if let Some(before) = line.strip_suffix(NOT_THERE).and_then(|before| before.strip_suffix(": ")) {
            let name = before.rsplit_once(": ").map_or(before, |(_, name)| name);
            return Some(Self::File(unquoted(name).to_owned()));
        }
        let (exception, told) = line.split_once(": ")?;
        match exception {
            NO_KEY => Some(Self::Key(unquoted(told).to_owned())),
            NO_QUERY => Some(Self::Key(unquoted(told.strip_prefix(NO_COLUMN)?).to_owned())),
            NO_FILE => Some(Self::File(unquoted(told.rsplit_once(": ")?.1).to_owned())),
            _ => None,
        }
    }

    /// The name, as the command has it.
    pub fn name(&self) -> &str {
        match self {
            Self::Key(name) | Self::File(name) => name,
        }
    }

    /// Whether one of these paths, which are there, bears the name: it was looked for in the wrong place.
    pub fn is_one_of(&self, paths: &[PathBuf]) -> bool {
        let last = Path::new(self.name()).file_name();
        paths.iter().any(|path| path.ends_with(self.name()) || path.file_name() == last)
    }
}

fn unquoted(name: &str) -> &str {
    let within = |open, close| name.strip_prefix(open)?.strip_suffix(close);
    within('\'', '\'').or_else(|| within('"', '"')).or_else(|| within('‘', '’')).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_file_is_missing_whoever_says_so() {
        let name = "old files/a b.txt";
        for stderr in [
            "Traceback\nFileNotFoundError: [Errno 2] No such file or directory: 'old files/a b.txt'",
            "wc: 'old files/a b.txt': No such file or directory",
            "find: ‘old files/a b.txt’: No such file or directory\n",
            "cat: old files/a b.txt: No such file or directory\n",
        ] {
            assert_eq!(MissingName::of(stderr), Some(MissingName::File(name.to_owned())), "{stderr}");
        }
        let file = MissingName::File(name.to_owned());
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert!(file.is_one_of(&paths(&["/home/docs/a b.txt"])));
        assert!(!file.is_one_of(&paths(&["/home/old files", "/home/b.txt"])));
    }

    proptest! {
        #[test]
        fn any_complaint_is_read(stderr in "(KeyError|FileNotFoundError|x): .{0,20}(: No such file or directory)?") {
            if let Some(missing) = MissingName::of(&stderr) {
                prop_assert!(stderr.contains(missing.name()));
            }
        }
    }
}
