//! How paths are named in a question.

use std::path::Path;

/// Where a question is shown, and where its run works.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// A longer text is cut, in columns.
    pub(super) columns: usize,
    /// Paths below this folder are named without it; all whole if there is none.
    pub(super) folder: Option<&'a Path>,
}
