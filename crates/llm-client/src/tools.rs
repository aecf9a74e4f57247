//! Tools for servers without tool support: they are described in the prompt, and calls and results become text.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value;

use crate::{Message, Request};

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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{ToolDefinition, ToolResult, ToolUse};

    fn tools() -> Arc<[ToolDefinition]> {
        let tool = |name: &str| ToolDefinition {
            name: name.to_owned(),
            description: "does it".to_owned(),
            parameters: Arc::new(json!({"type": "object"})),
        };
        Arc::new([tool("look"), tool("edit")])
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
}
