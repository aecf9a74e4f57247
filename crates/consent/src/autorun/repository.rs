//! Repositories of git without a folder `.git` around them: git finds one by its parts, in whatever visible folder they lie.

use std::path::Path;

use super::{AskedBy, Autorun, Neighbours};
use crate::is_in_git;

/// Parts that a folder must have, or that tell git what to run.
const PARTS: [&str; 7] = ["HEAD", "objects", "refs", "config", "config.worktree", "commondir", "hooks"];

/// What git does in such a folder.
const WHY: &str = "with this the folder is a repository: git runs what its config and its hooks name for whoever works in it";

/// A part of a repository that is one when the call is done.
pub(super) fn part(path: &Path, neighbours: &dyn Neighbours) -> Option<Autorun> {
    // A `.git` is hidden, which is asked about as such.
    if is_in_git(path) {
        return None;
    }
    let (folder, name) = (path.parent()?, path.file_name()?.to_str()?);
    if PARTS.contains(&name) && is_repository(folder, neighbours) {
        return Some(Autorun { why: WHY.to_owned(), asked_by: AskedBy::Nothing });
    }
    let is_hook = folder.file_name()? == "hooks" && !name.ends_with(".sample");
    let around = folder.parent()?;
    (is_hook && is_repository(around, neighbours)).then(|| Autorun {
        why: "this file will be run by git, as a hook of the repository that it lies in".to_owned(),
        asked_by: AskedBy::Path,
    })
}

/// As git decides it, but for the content of `HEAD`, which may come later. A folder with `commondir` has the other parts elsewhere.
fn is_repository(folder: &Path, neighbours: &dyn Neighbours) -> bool {
    let has = |name: &str| neighbours.will_be(&folder.join(name));
    has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}
