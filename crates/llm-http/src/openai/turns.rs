//! Encodes a conversation as chat completions messages.

use std::borrow::Cow;

use artoo_llm_client::{Image, Message, MessageRole, Request, ToolDefinition, ToolUse};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::openai::reasoning::extras;
use crate::tool_call::{object, wrapped};

/// The request's constant part and its turns.
pub(super) fn turns(request: &Request) -> Vec<Turn<'_>> {
    let system = (!request.system.is_empty()).then(|| Turn::of("system", &request.system));
    system.into_iter().chain(request.messages.iter().flat_map(turns_of)).collect()
}

/// The offered tools.
pub(super) fn tools(tools: &[ToolDefinition]) -> Vec<Tool<'_>> {
    tools.iter().map(described).collect()
}

fn described(tool: &ToolDefinition) -> Tool<'_> {
    let ToolDefinition { name, description, parameters } = tool;
    Tool { kind: "function", function: Described { name, description, parameters } }
}

#[derive(Serialize)]
pub(super) struct Turn<'a> {
    role: &'static str,
    content: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasoning_details: Vec<&'a Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Called<'a>,
    /// What the server sent with it and wants back.
    #[serde(flatten)]
    extra: Option<&'a Map<String, Value>>,
}

#[derive(Serialize)]
struct Called<'a> {
    name: &'a str,
    arguments: Cow<'a, str>,
}

#[derive(Serialize)]
pub(super) struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: Described<'a>,
}

#[derive(Serialize)]
struct Described<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

impl<'a> Turn<'a> {
    fn of(role: &'static str, content: &'a str) -> Self {
        Self {
            role,
            content: Some(Content::Text(content)),
            reasoning_content: None,
            reasoning_details: Vec::new(),
            tool_calls: Vec::new(),
            tool_call_id: None,
        }
    }
}

fn turns_of(message: &Message) -> Vec<Turn<'_>> {
    match message.role {
        MessageRole::Assistant => vec![assistant(message)],
        MessageRole::User => user(message),
    }
}

fn assistant(message: &Message) -> Turn<'_> {
    let tool_calls: Vec<Call<'_>> = message
        .calls
        .iter()
        .enumerate()
        .map(|(place, call)| called(call, extras(&message.reasoning, place)))
        .collect();
    let has_content = tool_calls.is_empty() || !message.content.is_empty();
    Turn {
        content: has_content.then_some(Content::Text(&message.content)),
        reasoning_content: message.reasoning.iter().find_map(Value::as_str),
        reasoning_details: message.reasoning.iter().filter(|thought| thought.is_object()).collect(),
        tool_calls,
        ..Turn::of("assistant", "")
    }
}

fn called<'a>(call: &'a ToolUse, extra: Option<&'a Map<String, Value>>) -> Call<'a> {
    // Servers parse the arguments for their templates, and fail if they are not an object.
    let arguments = match object(&call.arguments) {
        Some(_) => Cow::Borrowed(call.arguments.as_str()),
        None => Cow::Owned(wrapped(&call.arguments).to_string()),
    };
    Call { id: &call.id, kind: "function", function: Called { name: &call.name, arguments }, extra }
}

/// Results are separate turns. Their pictures, which such a turn cannot contain, follow in the user's turn.
fn user(message: &Message) -> Vec<Turn<'_>> {
    let mut turns: Vec<Turn<'_>> = message
        .results
        .iter()
        .map(|result| Turn { tool_call_id: Some(&result.id), ..Turn::of("tool", &result.content) })
        .collect();
    let pictured = message.results.iter().filter(|result| !result.images.is_empty());
    let mut parts: Vec<Part<'_>> = pictured
        .flat_map(|result| {
            let heading = Part::Text { text: format!("Of the result of {}:", result.id).into() };
            std::iter::once(heading).chain(result.images.iter().map(picture))
        })
        .collect();
    if parts.is_empty() {
        if turns.is_empty() || !message.content.is_empty() {
            turns.push(Turn::of("user", &message.content));
        }
        return turns;
    }
    if !message.content.is_empty() {
        parts.push(Part::Text { text: message.content.as_str().into() });
    }
    turns.push(Turn { content: Some(Content::Parts(parts)), ..Turn::of("user", "") });
    turns
}

fn picture<'a>(image: &Image) -> Part<'a> {
    Part::ImageUrl { image_url: ImageUrl { url: format!("data:{};base64,{}", image.media_type, image.data) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{conversation, parameters};
    use serde_json::json;

    #[test]
    fn a_conversation_with_tools() {
        let thought = json!({"type": "reasoning.encrypted", "data": "x", "index": 0});
        let request = conversation(thought.clone());
        let called = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "look", "arguments": arguments}});
        let expected = json!([
            {"role": "system", "content": "Work."},
            {"role": "user", "content": "Which colour?"},
            {"role": "assistant", "content": "I look.", "reasoning_details": [thought],
             "tool_calls": [called("a", "{\"at\": \"x.png\"}"), called("b", "{\"_text\":\"{\\\"at\\\": \"}")]},
            {"role": "tool", "tool_call_id": "a", "content": "1 picture"},
            {"role": "tool", "tool_call_id": "b", "content": "The arguments are no JSON."},
            {"role": "user", "content": [
                {"type": "text", "text": "Of the result of a:"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
            ]},
            {"role": "user", "content": "Go on."},
        ]);
        assert_eq!(serde_json::to_value(turns(&request)).unwrap(), expected);
        let offered = json!([{"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": parameters()}}]);
        assert_eq!(serde_json::to_value(tools(&request.tools)).unwrap(), offered);
    }

    #[test]
    fn calls_without_words_have_no_content_and_plain_thoughts_go_back() {
        let mut message = conversation(json!("hm")).messages.remove(1);
        message.content.clear();
        message.calls.truncate(1);
        let expected = json!({"role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{\"at\": \"x.png\"}"}},
        ]});
        assert_eq!(serde_json::to_value(assistant(&message)).unwrap(), expected);
    }
}
