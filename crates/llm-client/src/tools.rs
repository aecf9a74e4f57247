//! Tool calls for servers without tool support: tools are described in the prompt, and calls are parsed from
//! the text.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{Message, Request, ToolDefinition, ToolUse, Want, extract_json, strip_reasoning};

/// The request for a model whose server takes no tools: they are described at the end of the constant part,
/// and earlier calls and their results become text. A request without any of these is unchanged.
/// ```
/// use std::sync::Arc;
/// use artoo_llm_client::{Request, ToolDefinition, with_tools_in_prompt};
///
/// let look = ToolDefinition {
///     name: "look".into(),
///     description: "looks".into(),
///     parameters: Arc::new(serde_json::json!({"type": "object"})),
/// };
/// let request = Request::new("test", "Work.", "Look.").with_tools(Arc::new([look]));
/// let told = with_tools_in_prompt(&request);
/// assert!(told.tools.is_empty() && told.system.contains("- look: looks"));
/// ```
pub fn with_tools_in_prompt(request: &Request) -> Cow<'_, Request> {
    let has_none = |message: &Message| message.calls.is_empty() && message.results.is_empty();
    if request.tools.is_empty() && request.messages.iter().all(has_none) {
        return Cow::Borrowed(request);
    }
    let system =
        if request.tools.is_empty() { Arc::clone(&request.system) } else { described(request).into() };
    Cow::Owned(Request {
        system,
        messages: request.messages.iter().map(as_text).collect(),
        tools: Arc::new([]),
        ..request.clone()
    })
}

fn described(request: &Request) -> String {
    let mut system = request.system.to_string();
    let gap = if system.is_empty() { "" } else { "\n\n" };
    // Writing to a string cannot fail.
    let _ = writeln!(system, "{gap}Tools, each with the JSON Schema of its arguments:");
    for tool in request.tools.iter() {
        let _ = writeln!(system, "- {}: {} {}", tool.name, tool.description, tool.parameters);
    }
    system.push_str(
        "To call a tool, answer with one JSON object and nothing else: {\"tool\": NAME, \"arguments\": {...}}. To end, answer in words.",
    );
    system
}

fn as_text(message: &Message) -> Message {
    let mut content = message.content.clone();
    let mut add = |text: String| {
        if !content.is_empty() {
            content.push_str("\n\n");
        }
        content.push_str(&text);
    };
    for call in &message.calls {
        let arguments = serde_json::from_str::<Value>(&call.arguments)
            .unwrap_or_else(|_| Value::String(call.arguments.clone()));
        add(serde_json::json!({"tool": call.name, "arguments": arguments}).to_string());
    }
    for result in &message.results {
        add(result.content.clone());
    }
    Message { role: message.role, ..Message::user(content) }
}

/// Parses a text that consists only of tool calls: one JSON object, or a list of them, each with the name of
/// an offered tool. Models write calls like this if their server passes them through as text. `None` if the
/// text is anything else.
/// ```
/// use std::sync::Arc;
/// use artoo_llm_client::{ToolDefinition, calls_in_text};
///
/// let look = ToolDefinition { name: "look".into(), description: String::new(), parameters: Arc::default() };
/// let calls = calls_in_text("```json\n{\"name\": \"look\", \"parameters\": {\"at\": \"a\"}}\n```", &[look.clone()]).unwrap();
/// assert_eq!(calls[0].arguments, "{\"at\":\"a\"}");
/// assert_eq!(calls_in_text("I would call {\"name\": \"look\"} now.", &[look]), None);
/// ```
pub fn calls_in_text(text: &str, tools: &[ToolDefinition]) -> Option<Vec<ToolUse>> {
    let text = strip_reasoning(text);
    let text = unfenced_block(text.trim());
    let value = match serde_json::from_str::<Value>(text) {
        Ok(value) => value,
        Err(_) => extract_json(text, Want::Any).ok().filter(|found| found.alone)?.value,
    };
    let objects = match value {
        Value::Array(list) => list,
        Value::Object(_) => vec![value],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
    };
    let calls: Option<Vec<ToolUse>> =
        (1..).zip(objects).map(|(number, object)| call(number, object, tools)).collect();
    calls.filter(|calls| !calls.is_empty())
}

