//! Tool definitions as sent to the model, with those that ask the user and give up, and parsing of the model's calls.

use std::sync::Arc;

use artoo_llm_client::{ToolDefinition, ToolUse, estimate_tokens};
use artoo_types::{Arguments, GaveUp, ToolName};
use serde_json::{Value, json};

use super::Wanted;
use crate::endings::{ASK_USER, ASKING, GIVE_UP, GIVING_UP, asking, gave_up, unanswered};
use crate::{ToolSpec, User};

/// The argument that marks a call's output as the answer.
pub(super) const IS_ANSWER: &str = "output_is_answer";
/// What it means.
const IS_ANSWER_MEANS: &str =
    "true only if the output alone is the complete, short answer; the step ends with it";
/// The argument of [`GIVE_UP`] that says why.
const REASON: &str = "reason";
/// The argument of [`ASK_USER`].
const QUESTION: &str = "question";

/// A parsed call.
#[derive(Debug, PartialEq)]
pub(super) enum Read {
    /// A call to make.
    Call(Wanted),
    /// The model asks the user or gives up.
    GiveUp { id: String, gave_up: GaveUp },
    /// The call is invalid; the model is told why.
    Unreadable { id: String, problem: String },
}

/// The definitions of the tools, and of the ways to end a step without an answer.
pub(super) fn definitions(tools: &[ToolSpec], user: User) -> Arc<[ToolDefinition]> {
    let ending = |name: &str, description: &str, parameters| ToolDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: Arc::new(parameters),
    };
    let ask = match user {
        User::Present => Some(ending(ASK_USER, ASKING, asking(QUESTION))),
        User::Absent => None,
    };
    let give_up = ending(GIVE_UP, GIVING_UP, user.giving_up(REASON));
    tools.iter().map(definition).chain(ask).chain([give_up]).collect()
}

fn definition(tool: &ToolSpec) -> ToolDefinition {
    let mut parameters = Arc::clone(&tool.arguments);
    if tool.output_is_answer
        && let Some(properties) =
            Arc::make_mut(&mut parameters).pointer_mut("/properties").and_then(Value::as_object_mut)
    {
        let declared = json!({"type": "boolean", "description": IS_ANSWER_MEANS});
        properties.insert(IS_ANSWER.to_owned(), declared);
    }
    ToolDefinition { name: tool.name.to_string(), description: tool.description.clone(), parameters }
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
                "The arguments of {name} are not a JSON object ({error}). Nothing was called; write them again."
            );
            return Read::Unreadable { id, problem };
        }
    };
    if name == GIVE_UP {
        return match gave_up(&arguments, REASON) {
            Some(gave_up) => Read::GiveUp { id, gave_up },
            None => {
                let problem = format!("{GIVE_UP} needs a {REASON} and a known kind. Nothing was done.");
                Read::Unreadable { id, problem }
            }
        };
    }
    if name == ASK_USER {
        let question = arguments.get(QUESTION).and_then(Value::as_str).map(str::trim).unwrap_or_default();
        if question.is_empty() {
            return Read::Unreadable {
                id,
                problem: format!("{ASK_USER} needs a {QUESTION}. Nobody was asked."),
            };
        }
        return Read::GiveUp { id, gave_up: unanswered(question) };
    }
    let tool = tools.iter().find(|tool| tool.name.as_str() == name);
    let may = tool.is_some_and(|tool| tool.output_is_answer);
    // Of a tool that has no such argument of its own it says nothing.
    let is_own = tool.is_some_and(|tool| {
        tool.arguments.pointer("/properties").is_some_and(|own| own.get(IS_ANSWER).is_some())
    });
    let declared = if is_own { None } else { arguments.remove(IS_ANSWER) };
    let declared = declared.filter(|_| may);
    let is_answer = declared.and_then(|value| value.as_bool()).unwrap_or(false);
    Read::Call(Wanted { id, tool: ToolName::new(name), arguments, is_answer })
}
