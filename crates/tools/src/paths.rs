//! Resolves paths written by people and models, and formats paths for output.

use std::path::{Component, Path, PathBuf};

use crate::ToolContext;

/// The absolute path of a text: `~` is the home folder, `$WORKSPACE` the workspace, and relative paths start
/// at the working folder. `..` and symlinks are not resolved.
pub(crate) fn resolve(text: &str, cx: &ToolContext) -> PathBuf {
    expand(text, cx).unwrap_or_else(|| cx.working_folder.join(text))
}

/// Like [`resolve`], for a file that should exist: a bare name refers to the workspace if only the workspace
/// has the file, since `write_file` puts it there.
pub(crate) fn find(text: &str, cx: &ToolContext) -> PathBuf {
    let here = resolve(text, cx);
    let is_bare = !text.contains('/') && expand(text, cx).is_none();
    let in_workspace = cx.workspace.join(text);
    let is_only_there = || here.symlink_metadata().is_err() && in_workspace.symlink_metadata().is_ok();
    if is_bare && is_only_there() { in_workspace } else { here }
}

/// The path of an absolute text or one with `~` or `$WORKSPACE`; `None` for a relative one.
pub(crate) fn expand(text: &str, cx: &ToolContext) -> Option<PathBuf> {
    let path = Path::new(text);
    let mut components = path.components();
    match components.next() {
        // Joining an empty path would append a slash.
        Some(Component::Normal(first)) if first == "~" && components.as_path().as_os_str().is_empty() => {
            Some(cx.home.clone())
        }
        Some(Component::Normal(first)) if first == "~" => Some(cx.home.join(components.as_path())),
        // Commands know the workspace by this name, so a model that uses it writes it everywhere.
        Some(Component::Normal(first)) if first == "$WORKSPACE" => {
            Some(cx.workspace.join(components.as_path()).components().collect())
        }
        Some(Component::RootDir) => Some(path.to_owned()),
        _ => None,
    }
}

/// A path for a message or a listing: relative to the working folder if it lies below it, on one line, and
/// lossy if the name is not valid UTF-8.
pub(crate) fn show(path: &Path, cx: &ToolContext) -> String {
    let shorter = path.strip_prefix(&cx.working_folder).ok().filter(|rest| !rest.as_os_str().is_empty());
    one_line(&shorter.unwrap_or(path).to_string_lossy())
}

/// Escapes newlines and other control characters, so that a name cannot fake several lines.
fn one_line(text: &str) -> String {
    if text.chars().any(char::is_control) {
        text.chars()
            .flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] })
            .collect()
    } else {
        text.to_owned()
    }
}
