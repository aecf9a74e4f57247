//! Paths that are known before something happens to them.

use std::path::PathBuf;

/// Paths that a call is about to change, and the root that they lie below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The real path of a folder that exists.
    pub root: PathBuf,
    /// Absolute paths below it. A folder that goes is named with everything that goes in it.
    pub paths: Vec<PathBuf>,
}
