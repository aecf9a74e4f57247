//! Encodes a conversation as Messages turns.

use artoo_llm_client::{Image, Message, MessageRole, ToolResult, ToolUse};
use serde_json::{Value, json};

use crate::anthropic::request::marked;
use crate::tool_call::{object, wrapped};

/// The turns of a conversation, the last `marks` of the user's marked for the cache. Consecutive turns of one
/// speaker are merged; blocks without content, which the provider refuses, are dropped.
pub(super) fn turns(messages: &[Message], marks: usize) -> Vec<Value> {
    let mut turns: Vec<(MessageRole, Vec<Value>)> = Vec::new();
    for message in messages {
        let blocks = match message.role {
            MessageRole::Assistant => assistant(message),
            MessageRole::User => user(message),
        };
        if blocks.is_empty() {
            continue;
        }
        match turns.last_mut() {
            Some((role, earlier)) if *role == message.role => earlier.extend(blocks),
            _ => turns.push((message.role, blocks)),
        }
    }
    let of_user = turns.iter_mut().rev().filter(|(role, _)| *role == MessageRole::User);
    for (number, (_, blocks)) in of_user.enumerate() {
        // The provider expects call results before anything else in the user's turn.
        blocks.sort_by_key(|block| block.get("type").is_none_or(|kind| kind != "tool_result"));
        if number < marks
            && let Some(last) = blocks.last_mut()
        {
            *last = marked(last.take());
        }
    }
    turns.into_iter().map(|(role, content)| json!({"role": name(role), "content": content})).collect()
}

const fn name(role: MessageRole) -> &'static str {
    match role {
        MessageRole::User => "user",
        MessageRole::Assistant => "assistant",
    }
}

fn assistant(message: &Message) -> Vec<Value> {
    let said: Vec<Value> = text(&message.content).into_iter().chain(message.calls.iter().map(call)).collect();
    // A turn may not end with thinking.
    if said.is_empty() { said } else { message.reasoning.iter().cloned().chain(said).collect() }
}

fn user(message: &Message) -> Vec<Value> {
    message.results.iter().map(result).chain(text(&message.content)).collect()
}

fn text(content: &str) -> Option<Value> {
    (!content.trim().is_empty()).then(|| json!({"type": "text", "text": content}))
}

fn call(call: &ToolUse) -> Value {
    let input = object(&call.arguments).unwrap_or_else(|| wrapped(&call.arguments));
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
}

fn result(result: &ToolResult) -> Value {
    let content: Vec<Value> =
        text(&result.content).into_iter().chain(result.images.iter().map(picture)).collect();
    let mut block = json!({"type": "tool_result", "tool_use_id": result.id, "content": content});
    if let Some(fields) = block.as_object_mut().filter(|_| result.is_error) {
        fields.insert("is_error".to_owned(), true.into());
    }
    block
}

fn picture(image: &Image) -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": image.media_type, "data": &*image.data}})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{conversation, result as result_of};

    fn thought() -> Value {
        json!({"type": "thinking", "thinking": "hm", "signature": "s"})
    }

    #[test]
    fn a_conversation_with_tools() {
        let mark = json!({"type": "ephemeral"});
        let source = json!({"type": "base64", "media_type": "image/png", "data": "QUJD"});
        let expected = json!([
            {"role": "user", "content": [{"type": "text", "text": "Which colour?", "cache_control": mark}]},
            {"role": "assistant", "content": [
                thought(),
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "a", "name": "look", "input": {"at": "x.png"}},
                {"type": "tool_use", "id": "b", "name": "look", "input": {"_text": "{\"at\": "}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": [
                    {"type": "text", "text": "1 picture"}, {"type": "image", "source": source},
                ]},
                {"type": "tool_result", "tool_use_id": "b", "is_error": true, "content": [
                    {"type": "text", "text": "The arguments are no JSON."},
                ]},
                {"type": "text", "text": "Go on.", "cache_control": mark},
            ]},
        ]);
        assert_eq!(Value::from(turns(&conversation(thought()).messages, 2)), expected);
    }

    #[test]
    fn results_come_first_and_empty_turns_are_left_out() {
        let request = conversation(thought());
        let silent = Message { reasoning: vec![thought()], ..Message::assistant(" ") };
        let messages = [
            request.messages[1].clone(),
            Message::user("Wait."),
            silent,
            Message::results(vec![result_of("a", "")]),
        ];
        let turns = turns(&messages, 0);
        assert_eq!(turns.len(), 2);
        let expected = json!([
            {"type": "tool_result", "tool_use_id": "a", "content": []},
            {"type": "text", "text": "Wait."},
        ]);
        assert_eq!(turns[1]["content"], expected);
    }
}
