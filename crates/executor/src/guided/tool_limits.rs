//! Limits on the tools and commands of a weak model.

use std::sync::Arc;

use serde_json::json;

use crate::AttemptContext;

/// A command whose quotes are closed, as a pattern for the schema of its argument. A small model often ends the JSON text at the first quote
/// inside its command; where decoding is constrained by this, it cannot. A here-document with an apostrophe in it does not match.
const BALANCED_COMMAND: &str = r#"^([^'"\\]|\\.|'[^']*'|"([^"\\]|\\.)*")+$"#;

// Tools by their names.
const JOB: &str = "job";
const READ_EVIDENCE: &str = "read_evidence";
const READ_FILE: &str = "read_file";
/// What a weak model makes nothing of. Earlier outputs are short for it, and it reads them by ids that it makes up.
const LEFT_OUT: [&str; 2] = [JOB, READ_EVIDENCE];

/// The longest command in characters.
const LONGEST_COMMAND: usize = 400;

/// The attempt with limits applied: `shell` commands are bounded and cannot be left running, earlier outputs
/// cannot be read again, and the content of a file is not offered as an answer, since a whole file seldom is
/// one.
pub(crate) fn bounded(cx: &AttemptContext) -> AttemptContext {
    let mut cx = cx.clone();
    cx.tools.retain(|tool| !LEFT_OUT.contains(&tool.name.as_str()));
    cx.tools.iter_mut().for_each(|tool| tool.output_is_answer &= tool.name.as_str() != READ_FILE);
    for tool in cx.tools.iter_mut().filter(|tool| tool.name.as_str() == "shell") {
        let Some(properties) = Arc::make_mut(&mut tool.arguments).get_mut("properties") else { continue };
        if let Some(properties) = properties.as_object_mut() {
            properties.remove("background");
        }
        let command = properties.get_mut("command");
        if let Some(command) = command.and_then(serde_json::Value::as_object_mut) {
            command.insert("maxLength".to_owned(), json!(LONGEST_COMMAND));
            command.insert("pattern".to_owned(), json!(BALANCED_COMMAND));
        }
    }
    cx
}

#[cfg(test)]
mod tests {
    use artoo_types::ToolName;

    use super::*;
    use crate::{ToolSpec, conformance};

    #[test]
    fn a_guided_model_leaves_nothing_running_and_reads_no_earlier_outputs() {
        let spec = |name: &str, arguments| ToolSpec {
            name: ToolName::new(name),
            summary: String::new(),
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
