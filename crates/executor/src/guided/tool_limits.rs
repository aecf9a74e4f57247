//! Limits on the tools and commands of a weak model.

use std::sync::Arc;

use artoo_tools::{BALANCED_COMMAND, Glob, Grep, LookAtJob, ReadEvidence, ReadFile, Tool as _};
use artoo_types::ToolName;
use serde_json::json;

use crate::{AttemptContext, ToolSpec};

/// The longest command in characters.
const LONGEST_COMMAND: usize = 400;

/// The tools offered to a weak model while it derives an answer in several ways. The tools for names,
/// searches and files are left out: command output can be rehearsed, and the model takes a list of names for
/// a count.
pub(crate) fn rehearsed(tools: &[ToolSpec]) -> Vec<ToolSpec> {
    let done_by_commands = [Glob.name(), Grep.name(), ReadFile.name()];
    tools.iter().filter(|tool| !done_by_commands.contains(&tool.name)).cloned().collect()
}

/// The attempt with limits applied: `shell` commands are bounded and cannot be left running, earlier outputs
/// cannot be read again, and the content of a file is not offered as an answer, since a whole file seldom is
/// one.
pub(crate) fn bounded(cx: &AttemptContext) -> AttemptContext {
    let mut cx = cx.clone();
    // Earlier outputs are short for a weak model, and it invents the ids when it reads them.
    let left_out = [ToolName::new(LookAtJob::NAME), ReadEvidence.name()];
    cx.tools.retain(|tool| !left_out.contains(&tool.name));
    cx.tools.iter_mut().for_each(|tool| tool.output_is_answer &= tool.name != ReadFile.name());
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
    use super::*;
    use crate::conformance;

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
        let others = [LookAtJob::NAME, "read_evidence", "read_file"].map(|name| spec(name, json!({})));
        let tools = [vec![spec("shell", shell)], others.to_vec()].concat();
        let bound = json!({"type": "string", "maxLength": LONGEST_COMMAND, "pattern": BALANCED_COMMAND});
        assert_eq!(
            bounded(&AttemptContext { tools, ..conformance::context("x") }).tools,
            [
                spec("shell", json!({"properties": {"command": bound}})),
                ToolSpec { output_is_answer: false, ..spec("read_file", json!({})) },
            ]
        );
        assert_eq!(rehearsed(&others), others[..2]);
    }
}
