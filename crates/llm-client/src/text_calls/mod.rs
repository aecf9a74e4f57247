//! Tool calls that stand in a model's text: as JSON, because the server takes no tools, or in the model's own
//! syntax, because the server has no parser for it and passes it through.

mod mark;
mod markup;
mod python;

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::{ToolDefinition, ToolUse, strip_reasoning};
use mark::{next_mark, token};
use markup::Cursor;

/// The calls in a text, and what it says besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextCalls {
    /// The words around the calls.
    pub text: String,
    /// The calls, in the model's order.
    pub calls: Vec<ToolUse>,
}

/// Reads the tool calls in a text. `None` if it has none that can be read.
///
/// A text that consists only of JSON is one call or a list of them. Besides, a text may have calls in the
/// syntax that a model was trained on (Hermes, Qwen, Llama, Mistral, DeepSeek, GLM, Kimi, Harmony and
/// others): behind a special token, in tags, or with the name before the arguments. Only names of offered
/// tools are calls, and never anything in a code block, in code quotes, in a quotation, or between the fences
/// of foreign data. A text of which one call cannot be read has none: see [`looks_like_calls`].
/// ```
/// use std::sync::Arc;
/// use artoo_llm_client::{ToolDefinition, calls_in_text};
///
/// let look = ToolDefinition { name: "look".into(), description: String::new(), parameters: Arc::default() };
/// let read = |text: &str| calls_in_text(text, &[look.clone()]);
/// let found = read("```json\n{\"name\": \"look\", \"parameters\": {\"at\": \"a\"}}\n```").unwrap();
/// assert_eq!(found.calls[0].arguments, "{\"at\":\"a\"}");
/// let found = read("I look.\n<tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call>").unwrap();
/// assert_eq!((found.text.as_str(), found.calls.len()), ("I look.", 1));
/// assert_eq!(read("I would call {\"name\": \"look\"} now."), None);
/// assert_eq!(read("`<tool_call>{\"name\": \"look\"}</tool_call>` is how Qwen does it."), None);
/// ```
pub fn calls_in_text(text: &str, tools: &[ToolDefinition]) -> Option<TextCalls> {
    match read(text, tools) {
        Outcome::Calls(found) => Some(found),
        Outcome::Nothing | Outcome::Unreadable => None,
    }
}

/// Whether a text has the marks of a tool call, of which [`calls_in_text`] can make none: the server that sent it has
/// no parser for the calls of its model, and neither has artoo.
/// ```
/// use std::sync::Arc;
/// use artoo_llm_client::{ToolDefinition, looks_like_calls};
///
/// let look = ToolDefinition { name: "look".into(), description: String::new(), parameters: Arc::default() };
/// assert!(looks_like_calls("<tool_call>look somewhere</tool_call>", &[look.clone()]));
/// assert!(!looks_like_calls("I have looked.", &[look]));
/// ```
pub fn looks_like_calls(text: &str, tools: &[ToolDefinition]) -> bool {
    read(text, tools) == Outcome::Unreadable
}

/// No answer has more marks; a hostile text may.
const MAX_MARKS: usize = 1_000;

/// What a text was read as.
#[derive(Debug, PartialEq)]
enum Outcome {
    Nothing,
    Calls(TextCalls),
    Unreadable,
}