fn call(number: usize, object: Value, tools: &[ToolDefinition]) -> Option<ToolUse> {
    let Value::Object(mut fields) = object else { return None };
    // Some wrap it once more, as their wire format does.
    if let Some(Value::Object(inner)) = fields.remove("function") {
        fields = inner;
    }
    let name = ["tool", "name"].into_iter().find_map(|key| fields.get(key)?.as_str()).map(str::to_owned)?;
    tools.iter().find(|tool| tool.name == name)?;
    let given = ["arguments", "parameters", "input"].into_iter().find_map(|key| fields.remove(key));
    let mut arguments = match given {
        Some(Value::Object(arguments)) => arguments,
        Some(Value::String(text)) => {
            return Some(ToolUse { id: format!("text_{number}"), name, arguments: text });
        }
        None => Map::new(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_)) => return None,
    };
    // A field beside the arguments is an argument placed one level too high.
    arguments.extend(
        fields.into_iter().filter(|(key, _)| !matches!(key.as_str(), "tool" | "name" | "type" | "id")),
    );
    Some(ToolUse { id: format!("text_{number}"), name, arguments: Value::Object(arguments).to_string() })
}

/// The content of a text that is one fenced block.
fn unfenced_block(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.and_then(|inner| inner.split_once('\n')).map_or(text, |(_, body)| body.trim())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::ToolResult;

    fn tools() -> Arc<[ToolDefinition]> {
        let tool = |name: &str| ToolDefinition {
            name: name.to_owned(),
            description: "does it".to_owned(),
            parameters: Arc::new(json!({"type": "object"})),
        };
        Arc::new([tool("look"), tool("edit")])
    }

    #[test]
    fn calls_as_models_write_them() {
        let read = |text: &str| {
            calls_in_text(text, &tools()).map(|calls| {
                calls.into_iter().map(|call| (call.id, call.name, call.arguments)).collect::<Vec<_>>()
            })
        };
        let one = |arguments: &str| Some(vec![("text_1".into(), "look".into(), arguments.to_owned())]);
        assert_eq!(read(r#"{"tool": "look", "arguments": {"at": 1}}"#), one(r#"{"at":1}"#));
        assert_eq!(read(r#"{"name": "look", "arguments": "{\"at\": 1}"}"#), one(r#"{"at": 1}"#));
        assert_eq!(
            read(r#"{"type": "function", "function": {"name": "look", "parameters": {}}}"#),
            one("{}")
        );
        assert_eq!(
            read(r#"{"tool": "look", "arguments": {}, "output_is_answer": true}"#),
            one(r#"{"output_is_answer":true}"#)
        );
        assert_eq!(read("<think>hm</think>\n{\"tool\": \"look\"}"), one("{}"));
        let two = read(r#"[{"tool": "look"}, {"tool": "edit"}]"#).unwrap();
        assert_eq!((two.len(), two[1].0.as_str()), (2, "text_2"));
        for text in
            ["", "{}", "[]", "3", r#"{"tool": "other"}"#, r#"{"answer": "3"}"#, r#"Here: {"tool": "look"}"#]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_conversation_becomes_text() {
        let mut request = Request::new("test", "Work.", "Look.").with_tools(tools());
        let call = ToolUse { id: "a".into(), name: "look".into(), arguments: "{\"at\":1}".into() };
        request.messages.push(Message { calls: vec![call], ..Message::assistant("First I look.") });
        let result =
            ToolResult { id: "a".into(), content: "It is blue.".into(), is_error: false, images: Vec::new() };
        request.messages.push(Message::results(vec![result]));
        let told = with_tools_in_prompt(&request);
        let contents: Vec<&str> = told.messages.iter().map(|message| message.content.as_str()).collect();
        assert_eq!(
            contents,
            ["Look.", "First I look.\n\n{\"tool\":\"look\",\"arguments\":{\"at\":1}}", "It is blue."]
        );
        assert!(told.messages.iter().all(|message| message.calls.is_empty() && message.results.is_empty()));
        let later = Request { tools: Arc::new([]), ..request.clone() };
        let expected = Request { system: later.system.clone(), ..told.clone().into_owned() };
        assert_eq!(*with_tools_in_prompt(&later), expected, "without tools, only what came of them is text");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_not(text in "(\\{|\\}|\"tool\"|\"look\"|:|,|\\[|\\]|```|\n|[a-z]){0,16}") {
            let _ = calls_in_text(&text, &tools());
        }
    }
}
