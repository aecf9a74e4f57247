//! Resolves paths written by people and models, and formats paths for output.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::ToolContext;

/// The absolute path of a text: below the working folder, unless it is absolute or begins with `~`, `$WORKSPACE` or
/// `$TMPDIR`. `..` and symlinks are not resolved.
pub(crate) fn resolve(text: &str, cx: &ToolContext) -> PathBuf {
    let mut components = Path::new(text).components();
    let folder = match components.next() {
        Some(Component::Normal(first)) => named_folder(first, cx),
        _ => None,
    };
    match folder {
        // Joining an empty path would append a slash.
        Some(folder) => folder.join(components.as_path()).components().collect(),
        None => cx.working_folder.join(text),
    }
}

/// The folder that a path names by its first component: `~`, `$WORKSPACE`, `$TMPDIR`. Commands know the variables, so a
/// model writes them everywhere.
pub(crate) fn named_folder<'a>(first: &OsStr, cx: &'a ToolContext) -> Option<&'a Path> {
    match first.to_str()? {
        "~" => Some(&cx.home),
        "$WORKSPACE" => Some(&cx.workspace),
        "$TMPDIR" => Some(&cx.private_tmp),
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
