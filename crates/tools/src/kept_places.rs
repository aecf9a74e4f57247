//! Places that stay as they are, because the user said so: they may be read and not changed.

use std::path::{Path, PathBuf};

use crate::{ToolContext, ToolError};

/// The places of a run, as given and by their real paths. Blocks.
pub(crate) fn kept_places(cx: &ToolContext) -> Vec<PathBuf> {
    let real = cx.read_only.iter().filter_map(|place| place.canonicalize().ok());
    cx.read_only.iter().cloned().chain(real).collect()
}

/// Refuses a change of a path without symlinks in such a place. Blocks.
///
/// # Errors
///
/// [`ToolError::Kept`].
pub(crate) fn refuse_change(path: &Path, shown: &str, cx: &ToolContext) -> Result<(), ToolError> {
    match kept_places(cx).into_iter().find(|place| path.starts_with(place)) {
        None => Ok(()),
        Some(place) => Err(ToolError::Kept { path: shown.to_owned(), place: place.display().to_string() }),
    }
}
