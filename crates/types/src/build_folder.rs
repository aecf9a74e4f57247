//! Changes that are counted per folder instead of being listed.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A folder of build output, and how many files in it a call created, changed or deleted. git ignores them, and the program
/// that made them makes them again.
///
/// ```
/// let folder = artoo_types::BuildFolder { path: "/home/ada/tally/target".into(), files: 350 };
/// assert_eq!(folder.to_string(), "350 files in /home/ada/tally/target/, ignored by git");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct BuildFolder {
    /// Its absolute path, as far as it is text.
    pub path: PathBuf,
    /// How many files.
    pub files: u64,
}

impl fmt::Display for BuildFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, files } = self;
        let noun = if *files == 1 { "file" } else { "files" };
        write!(f, "{files} {noun} in {}, ignored by git", path.join("").display())
    }
}
