//! Test fixture: a conversation with every feature that a wire format has to encode.

use std::sync::Arc;

use artoo_llm_client::{Image, Message, Request, ToolDefinition, ToolResult, ToolUse};
use proptest::sample::Index;
use serde_json::{Value, json};

pub(crate) fn look() -> ToolDefinition {
    ToolDefinition { name: "look".into(), description: "Looks.".into(), parameters: Arc::new(parameters()) }
}

pub(crate) fn parameters() -> Value {
    json!({"type": "object", "properties": {"at": {"type": "string"}}})
}

pub(crate) fn call(id: &str, arguments: &str) -> ToolUse {
    ToolUse { id: id.into(), name: "look".into(), arguments: arguments.into() }
}

pub(crate) fn result(id: &str, content: &str) -> ToolResult {
    ToolResult { id: id.into(), content: content.into(), is_error: false, images: Vec::new() }
}

/// A turn with text, thinking and two calls, one of them malformed; a turn with both results, one of them a
/// picture; and a following text of the user.
pub(crate) fn conversation(thought: Value) -> Request {
    let mut request = Request::new("test", "Work.", "Which colour?").with_tools(Arc::new([look()]));
    let picture = Image { media_type: "image/png".into(), data: "QUJD".into() };
    request.messages.extend([
        Message {
            calls: vec![call("a", "{\"at\": \"x.png\"}"), call("b", "{\"at\": ")],
            reasoning: vec![thought],
            ..Message::assistant("I look.")
        },
        Message::results(vec![
            ToolResult { images: vec![picture], ..result("a", "1 picture") },
            ToolResult { is_error: true, ..result("b", "The arguments are no JSON.") },
        ]),
        Message::user("Go on."),
    ]);
    request
}

/// A text cut into pieces at these places; at least one piece.
pub(crate) fn pieces<'a>(text: &'a str, cuts: &[Index]) -> Vec<&'a str> {
    let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| *cut.get(&borders)).chain([0, text.len()]).collect();
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}
