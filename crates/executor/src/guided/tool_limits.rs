//! Limits on the tools and commands of a weak model.

use std::sync::Arc;

use artoo_types::ToolKind;
use serde_json::{Value, json};

use crate::{AttemptContext, ToolSpec};

/// A command whose quotes are closed, as a pattern for the schema of its argument. A small model often ends the JSON text at the first quote
/// inside its command; where decoding is constrained by this, it cannot. A here-document with an apostrophe in it does not match.
const BALANCED_COMMAND: &str = r#"^([^'"\\]|\\.|'[^']*'|"([^"\\]|\\.)*")+$"#;

/// The longest command in characters.
const LONGEST_COMMAND: usize = 400;

/// The attempt with limits applied: `shell` commands are bounded and cannot be left running, earlier outputs
/// cannot be read again, and the content of a file is not offered as an answer, since a whole file seldom is
/// one.
pub(crate) fn bounded(cx: &AttemptContext) -> AttemptContext {
    let mut cx = cx.clone();
    cx.tools = cx.tools.into_iter().filter_map(limited).collect();
    cx
}

/// The tool as a weak model is offered it, if it is.
fn limited(mut tool: ToolSpec) -> Option<ToolSpec> {
    match tool.name.kind() {
        // Earlier outputs are short for a weak model, and it reads them by ids that it makes up.
        Some(ToolKind::Job | ToolKind::ReadEvidence) => return None,
        Some(ToolKind::ReadFile) => tool.output_is_answer = false,
        Some(ToolKind::Shell) => limit_command(Arc::make_mut(&mut tool.arguments)),
        Some(
            ToolKind::Mdfind
            | ToolKind::Glob
            | ToolKind::Grep
            | ToolKind::WriteFile
            | ToolKind::EditFile
            | ToolKind::GitCommit
            | ToolKind::UndoRun
            | ToolKind::AppleScript
            | ToolKind::Shortcuts
            | ToolKind::Search
            | ToolKind::Fetch,
        )
        | None => {}
    }
    Some(tool)
}

/// Bounds the command in the schema of the arguments, and takes away that it can be left running.
fn limit_command(schema: &mut Value) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    properties.remove("background");
    if let Some(command) = properties.get_mut("command").and_then(Value::as_object_mut) {
        command.insert("maxLength".to_owned(), json!(LONGEST_COMMAND));
        command.insert("pattern".to_owned(), json!(BALANCED_COMMAND));
    }
}

#[cfg(test)]
mod tests {
    use artoo_types::ToolName;

    use super::*;
    use crate::conformance;

    #[test]
    fn a_guided_model_leaves_nothing_running_and_reads_no_earlier_outputs() {
        let spec = |name: &str, arguments| ToolSpec {
            name: ToolName::new(name),
            summary: String::new(),
            description: String::new(),
            in_this_run: None,
            arguments: Arc::new(arguments),
            output_is_answer: true,
            only_looks: false,
        };
        let shell = json!({"properties": {"command": {"type": "string"}, "background": {"type": "boolean"}}});
        let others = ["job", "read_evidence", "read_file"].map(|name| spec(name, json!({})));
        let tools = [vec![spec("shell", shell)], others.to_vec()].concat();
        let bound = json!({"type": "string", "maxLength": LONGEST_COMMAND, "pattern": BALANCED_COMMAND});
        assert_eq!(
            bounded(&AttemptContext { tools, ..conformance::context("x") }).tools,
            [
                spec("shell", json!({"properties": {"command": bound}})),
                ToolSpec { output_is_answer: false, ..spec("read_file", json!({})) },
            ]
        );
    }
}
