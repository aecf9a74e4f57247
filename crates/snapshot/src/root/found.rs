//! What was there before the run.

use std::ffi::OsStr;
use std::path::PathBuf;

use artoo_anchored_files::{Below, ContentId, State};

use super::Root;

impl Root {
    /// The paths with this name that existed before the run and still do; `None` if the root is too large to
    /// tell.
    pub(crate) fn found(&self, name: &OsStr) -> Option<Vec<PathBuf>> {
        let was_there = |path: &Below| self.before.get(path).is_some_and(|before| before.state.is_some());
        let named =
            self.now.iter().filter(|(path, now)| path.path().file_name() == Some(name) && now.is_some());
        let found = named.filter(|(path, _)| was_there(path)).map(|(path, _)| path.under(&self.path));
        (self.is_known && !self.is_lost).then(|| found.collect())
    }

    /// A file before the run, with its content; `None` if its content was not kept.
    pub(crate) fn original(&self, path: &Below) -> Option<(&State, &ContentId)> {
        let before = self.before.get(path)?;
        before.state.as_ref().zip(before.kept.as_ref())
    }

    /// Whether a path existed before the run; `None` if nobody looked.
    pub(crate) fn was_there(&self, path: &Below) -> Option<bool> {
        match self.before.get(path) {
            Some(before) => Some(before.state.is_some()),
            None => (self.is_known && !self.is_lost).then_some(false),
        }
    }
}
