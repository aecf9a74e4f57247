//! Unified diffs as the pairs of old and new text that clients show.

use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{Diff, ToolCallContent};
use artoo_types::{FileChange, FileChangeKind, PreviewedChange, PreviewedKind};

/// What a call would change, as far as the change list has it.
pub(crate) fn of_preview(changes: &[PreviewedChange]) -> Vec<ToolCallContent> {
    let of = |change: &PreviewedChange| {
        let is_new = change.change == PreviewedKind::Created;
        match &change.diff {
            Some(diff) => hunks(&change.path, diff, is_new),
            None => vec![noted(previewed(change))],
        }
    };
    changes.iter().flat_map(of).collect()
}

/// What a call has changed.
pub(crate) fn of_files(files: &[FileChange]) -> Vec<ToolCallContent> {
    let of = |file: &FileChange| {
        let is_new = file.change == FileChangeKind::Created && file.moved_from.is_none();
        match file.diff.as_deref().filter(|diff| diff.contains("\n@@ ")) {
            Some(diff) => hunks(&file.path, diff, is_new),
            None => vec![noted(file.line())],
        }
    };
    files.iter().flat_map(of).collect()
}

/// Each hunk of a unified diff as a pair of texts.
fn hunks(path: &Path, diff: &str, is_new: bool) -> Vec<ToolCallContent> {
    let mut hunks: Vec<(String, String)> = Vec::new();
    for line in diff.split_inclusive('\n') {
        if line.starts_with("@@ ") {
            hunks.push(Default::default());
            continue;
        }
        let Some((old, new)) = hunks.last_mut() else { continue };
        match (line.get(..1), line.get(1..).unwrap_or_default()) {
            (Some(" "), text) => {
                old.push_str(text);
                new.push_str(text);
            }
            (Some("-"), text) => old.push_str(text),
            (Some("+"), text) => new.push_str(text),
            // "\ No newline at end of file" belongs to neither text.
            (Some(_) | None, _) => {}
        }
    }
    let path = PathBuf::from(path);
    let content = |(old, new): (String, String)| {
        let old = (!is_new).then_some(old);
        ToolCallContent::Diff(Diff::new(path.clone(), new).old_text(old))
    };
    hunks.into_iter().map(content).collect()
}

/// A change without lines, in words.
fn previewed(change: &PreviewedChange) -> String {
    let path = change.path.display();
    match change.change {
        PreviewedKind::Deleted => format!("deletes {path}"),
        PreviewedKind::Changed => format!("changes {path}"),
        PreviewedKind::Renamed => {
            let from = change.from.as_deref().map(|from| from.display().to_string()).unwrap_or_default();
            format!("renames {from} to {path}")
        }
        PreviewedKind::Attributes => format!("changes mode, owner or time of {path}"),
        PreviewedKind::Created => format!("creates {path}"),
    }
}

/// A line of text.
pub(crate) fn noted(text: impl Into<String>) -> ToolCallContent {
    ToolCallContent::from(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hunk_is_a_pair_of_texts() {
        let diff = "--- before\n+++ after\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n@@ -9 +9 @@\n-x\n\\ No newline at end of file\n+y\n";
        let pair =
            |old: &str, new: &str| ToolCallContent::Diff(Diff::new("/f", new).old_text(old.to_owned()));
        assert_eq!(hunks(Path::new("/f"), diff, false), [pair("a\nb\n", "a\nB\n"), pair("x\n", "y\n")]);
        let new = "--- before\n+++ after\n@@ -0,0 +1 @@\n+one\n";
        assert_eq!(hunks(Path::new("/f"), new, true), [ToolCallContent::Diff(Diff::new("/f", "one\n"))]);
        assert_eq!(hunks(Path::new("/f"), "no diff", false), []);
    }
}
