//! A call of a tool as clients show it.

use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{ToolCallLocation, ToolKind as ClientKind};
use artoo_types::{ToolKind, ToolName};
use serde_json::Value;

/// How many characters of a command a title has.
const TITLE: usize = 120;

/// What kind of call it is, for the client's icon.
pub(crate) fn kind(tool: &ToolName) -> ClientKind {
    let Some(kind) = tool.kind() else { return ClientKind::Other };
    match kind {
        ToolKind::ReadFile | ToolKind::ReadEvidence => ClientKind::Read,
        ToolKind::Glob | ToolKind::Grep | ToolKind::Mdfind => ClientKind::Search,
        ToolKind::WriteFile | ToolKind::EditFile | ToolKind::GitCommit | ToolKind::UndoRun => {
            ClientKind::Edit
        }
        ToolKind::Shell | ToolKind::Job | ToolKind::AppleScript | ToolKind::Shortcuts => ClientKind::Execute,
        ToolKind::Search | ToolKind::Fetch => ClientKind::Fetch,
    }
}

/// What the call does, in a line.
pub(crate) fn title(tool: &ToolName, arguments: &Value) -> String {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let said = match tool.kind() {
        Some(ToolKind::Shell) => text("command").to_owned(),
        Some(ToolKind::ReadFile) => format!("Read {}", text("path")),
        Some(ToolKind::WriteFile) => format!("Write {}", text("path")),
        Some(ToolKind::EditFile) => format!("Edit {}", text("path")),
        Some(ToolKind::Grep) => format!("Search for {}", text("pattern")),
        Some(ToolKind::Glob) => format!("Find {}", text("pattern")),
        Some(ToolKind::GitCommit) => format!("Commit: {}", text("message")),
        Some(ToolKind::Search) => format!("Search the web for {}", text("query")),
        Some(ToolKind::Fetch) => format!("Fetch {}", text("url")),
        Some(
            ToolKind::Mdfind
            | ToolKind::ReadEvidence
            | ToolKind::UndoRun
            | ToolKind::AppleScript
            | ToolKind::Shortcuts
            | ToolKind::Job,
        )
        | None => format!("{tool} {arguments}"),
    };
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TITLE) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// The file that a call is about, as far as its arguments name one.
pub(crate) fn locations(tool: &ToolName, arguments: &Value, folder: &Path) -> Vec<ToolCallLocation> {
    let names_a_file = match tool.kind() {
        Some(ToolKind::ReadFile | ToolKind::WriteFile | ToolKind::EditFile) => true,
        Some(
            ToolKind::Mdfind
            | ToolKind::Glob
            | ToolKind::Grep
            | ToolKind::ReadEvidence
            | ToolKind::GitCommit
            | ToolKind::UndoRun
            | ToolKind::AppleScript
            | ToolKind::Shortcuts
            | ToolKind::Shell
            | ToolKind::Job
            | ToolKind::Search
            | ToolKind::Fetch,
        )
        | None => false,
    };
    let path = arguments.get("path").and_then(Value::as_str).filter(|path| names_a_file && is_plain(path));
    let line = arguments.get("first_line").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
    path.map(|path| ToolCallLocation::new(folder.join(path)).line(line)).into_iter().collect()
}

/// Whether a path needs no variable and no home folder to be known.
fn is_plain(path: &str) -> bool {
    !path.starts_with(['~', '$'])
}

/// The files of changes, each once.
pub(crate) fn locations_of<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Vec<ToolCallLocation> {
    let mut seen: Vec<&PathBuf> = Vec::new();
    paths.for_each(|path| {
        if !seen.contains(&path) {
            seen.push(path);
        }
    });
    seen.into_iter().map(ToolCallLocation::new).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_title_is_one_line() {
        let shell = ToolName::new("shell");
        assert_eq!(title(&shell, &json!({"command": "cargo test\n  ls"})), "cargo test ls");
        assert_eq!(title(&shell, &json!({"command": "é".repeat(500)})).chars().count(), TITLE + 1);
        assert_eq!(title(&ToolName::new("github__star"), &json!({"a": 1})), "github__star {\"a\":1}");
    }

    #[test]
    fn a_location_is_a_file_that_the_call_names() {
        let of = |tool: &str, path: &str| {
            locations(&ToolName::new(tool), &json!({"path": path, "first_line": 3}), Path::new("/w"))
        };
        assert_eq!(of("read_file", "a.rs"), [ToolCallLocation::new("/w/a.rs").line(3)]);
        assert_eq!(of("edit_file", "/etc/a"), [ToolCallLocation::new("/etc/a").line(3)]);
        assert_eq!(of("read_file", "$WORKSPACE/a").len() + of("grep", "a").len(), 0);
    }
}
