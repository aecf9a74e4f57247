//! Tool calls in plain words: what is being done, and what was done.

use artoo_types::{ToolKind, ToolName};
use serde_json::Value;

use super::labels;
use super::layout::Frame;

/// A call as its row begins: `$ cargo test`, `read src/main.rs`.
pub(super) fn row(tool: &ToolName, arguments: &Value, frame: Frame) -> String {
    let text = |name: &str| of(arguments, name);
    let Some(kind) = tool.kind() else { return format!("{tool} {}", labels::arguments(arguments)) };
    match kind {
        ToolKind::Shell => format!("$ {}", command(&text("command"), frame)),
        ToolKind::ReadFile => format!("read {}", text("path")),
        ToolKind::ReadEvidence => "read an earlier output again".to_owned(),
        ToolKind::WriteFile => format!("write {}", text("path")),
        ToolKind::EditFile => format!("edit {}", text("path")),
        ToolKind::Glob => format!("find {}", labels::arguments(arguments)),
        ToolKind::Mdfind => format!("find files: {}", labels::arguments(arguments)),
        ToolKind::Grep => format!("search {}", labels::arguments(arguments)),
        ToolKind::GitCommit => format!("commit: {}", first_line(&text("message"))),
        ToolKind::UndoRun => format!("take back {}", labels::arguments(arguments)),
        ToolKind::AppleScript => format!("AppleScript: {}", command(&labels::arguments(arguments), frame)),
        ToolKind::Shortcuts => format!("shortcut {}", labels::arguments(arguments)),
        ToolKind::Job => format!("job: {}", labels::arguments(arguments)),
        ToolKind::Search => format!("search the web: {}", labels::arguments(arguments)),
        ToolKind::Fetch => format!("fetch {}", text("url")),
    }
}

/// What is waited for while the call runs: `running cargo test`.
pub(super) fn now(tool: &ToolName, arguments: &Value) -> String {
    let text = |name: &str| of(arguments, name);
    let Some(kind) = tool.kind() else { return format!("waiting for {tool}") };
    match kind {
        ToolKind::Shell => format!("running {}", first_line(&text("command"))),
        ToolKind::ReadFile => format!("reading {}", text("path")),
        ToolKind::ReadEvidence => "reading an earlier output again".to_owned(),
        ToolKind::WriteFile => format!("writing {}", text("path")),
        ToolKind::EditFile => format!("editing {}", text("path")),
        ToolKind::Glob | ToolKind::Mdfind | ToolKind::Grep => {
            format!("searching {}", labels::arguments(arguments))
        }
        ToolKind::GitCommit => "committing".to_owned(),
        ToolKind::UndoRun => "taking back an earlier run".to_owned(),
        ToolKind::AppleScript => "running an AppleScript".to_owned(),
        ToolKind::Shortcuts => "running a shortcut".to_owned(),
        ToolKind::Job => "looking at a command that runs in the background".to_owned(),
        ToolKind::Search => "searching the web".to_owned(),
        ToolKind::Fetch => format!("fetching {}", text("url")),
    }
}

/// An argument; all of them where it is missing.
fn of(arguments: &Value, name: &str) -> String {
    let given = arguments.get(name).and_then(Value::as_str);
    given.map_or_else(|| labels::arguments(arguments), str::to_owned)
}

/// A command on one line. A line end ends a command; a blank in its place would read like another one.
fn command(text: &str, frame: Frame) -> String {
    text.trim_end().lines().collect::<Vec<_>>().join(frame.sign(" ⏎ ", " (next line) "))
}

fn first_line(text: &str) -> &str {
    text.trim_start().lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::terminal::neutral_line;
    use crate::view::tests::frame;

    #[test]
    fn every_tool_has_words() {
        let arguments = json!({"command": "cargo test\nls", "path": "src/a.rs", "pattern": "x", "url": "https://e.org", "message": "Sort\n\nmore"});
        let mut text = String::new();
        for name in ToolKind::ALL.map(ToolKind::name).into_iter().chain(["send_mail"]) {
            let tool = ToolName::new(name);
            let only = json!({"pattern": "**/*.rs"});
            let arguments = if tool.kind().is_some() { &arguments } else { &only };
            let (row, now) = (row(&tool, arguments, frame(80, false)), now(&tool, arguments));
            text.push_str(&format!("{}\n  {}\n", neutral_line(&row), neutral_line(&now)));
        }
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_call_without_what_it_needs_is_still_told() {
        assert_eq!(row(&ToolName::new("shell"), &json!({"cmd": "ls"}), frame(80, false)), "$ ls");
        assert_eq!(now(&ToolName::new("shell"), &json!(7)), "running 7");
    }
}
