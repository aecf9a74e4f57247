//! Makes what a command did to a repository real: all of it together with its changes of files, or nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use artoo_sandbox::preview::{CommitError, Preview};
use artoo_snapshot::Snapshot;

use super::observation::Moves;
use super::problem::MoveProblem;
use super::record;
use crate::ToolError;
use crate::git::carry_out::IndexLock;
use crate::git::record::Places;
use crate::git::repository::digest_of;

impl Moves {
    /// Makes all changes of the preview real. git's own locks are held meanwhile, what is there from before is recorded, and no other
    /// process may have changed any of it since the command began. Blocks, and is not stopped halfway by a cancelled call.
    ///
    /// # Errors
    ///
    /// Somebody works in the repository or has changed it. The inner error says that a step failed. Nothing is changed then.
    pub(crate) fn carry_out(
        &self,
        preview: Preview,
        snapshot: Option<&Snapshot>,
    ) -> Result<Result<(), CommitError>, ToolError> {
        let _locks = self.lock(&preview)?;
        if digest_of(&self.changes.git.join("packed-refs"))? != self.changes.packed {
            return Err(MoveProblem::Meanwhile { what: "packed references" }.into());
        }
        let failed = |source| ToolError::Io {
            action: "keep for undo what is in",
            path: self.changes.git.display().to_string(),
            source,
        };
        let entry = match snapshot {
            Some(snapshot) => {
                Some(record::record(&snapshot.beside().map_err(failed)?, self).map_err(failed)?)
            }
            None => None,
        };
        let Err(error) = preview.commit() else { return Ok(Ok(())) };
        let is_as_before = matches!(
            error,
            CommitError::Refused { .. } | CommitError::NoRoom { .. } | CommitError::Step { .. }
        );
        // What could not be put back stays recorded: an undo puts it back.
        if let Some(entry) = entry.filter(|_| is_as_before) {
            // The error that led here is the one that matters.
            let _ = entry.remove();
        }
        Ok(Err(error))
    }

    /// The locks by which processes of git keep each other from the index, from `HEAD` and from references.
    fn lock(&self, preview: &Preview) -> Result<Vec<IndexLock>, ToolError> {
        let git = &self.changes.git;
        let goes = |folder: &Path| {
            let change = preview.changes.iter().find(|change| change.path == folder);
            change.is_some_and(|change| change.after.is_none())
        };
        let names = self.changes.references.iter().map(|moved| moved.name.as_str());
        let paths: BTreeSet<PathBuf> = names.chain(["HEAD", "index"]).map(|name| git.join(name)).collect();
        // In a folder that is not there yet, or that goes, the step itself finds what another git does.
        let can_be_locked =
            |path: &PathBuf| path.parent().is_some_and(|folder| folder.is_dir() && !goes(folder));
        paths.iter().filter(|path| can_be_locked(path)).map(|path| IndexLock::take(path)).collect()
    }

    /// Where the repository has its parts.
    pub(super) fn places(&self) -> Places {
        let repository = &self.repository;
        Places {
            top: repository.top.clone(),
            own: repository.own.clone(),
            common: repository.common.clone(),
            index: repository.index.clone(),
        }
    }
}
