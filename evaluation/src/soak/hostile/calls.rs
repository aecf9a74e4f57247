//! Calls of tools: in pieces, twice, in another encoding, or wrong.

use serde_json::{Value, json};

use super::{Answer, Group, Kind, On, kind};
use crate::soak::{
    reply::Reply,
    stream::{Completion, ToolCall, delta, piece},
};

pub(super) const KINDS: &[Kind] = &[
    kind("call-twice", Group::Calls, On::Calls, |answer| {
        let twice = answer.said.calls.clone();
        answer.said.calls.extend(twice);
        answer.say(answer.said.clone());
        answer.stream.reply()
    }),
    kind("call-at-two-indexes", Group::Calls, On::ChatCalls, |answer| {
        let (id, name, arguments) = answer.first_call();
        let call = |index| piece(Some(index), Some(&id), Some(&name), Some(&arguments));
        answer.with(vec![call(0), call(1)])
    }),
    kind("call-in-pieces", Group::Calls, On::ChatCalls, |answer| {
        let (id, name, arguments) = answer.first_call();
        let mut content = vec![piece(Some(0), Some(&id), Some(&name), Some(""))];
        content.extend(characters(&arguments).map(|part| piece(Some(0), None, None, Some(&part))));
        answer.with(content)
    }),
    kind("call-whole-again", Group::Calls, On::ChatCalls, |answer| {
        let (id, name, arguments) = answer.first_call();
        let whole = || piece(Some(0), None, None, Some(&arguments));
        answer.with(vec![piece(Some(0), Some(&id), Some(&name), Some("")), whole(), whole()])
    }),
    kind("call-empty-first", Group::Calls, On::ChatCalls, |answer| {
        let (id, name, arguments) = answer.first_call();
        answer.with(vec![
            piece(Some(0), Some(&id), Some(&name), Some("{}")),
            piece(Some(0), None, None, Some(&arguments)),
        ])
    }),
    kind("call-new-id-each-piece", Group::Calls, On::ChatCalls, |answer| {
        let (id, name, arguments) = answer.first_call();
        let parts = thirds(&arguments);
        let content = parts.iter().enumerate();
        let content =
            content.map(|(at, part)| piece(Some(0), Some(&format!("{id}-{at}")), Some(&name), Some(part)));
        answer.with(content.collect())
    }),
    kind("call-without-index", Group::Calls, On::ChatCalls, |answer| {
        let (id, name, arguments) = answer.first_call();
        answer.with(
            thirds(&arguments).iter().map(|part| piece(None, Some(&id), Some(&name), Some(part))).collect(),
        )
    }),
    kind("call-under-other-index", Group::Calls, On::ChatCalls, |answer| {
        let (id, name, arguments) = answer.first_call();
        let mut content = vec![piece(Some(2), Some(&id), Some(&name), Some(""))];
        content.extend(thirds(&arguments).iter().map(|part| piece(Some(1), None, None, Some(part))));
        answer.with(content)
    }),
    kind("call-encoded-twice", Group::Calls, On::ChatCalls, |answer| {
        let (id, name, arguments) = answer.first_call();
        answer.with(vec![piece(Some(0), Some(&id), Some(&name), Some(&json!(arguments).to_string()))])
    }),
    kind("call-name-in-pieces", Group::Calls, On::ChatCalls, |answer| {
        let (id, name, arguments) = answer.first_call();
        let (begin, rest) = name.split_at(name.len() / 2);
        answer.with(vec![
            piece(Some(0), Some(&id), Some(begin), Some("")),
            piece(Some(0), None, Some(rest), Some(&arguments)),
        ])
    }),
    kind("call-of-old-form", Group::Calls, On::ChatCalls, |answer| {
        let (_, name, arguments) = answer.first_call();
        answer.with(vec![delta(json!({"function_call": {"name": name, "arguments": arguments}}))])
    }),
    kind("call-arguments-as-object", Group::Calls, On::ChatCalls, |answer| {
        let (id, name, _) = answer.first_call();
        let arguments = answer.said.calls.first().map_or(Value::Null, |call| call.arguments.clone());
        answer.with(vec![delta(json!({"tool_calls": [{"index": 0, "id": id, "type": "function",
            "function": {"name": name, "arguments": arguments}}]}))])
    }),
    kind("call-without-id", Group::Calls, On::ChatCalls, |answer| {
        let (_, name, arguments) = answer.first_call();
        answer.with(vec![piece(Some(0), None, Some(&name), Some(&arguments))])
    }),
    kind("call-with-index-as-text", Group::Calls, On::ChatCalls, |answer| {
        let (id, name, arguments) = answer.first_call();
        answer.with(vec![delta(json!({"tool_calls": [{"index": "0", "id": id, "type": "function",
            "function": {"name": name, "arguments": arguments}}]}))])
    }),
    kind("call-ended-as-words", Group::Calls, On::ChatCalls, |answer| {
        answer.stream.ends(json!("stop"));
        answer.stream.reply()
    }),
    kind("call-input-at-once", Group::Calls, On::MessagesCalls, |answer| {
        // The whole input in the start of its block, and no delta.
        let (id, name, _) = answer.first_call();
        let input = answer.said.calls.first().map_or(Value::Null, |call| call.arguments.clone());
        answer.with(vec![
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": id, "name": name, "input": input}}),
            json!({"type": "content_block_stop", "index": 0}),
        ])
    }),
    kind("call-input-in-pieces", Group::Calls, On::MessagesCalls, |answer| {
        let (id, name, arguments) = answer.first_call();
        let mut content = vec![
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": id, "name": name, "input": {}}}),
        ];
        content.extend(characters(&arguments).map(|part| {
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": part}})
        }));
        // The end of the block is left out.
        answer.with(content)
    }),
    kind("call-without-arguments", Group::Calls, On::Calls, |answer| {
        changed(answer, |call| call.arguments = json!({}))
    }),
    kind("call-arguments-null", Group::Calls, On::Calls, |answer| {
        changed(answer, |call| call.arguments = Value::Null)
    }),
    kind("call-of-unknown-tool", Group::Calls, On::Calls, |answer| {
        changed(answer, |call| call.name = format!("functions.{}:0", call.name))
    }),
    kind("call-with-more-arguments", Group::Calls, On::Calls, |answer| {
        changed(answer, |call| {
            if let Value::Object(arguments) = &mut call.arguments {
                arguments.insert("explanation".to_owned(), json!("to see it"));
                arguments.insert("requires_approval".to_owned(), json!("false"));
            }
        })
    }),
    kind("call-numbers-as-text", Group::Calls, On::Calls, |answer| {
        changed(answer, |call| {
            if let Value::Object(arguments) = &mut call.arguments {
                arguments.insert("timeout_seconds".to_owned(), json!("5"));
                if let Some(is_answer) = arguments.get_mut("output_is_answer") {
                    *is_answer = json!(is_answer.to_string());
                }
            }
        })
    }),
    kind("call-broken-json", Group::Calls, On::ChatCalls, |answer| {
        let (id, name, arguments) = answer.first_call();
        let broken = arguments.trim_end_matches('}').replace("\":", "\" =");
        answer.with(vec![piece(Some(0), Some(&id), Some(&name), Some(&broken))])
    }),
    kind("many-calls", Group::Calls, On::Calls, |answer| {
        let call = |at: usize| ToolCall {
            id: format!("many_{}_{at}", answer.number),
            name: "shell".to_owned(),
            arguments: json!({"command": format!("echo {at}")}),
        };
        let calls = (0..150).map(call).collect();
        answer.say(Completion { text: String::new(), calls });
        answer.stream.reply()
    }),
    kind("same-id-other-call", Group::Calls, On::Calls, |answer| {
        let other = answer.said.calls.first().map(|call| ToolCall {
            id: call.id.clone(),
            name: "shell".to_owned(),
            arguments: json!({"command": "echo other"}),
        });
        answer.said.calls.extend(other);
        answer.say(answer.said.clone());
        answer.stream.reply()
    }),
];

/// Each call is changed.
fn changed(answer: &mut Answer<'_>, change: impl Fn(&mut ToolCall)) -> Reply {
    answer.said.calls.iter_mut().for_each(change);
    answer.say(answer.said.clone());
    answer.stream.reply()
}

/// A few characters at a time.
fn characters(text: &str) -> impl Iterator<Item = String> {
    let all: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = all.chunks(3).map(|part| part.iter().collect()).collect();
    pieces.into_iter()
}

/// Three parts.
fn thirds(text: &str) -> Vec<String> {
    let all: Vec<char> = text.chars().collect();
    all.chunks(all.len().div_ceil(3).max(1)).map(|part| part.iter().collect()).collect()
}