fn read(text: &str, tools: &[ToolDefinition]) -> Outcome {
    if tools.is_empty() {
        return Outcome::Nothing;
    }
    let text = strip_reasoning(text);
    if let Some(calls) = alone(text.trim(), tools) {
        return numbered(String::new(), calls);
    }
    let (mut said, mut calls) = (String::new(), Vec::new());
    let mut rest: &str = &text;
    let mut marks = 0;
    while let Some(mark) = next_mark(rest) {
        // Each mark may take a pass over the rest of the text.
        marks += 1;
        if marks > MAX_MARKS {
            return Outcome::Unreadable;
        }
        let (before, marked) = rest.split_at_checked(mark.at).unwrap_or((rest, ""));
        let mut cursor = Cursor::new(marked);
        let mut found = cursor.calls(tools);
        // In the middle of a line, a call is one only at the end of the text: else it is talked about.
        let is_call = !found.is_empty() && (mark.begins_line || cursor.rest().trim().is_empty());
        if is_call && !cursor.is_broken() {
            said.push_str(before);
            calls.append(&mut found);
            rest = cursor.rest();
        } else if mark.is_sure && (mark.begins_line || found.is_empty() && Cursor::new(marked).is_json()) {
            return Outcome::Unreadable;
        } else {
            // A call that is talked about is passed over whole: a mark within it begins no line.
            let end = if found.is_empty() { mark.at + mark.length } else { rest.len() - cursor.rest().len() };
            let (talk, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            said.push_str(talk);
            rest = after;
        }
    }
    said.push_str(rest);
    if calls.is_empty() {
        return Outcome::Nothing;
    }
    numbered(said.trim().to_owned(), calls)
}

/// The calls, with ids in their order: nine letters and digits, which every provider takes.
fn numbered(text: String, mut calls: Vec<ToolUse>) -> Outcome {
    for (number, call) in (1..).zip(&mut calls) {
        call.id = format!("text{number:05}");
    }
    Outcome::Calls(TextCalls { text, calls })
}

/// The calls of a text that consists only of them: one JSON object or a list, perhaps in one fenced block, or the
/// calls of a program in a list.
fn alone(text: &str, tools: &[ToolDefinition]) -> Option<Vec<ToolUse>> {
    let text = unfenced_block(without_ends(text));
    match serde_json::from_str::<Value>(text) {
        Ok(value) => objects(value, tools),
        Err(_) => {
            python::calls(text, tools).filter(|(_, rest)| rest.trim().is_empty()).map(|(calls, _)| calls)
        }
    }
}

/// The calls that a JSON value is: an object, or a list of them.
fn objects(value: Value, tools: &[ToolDefinition]) -> Option<Vec<ToolUse>> {
    let objects = match value {
        Value::Array(list) => list,
        Value::Object(_) => vec![value],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
    };
    let calls: Option<Vec<ToolUse>> = objects.into_iter().map(|object| call(object, tools)).collect();
    calls.filter(|calls| !calls.is_empty())
}

fn call(object: Value, tools: &[ToolDefinition]) -> Option<ToolUse> {
    let Value::Object(mut fields) = object else { return None };
    // Some wrap it once more, as their wire format does.
    if let Some(Value::Object(inner)) = fields.remove("function") {
        fields = inner;
    }
    let name = ["tool", "name"].into_iter().find_map(|key| fields.get(key)?.as_str()).map(str::to_owned)?;
    let name = offered(&name, tools)?.name.clone();
    let given = ["arguments", "parameters", "input"].into_iter().find_map(|key| fields.remove(key));
    let mut arguments = match given {
        Some(Value::Object(arguments)) => arguments,
        Some(Value::String(text)) => return Some(ToolUse { id: String::new(), name, arguments: text }),
        None => Map::new(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_)) => return None,
    };
    // A field beside the arguments is an argument placed one level too high.
    arguments.extend(
        fields.into_iter().filter(|(key, _)| !matches!(key.as_str(), "tool" | "name" | "type" | "id")),
    );
    Some(made(name, arguments))
}

/// A call without its id, which depends on the calls before it.
fn made(name: String, arguments: Map<String, Value>) -> ToolUse {
    ToolUse { id: String::new(), name, arguments: Value::Object(arguments).to_string() }
}

/// The offered tool of this name, perhaps with what models put around it: a namespace, and the number of the call.
fn offered<'a>(name: &str, tools: &'a [ToolDefinition]) -> Option<&'a ToolDefinition> {
    let name = name.trim();
    let bare = name.split_once(':').filter(|(_, number)| number.bytes().all(|c| c.is_ascii_digit()));
    let bare = bare.map_or(name, |(bare, _)| bare);
    let is = |tool: &&ToolDefinition| {
        [name, bare]
            .into_iter()
            .any(|name| tool.name == name || name.strip_prefix("functions.") == Some(&tool.name))
    };
    tools.iter().find(is)
}

/// An argument in words, as the tool's schema wants it: a number, a list and the like are read as JSON.
fn typed(text: &str, tool: &ToolDefinition, field: &str) -> Value {
    let kinds = tool.parameters.pointer("/properties").and_then(|fields| fields.get(field)?.get("type"));
    let is_text = match kinds {
        Some(Value::String(kind)) => kind == "string",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "string"),
        _ => true,
    };
    if is_text {
        return text.to_owned().into();
    }
    let text = text.trim();
    let parse = |text: Cow<'_, str>| serde_json::from_str::<Value>(&text).ok();
    // `True`, as Python writes it.
    let parsed = parse(text.into()).or_else(|| parse(text.to_ascii_lowercase().into()));
    parsed.unwrap_or_else(|| text.to_owned().into())
}

/// JSON without what ends a call or a turn behind it. The server may have taken the opening mark for itself.
fn without_ends(text: &str) -> &str {
    let mut text = text;
    while text.starts_with(['{', '['])
        && let Some(at) = text.rfind('<')
        && text
            .get(at..)
            .is_some_and(|end| end.starts_with("</") && end.ends_with('>') || token(end) == Some(end.len()))
    {
        text = text.get(..at).unwrap_or_default().trim_end();
    }
    text
}

/// The content of a text that is one fenced block.
fn unfenced_block(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.and_then(|inner| inner.split_once('\n')).map_or(text, |(_, body)| body.trim())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
