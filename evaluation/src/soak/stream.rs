//! An answer of a model as the events of a stream, in both wire formats, so that a kind of fault can change single ones.

use serde_json::{Value, json};

use super::{
    call::Wire,
    reply::{Act, Reply},
};

/// What a model says in one answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Completion {
    /// In words.
    pub text: String,
    /// The calls.
    pub calls: Vec<ToolCall>,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ToolCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments.
    pub arguments: Value,
}

impl Completion {
    /// Words alone.
    pub(super) fn words(text: impl Into<String>) -> Self {
        Self { text: text.into(), calls: Vec::new() }
    }

    /// One call.
    pub(super) fn call(id: impl Into<String>, name: &str, arguments: Value) -> Self {
        let call = ToolCall { id: id.into(), name: name.to_owned(), arguments };
        Self { text: String::new(), calls: vec![call] }
    }

    /// Its events.
    pub(super) fn stream(&self, wire: Wire, prompt_bytes: usize) -> Stream {
        // About four bytes a token.
        let usage = (prompt_bytes / 4, (self.text.len() / 4).max(5));
        match wire {
            Wire::Chat => self.chat(usage),
            Wire::Messages => self.messages(usage),
        }
    }

    fn chat(&self, (prompt, completion): (usize, usize)) -> Stream {
        let mut content = Vec::new();
        if !self.text.is_empty() {
            content.push(delta(json!({"role": "assistant", "content": self.text})));
        }
        for (index, call) in self.calls.iter().enumerate() {
            let text = call.arguments.to_string();
            content.push(piece(Some(index), Some(&call.id), Some(&call.name), Some(&text)));
        }
        let reason = if self.calls.is_empty() { "stop" } else { "tool_calls" };
        let usage = json!({"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt.saturating_add(completion)});
        Stream {
            wire: Wire::Chat,
            opening: Vec::new(),
            content,
            end: vec![finish(json!(reason))],
            usage: Some(usage),
            is_marked: true,
        }
    }

    fn messages(&self, (prompt, completion): (usize, usize)) -> Stream {
        let opening = json!({"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "claude-test",
            "content": [], "stop_reason": null, "usage": {"input_tokens": prompt, "output_tokens": 1}}});
        let mut content = Vec::new();
        let mut block = |begun: Value, delta: Value| {
            let index = content.len() / 3;
            content.push(json!({"type": "content_block_start", "index": index, "content_block": begun}));
            content.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
            content.push(json!({"type": "content_block_stop", "index": index}));
        };
        if !self.text.is_empty() {
            block(json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": self.text}));
        }
        for call in &self.calls {
            block(
                json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}),
                json!({"type": "input_json_delta", "partial_json": call.arguments.to_string()}),
            );
        }
        let reason = if self.calls.is_empty() { "end_turn" } else { "tool_use" };
        Stream {
            wire: Wire::Messages,
            opening: vec![opening],
            content,
            end: vec![stop(json!(reason))],
            usage: Some(json!({"output_tokens": completion})),
            is_marked: true,
        }
    }
}

/// A chunk of chat completions with this delta.
pub(super) fn delta(delta: Value) -> Value {
    chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]))
}

/// A piece of a call of a tool, with what of it this piece has.
pub(super) fn piece(
    index: Option<usize>,
    id: Option<&str>,
    name: Option<&str>,
    arguments: Option<&str>,
) -> Value {
    let mut function = serde_json::Map::new();
    function.extend(name.map(|name| ("name".to_owned(), json!(name))));
    function.extend(arguments.map(|arguments| ("arguments".to_owned(), json!(arguments))));
    let mut call = serde_json::Map::new();
    call.extend(index.map(|index| ("index".to_owned(), json!(index))));
    call.extend(id.map(|id| ("id".to_owned(), json!(id))));
    call.insert("type".to_owned(), json!("function"));
    call.insert("function".to_owned(), Value::Object(function));
    delta(json!({"tool_calls": [call]}))
}

/// The end of an answer in chat completions, with this reason.
pub(super) fn finish(reason: Value) -> Value {
    chunk(json!([{"index": 0, "delta": {}, "finish_reason": reason}]))
}

/// The end of an answer in Messages, with this reason.
pub(super) fn stop(reason: Value) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}})
}

fn chunk(choices: Value) -> Value {
    json!({"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "soak", "choices": choices})
}

/// The events of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stream {
    /// The format.
    pub wire: Wire,
    /// What comes before the content.
    pub opening: Vec<Value>,
    /// The content.
    pub content: Vec<Value>,
    /// The event with the reason of the end.
    pub end: Vec<Value>,
    /// The counts.
    pub usage: Option<Value>,
    /// Whether the end of the stream is marked.
    pub is_marked: bool,
}

impl Stream {
    /// Gives the answer this reason of its end.
    pub(super) fn ends(&mut self, reason: Value) {
        self.end = match self.wire {
            Wire::Chat => vec![finish(reason)],
            Wire::Messages => vec![stop(reason)],
        };
    }

    /// The events as bytes.
    pub(super) fn events(&self) -> Vec<Vec<u8>> {
        let mut all: Vec<Vec<u8>> = self.opening.iter().chain(&self.content).map(event).collect();
        match self.wire {
            Wire::Chat => {
                all.extend(self.end.iter().map(event));
                if let Some(usage) = &self.usage {
                    let mut last = chunk(json!([]));
                    insert(&mut last, "usage", usage);
                    all.push(event(&last));
                }
                all.extend(self.is_marked.then(|| b"data: [DONE]\n\n".to_vec()));
            }
            Wire::Messages => {
                for end in &self.end {
                    let mut end = end.clone();
                    if let Some(usage) = &self.usage {
                        insert(&mut end, "usage", usage);
                    }
                    all.push(event(&end));
                }
                all.extend(self.is_marked.then(|| event(&json!({"type": "message_stop"}))));
            }
        }
        all
    }

    /// All bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.events().concat()
    }

    /// The ordinary reply.
    pub(super) fn reply(&self) -> Reply {
        Reply::stream(self.events().into_iter().map(Act::Send).collect())
    }
}

/// An event's bytes. Messages names its kind besides.
pub(super) fn event(value: &Value) -> Vec<u8> {
    match value.get("type").and_then(Value::as_str) {
        Some(kind) => format!("event: {kind}\ndata: {value}\n\n"),
        None => format!("data: {value}\n\n"),
    }
    .into_bytes()
}

fn insert(value: &mut Value, name: &str, item: &Value) {
    if let Some(object) = value.as_object_mut() {
        object.insert(name.to_owned(), item.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_the_form_of_its_wire() {
        let said = Completion::call("c1", "shell", json!({"command": "ls"}));
        let text = |wire| String::from_utf8(said.stream(wire, 400).bytes()).unwrap();
        let chat = text(Wire::Chat);
        assert!(chat.contains(r#""arguments":"{\"command\":\"ls\"}""#) && chat.ends_with("data: [DONE]\n\n"));
        assert!(chat.contains(r#""finish_reason":"tool_calls""#) && chat.contains(r#""prompt_tokens":100"#));
        let messages = text(Wire::Messages);
        assert!(messages.contains(r#""partial_json":"{\"command\":\"ls\"}""#), "{messages}");
        assert!(messages.contains(r#""stop_reason":"tool_use""#) && messages.contains("event: message_stop"));
    }
}
