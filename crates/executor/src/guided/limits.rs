//! Limits of what a weak model may write into a command.

use std::sync::Arc;

use artoo_tools::LookAtJob;
use serde_json::json;

use crate::AttemptContext;

/// The longest command in characters.
const LONGEST_COMMAND: usize = 400;
/// A command whose quotes are closed. A small model often ends the JSON text at the first quote inside its command; where
/// decoding is constrained, it cannot.
const BALANCED: &str = r#"^([^'"\\]|\\.|'[^']*'|"([^"\\]|\\.)*")+$"#;

/// The same attempt with a bounded command in the schema of `shell`, and without leaving one running.
pub(crate) fn bounded(cx: &AttemptContext) -> AttemptContext {
    let mut cx = cx.clone();
    cx.tools.retain(|tool| tool.name.as_str() != LookAtJob::NAME);
    for tool in cx.tools.iter_mut().filter(|tool| tool.name.as_str() == "shell") {
        let Some(properties) = Arc::make_mut(&mut tool.arguments).get_mut("properties") else { continue };
        if let Some(properties) = properties.as_object_mut() {
            properties.remove("background");
        }
        let command = properties.get_mut("command");
        if let Some(command) = command.and_then(serde_json::Value::as_object_mut) {
            command.insert("maxLength".to_owned(), json!(LONGEST_COMMAND));
            command.insert("pattern".to_owned(), json!(BALANCED));
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
    fn a_guided_model_leaves_nothing_running() {
        let spec = |name: &str, arguments| ToolSpec {
            name: ToolName::new(name),
            summary: String::new(),
            arguments: Arc::new(arguments),
            output_is_answer: true,
            only_looks: false,
        };
        let shell = json!({"properties": {"command": {"type": "string"}, "background": {"type": "boolean"}}});
        let tools = vec![spec("shell", shell), spec(LookAtJob::NAME, json!({})), spec("glob", json!({}))];
        let bound = json!({"type": "string", "maxLength": LONGEST_COMMAND, "pattern": BALANCED});
        assert_eq!(
            bounded(&AttemptContext { tools, ..conformance::context("x") }).tools,
            [spec("shell", json!({"properties": {"command": bound}})), spec("glob", json!({}))]
        );
    }
}
