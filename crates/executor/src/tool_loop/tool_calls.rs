//! Tool definitions as sent to the model, the `give_up` tool, and parsing of the model's calls.

use std::sync::Arc;

use artoo_llm_client::{ToolDefinition, ToolUse, estimate_tokens};
use artoo_types::{Arguments, GaveUp, ToolName};
use serde_json::{Value, json};

use super::Wanted;
use crate::ToolSpec;

/// The tool with which a model gives up.
pub(super) const GIVE_UP: &str = "give_up";
/// The argument that marks a call's output as the answer.
pub(super) const IS_ANSWER: &str = "output_is_answer";

/// A parsed call.
#[derive(Debug, PartialEq)]
pub(super) enum Read {
    /// A call to make.
    Call(Wanted),
    /// The model gives up.
    GiveUp { id: String, gave_up: GaveUp },
    /// The call is invalid; the model is told why.
    Unreadable { id: String, problem: String },
}

/// The definitions of the tools, including `give_up`.
pub(super) fn definitions(tools: &[ToolSpec]) -> Arc<[ToolDefinition]> {
    let give_up = ToolDefinition {
        name: GIVE_UP.to_owned(),
        description: "end without a result, where what was looked at shows why".to_owned(),
        parameters: Arc::new(json!({
            "type": "object",
            "properties": {
                "kind": {"enum": ["impossible", "needs_person", "needs_consent"]},
                "reason": {"type": "string", "description": "one sentence for the user"},
                "question": {"type": "string", "description": "what the user has to answer"},
            },
            "required": ["kind", "reason"],
        })),
    };
    tools.iter().map(definition).chain([give_up]).collect()
}

fn definition(tool: &ToolSpec) -> ToolDefinition {
    let mut parameters = Arc::clone(&tool.arguments);
    if tool.output_is_answer
        && let Some(properties) =
            Arc::make_mut(&mut parameters).pointer_mut("/properties").and_then(Value::as_object_mut)
    {
        properties.insert(IS_ANSWER.to_owned(), json!({"type": "boolean"}));
    }
    ToolDefinition { name: tool.name.to_string(), description: tool.summary.clone(), parameters }
}

/// Estimated tokens that the definitions take in each prompt.
pub(super) fn tokens(tools: &[ToolDefinition]) -> u64 {
    let text = |tool: &ToolDefinition| format!("{} {} {}", tool.name, tool.description, tool.parameters);
    tools.iter().map(|tool| estimate_tokens(&text(tool))).sum()
}

/// Parses a call of the model.
pub(super) fn read(call: ToolUse, tools: &[ToolSpec]) -> Read {
    let ToolUse { id, name, arguments } = call;
    let text = if arguments.trim().is_empty() { "{}" } else { &arguments };
    let mut arguments: Arguments = match serde_json::from_str(text) {
        Ok(arguments) => arguments,
        Err(error) => {
            let problem = format!(
                "The arguments of {name} are no JSON object ({error}); nothing was called. Write them again."
            );
            return Read::Unreadable { id, problem };
        }
    };
    if name == GIVE_UP {
        return match serde_json::from_value(Value::Object(arguments)) {
            Ok(gave_up) => Read::GiveUp { id, gave_up },
            Err(error) => {
                Read::Unreadable { id, problem: format!("{GIVE_UP} needs a kind and a reason: {error}.") }
            }
        };
    }
    let may = tools.iter().any(|tool| tool.name.as_str() == name && tool.output_is_answer);
    let declared = if may { arguments.remove(IS_ANSWER) } else { None };
    let is_answer = declared.and_then(|value| value.as_bool()).unwrap_or(false);
    Read::Call(Wanted { id, tool: ToolName::new(name), arguments, is_answer })
}
