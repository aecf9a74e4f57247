//! Encodes a model's answer in both wire formats, streamed and whole.

use artoo_llm_client::ToolUse;
use serde_json::{Value, json};

use crate::doubles::Call;
use crate::doubles::reply::Said;

/// The content type and body of a model's answer to `call`.
pub(super) fn answer(call: &Call, said: &Said) -> (&'static str, String) {
    let stream = call.body.get("stream").and_then(Value::as_bool).unwrap_or(false);
    match (call.path.ends_with("/messages"), stream) {
        (false, true) => ("text/event-stream", chat_stream(said)),
        (false, false) => ("application/json", chat_whole(said).to_string()),
        (true, true) => ("text/event-stream", messages_stream(said)),
        (true, false) => ("application/json", messages_whole(said).to_string()),
    }
}

fn chat_stream(said: &Said) -> String {
    let chunk = |delta: Value| json!({"model": "mock", "choices": [{"index": 0, "delta": delta}]});
    let mut chunks = vec![chunk(json!({"role": "assistant", "content": said.text}))];
    for (index, call) in said.calls.iter().enumerate() {
        // Its arguments come in two pieces, since servers cut them anywhere.
        let half = call.arguments.chars().count() / 2;
        let first: String = call.arguments.chars().take(half).collect();
        let rest: String = call.arguments.chars().skip(half).collect();
        let begun = json!({"index": index, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": first}});
        chunks.push(chunk(json!({"tool_calls": [begun]})));
        chunks.push(chunk(json!({"tool_calls": [{"index": index, "function": {"arguments": rest}}]})));
    }
    chunks.push(
        json!({"model": "mock", "choices": [{"index": 0, "delta": {}, "finish_reason": finish(said)}]}),
    );
    if said.usage {
        chunks.push(
            json!({"model": "mock", "choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}}),
        );
    }
    let events: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    events + "data: [DONE]\n\n"
}

fn chat_whole(said: &Said) -> Value {
    let mut message = json!({"role": "assistant", "content": said.text});
    if !said.calls.is_empty() {
        let call = |call: &ToolUse| json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}});
        message = json!({"role": "assistant", "content": null, "tool_calls": said.calls.iter().map(call).collect::<Vec<_>>()});
    }
    let choice = json!({"index": 0, "message": message, "finish_reason": finish(said)});
    let usage = if said.usage { json!({"prompt_tokens": 10, "completion_tokens": 5}) } else { Value::Null };
    json!({"model": "mock", "choices": [choice], "usage": usage})
}

fn finish(said: &Said) -> &'static str {
    if said.calls.is_empty() { "stop" } else { "tool_calls" }
}

fn messages_stream(said: &Said) -> String {
    let counts = |count: Value| if said.usage { count } else { Value::Null };
    let mut events = vec![
        json!({"type": "message_start", "message": {"model": "mock", "usage": counts(json!({"input_tokens": 10, "output_tokens": 1}))}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": said.text}}),
    ];
    for (index, call) in (1..).zip(&said.calls) {
        let begun = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}});
        let delta = json!({"type": "input_json_delta", "partial_json": call.arguments});
        events.push(json!({"type": "content_block_start", "index": index, "content_block": begun}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop(said)}, "usage": counts(json!({"output_tokens": 5}))}));
    events.push(json!({"type": "message_stop"}));
    events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()))
        .collect()
}

fn messages_whole(said: &Said) -> Value {
    let input = |call: &ToolUse| serde_json::from_str::<Value>(&call.arguments).unwrap_or_else(|_| json!({}));
    let calls = said
        .calls
        .iter()
        .map(|call| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input(call)}));
    let content: Vec<Value> =
        std::iter::once(json!({"type": "text", "text": said.text})).chain(calls).collect();
    let usage = if said.usage { json!({"input_tokens": 10, "output_tokens": 5}) } else { Value::Null };
    json!({"model": "mock", "content": content, "stop_reason": stop(said), "usage": usage})
}

fn stop(said: &Said) -> &'static str {
    if said.calls.is_empty() { "end_turn" } else { "tool_use" }
}
