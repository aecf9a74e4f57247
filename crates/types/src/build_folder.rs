//! Changes that are counted per folder instead of being listed.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A folder of build output, and how many files in it a call created, changed or deleted. git ignores them, and the program
/// that made them makes them again.
///
/// ```
/// let folder = artoo_types::BuildFolder::new("/home/ada/tally/target", 350);
/// assert_eq!(folder.to_string(), "350 files in /home/ada/tally/target/, ignored by git");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct BuildFolder {
    /// Its absolute path, as far as it is text.
    pub path: PathBuf,
    /// How many files.
    pub files: u64,
    /// How many of them no earlier call of the run had changed; none where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_changed: Option<u64>,
}

impl BuildFolder {
    /// A folder in which so many files changed.
    pub fn new(path: impl Into<PathBuf>, files: u64) -> Self {
        Self { path: path.into(), files, first_changed: None }
    }

    /// The folders of all calls of a run, each once, with how many files the run changed in it.
    ///
    /// ```
    /// use artoo_types::BuildFolder;
    ///
    /// let call = |files, first_changed| BuildFolder { first_changed, ..BuildFolder::new("/p/target", files) };
    /// let [first, second] = [call(350, Some(350)), call(20, Some(3))];
    /// assert_eq!(BuildFolder::of_run([&first, &second]), [BuildFolder::new("/p/target", 353)]);
    /// ```
    pub fn of_run<'a>(calls: impl IntoIterator<Item = &'a Self>) -> Vec<Self> {
        let mut sums: BTreeMap<&Path, u64> = BTreeMap::new();
        for folder in calls {
            let sum = sums.entry(&folder.path).or_default();
            *sum = sum.saturating_add(folder.first_changed.unwrap_or(folder.files));
        }
        sums.into_iter().filter(|(_, files)| *files > 0).map(|(path, files)| Self::new(path, files)).collect()
    }
}

impl fmt::Display for BuildFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, files, .. } = self;
        let noun = if *files == 1 { "file" } else { "files" };
        write!(f, "{files} {noun} in {}, ignored by git", path.join("").display())
    }
}
