//! Writes one answer as servers write it: each way in which they depart from the protocol, chosen by numbers.
//! For the property tests and for the fuzz target.

use artoo_llm_client::Completion;
use artoo_llm_http::doubles::Format;
use serde_json::{Value, json};

/// An answer of a model.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The text.
    pub(crate) text: String,
    /// Each call: the tool's name and its arguments.
    pub(crate) calls: Vec<(String, Value)>,
}

impl Answer {
    /// Whether a client has read exactly this.
    pub(crate) fn is(&self, completion: &Completion) -> bool {
        let value = |text: &str| serde_json::from_str::<Value>(text).ok();
        let calls = completion.calls.iter().map(|call| (&call.name, value(&call.arguments)));
        let expected = self.calls.iter().map(|(name, arguments)| (name, Some(arguments.clone())));
        completion.text == self.text && calls.eq(expected)
    }

    /// The usual reason for its end.
    pub(crate) fn reason(&self, format: Format) -> &'static str {
        match (format, self.calls.is_empty()) {
            (Format::ChatCompletions, true) => "stop",
            (Format::ChatCompletions, false) => "tool_calls",
            (Format::Messages, true) => "end_turn",
            (Format::Messages, false) => "tool_use",
        }
    }
}

/// Chooses a number below the one given.
pub(crate) type Choose<'a> = dyn FnMut(usize) -> usize + 'a;

/// A response in this format: a stream, or one JSON value.
pub(crate) fn response(
    format: Format,
    said: &Answer,
    finish: Option<&str>,
    choose: &mut Choose<'_>,
) -> Vec<u8> {
    match format {
        Format::ChatCompletions => chat_completions(said, finish, choose),
        Format::Messages => messages(said, finish, choose),
    }
}

/// A chat completions response: a stream, or one JSON value.
fn chat_completions(said: &Answer, finish: Option<&str>, choose: &mut Choose<'_>) -> Vec<u8> {
    if choose(8) == 0 {
        return whole_chat(said, finish);
    }
    let mut deltas = Vec::new();
    for piece in pieces(&said.text, choose) {
        deltas.push(json!({"content": piece}));
    }
    let way = choose(CALL_WAYS);
    for (number, (name, arguments)) in said.calls.iter().enumerate() {
        let call = Call { number, name, arguments: arguments.to_string() };
        deltas.extend(call.deltas(way, said.calls.len(), choose));
    }
    let mut events: Vec<String> = deltas.iter().map(|delta| chunk(delta, None)).collect();
    if events.is_empty() || finish.is_some() || choose(2) == 0 {
        events.push(chunk(&json!({}), finish));
    }
    if choose(2) == 0 {
        events
            .push(json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}).to_string());
    }
    // Without a reason the end mark is the end.
    if finish.is_none() || choose(2) == 0 {
        events.push("[DONE]".to_owned());
    }
    stream(events.iter().map(|event| (None, event.as_str())), choose)
}

/// A response of the Messages API: a stream, or one JSON value.
fn messages(said: &Answer, finish: Option<&str>, choose: &mut Choose<'_>) -> Vec<u8> {
    let input = |arguments: &Value, choose: &mut Choose<'_>| match choose(3) {
        0 => json!(arguments.to_string()),
        _ => arguments.clone(),
    };
    if choose(8) == 0 {
        let text = (!said.text.is_empty()).then(|| json!({"type": "text", "text": said.text}));
        let calls = (0..).zip(&said.calls).map(|(number, (name, arguments))| {
            json!({"type": "tool_use", "id": format!("id{number}"), "name": name, "input": input(arguments, choose)})
        });
        let content: Vec<Value> = text.into_iter().chain(calls).collect();
        return json!({"type": "message", "content": content, "stop_reason": finish})
            .to_string()
            .into_bytes();
    }
    let mut events =
        vec![json!({"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 9}}})];
    let delta = |index: usize, kind: &str, field: &str, piece: &str| json!({"type": "content_block_delta", "index": index, "delta": {"type": kind, field: piece}});
    if !said.text.is_empty() {
        events.push(
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        );
        events.extend(
            pieces(&said.text, choose).into_iter().map(|piece| delta(0, "text_delta", "text", piece)),
        );
        events.push(json!({"type": "content_block_stop", "index": 0}));
    }
    for (number, (name, arguments)) in said.calls.iter().enumerate() {
        let index = number + 1;
        let text = arguments.to_string();
        events.push(json!({"type": "content_block_start", "index": index, "content_block": {"type": "tool_use", "id": format!("id{number}"), "name": name, "input": {}}}));
        let again = choose(4) == 0;
        let json = |piece: &str| delta(index, "input_json_delta", "partial_json", piece);
        events.extend(pieces(&text, choose).into_iter().map(json));
        if again {
            events.push(json(&text));
        }
    }
    if finish.is_some() || choose(2) == 0 {
        events.push(
            json!({"type": "message_delta", "delta": {"stop_reason": finish}, "usage": {"output_tokens": 2}}),
        );
    }
    if finish.is_none() || choose(2) == 0 {
        events.push(json!({"type": "message_stop"}));
    }
    let events: Vec<(Value, String)> =
        events.into_iter().map(|event| (event["type"].clone(), event.to_string())).collect();
    let named = choose(2) == 0;
    stream(events.iter().map(|(kind, data)| (kind.as_str().filter(|_| named), data.as_str())), choose)
}

/// The bytes cut at some places.
pub(crate) fn cut<'a>(bytes: &'a [u8], choose: &mut Choose<'_>) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> =
        (0..choose(8)).map(|_| choose(bytes.len() + 1)).chain([0, bytes.len()]).collect();
    places.sort_unstable();
    places.windows(2).filter_map(|pair| bytes.get(pair[0]..pair[1])).collect()
}

struct Call<'a> {
    number: usize,
    name: &'a str,
    arguments: String,
}

/// How many ways a call is written in.
const CALL_WAYS: usize = 12;

impl Call<'_> {
    fn deltas(&self, way: usize, among: usize, choose: &mut Choose<'_>) -> Vec<Value> {
        let Self { number, name, arguments } = self;
        let id = format!("id{number}");
        let piece = |index: Option<usize>, id: Option<&str>, name: Option<&str>, arguments: &str| json!({"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}]});
        let begun = || piece(Some(*number), Some(&id), Some(name), "");
        let more = |text: &str| piece(Some(*number), None, None, text);
        let parts = pieces(arguments, choose);
        let standard =
            || std::iter::once(begun()).chain(parts.iter().map(|part| more(part))).collect::<Vec<_>>();
        match way {
            0 => [standard(), vec![more(arguments)]].concat(),
            1 => [vec![begun(), more("{}")], parts.iter().map(|part| more(part)).collect()].concat(),
            // A new id with each piece: the first piece must tell that more is to come.
            2 => (0..)
                .zip(&parts)
                .map(|(at, part)| piece(Some(*number), Some(&format!("{id}-{at}")), Some(name), part))
                .collect(),
            3 => parts.iter().map(|part| piece(None, Some(&id), Some(name), part)).collect(),
            4 => std::iter::once(piece(Some(2 * number + 1), Some(&id), Some(name), ""))
                .chain(parts.iter().map(|part| piece(Some(2 * number), None, None, part)))
                .collect(),
            5 => vec![piece(Some(*number), Some(&id), Some(name), &json!(arguments).to_string())],
            6 => vec![
                piece(Some(*number), Some(&id), Some(name), arguments),
                piece(Some(number + among), Some(&id), Some(name), arguments),
            ],
            7 => {
                let (first, second) = name.split_at(name.len() / 2);
                [
                    vec![
                        piece(Some(*number), Some(&id), Some(first), ""),
                        piece(Some(*number), None, Some(second), ""),
                    ],
                    vec![more(arguments)],
                ]
                .concat()
            }
            8 if among == 1 => vec![json!({"function_call": {"name": name, "arguments": arguments}})],
            9 => vec![piece(Some(0), Some(&id), Some(name), arguments)],
            10 => vec![
                json!({"tool_calls": [{"id": id, "function": {"name": name, "arguments": serde_json::from_str::<Value>(arguments).unwrap_or_default()}}]}),
            ],
            _ => standard(),
        }
    }
}

fn whole_chat(said: &Answer, finish: Option<&str>) -> Vec<u8> {
    let calls = (0..).zip(&said.calls).map(|(number, (name, arguments))| {
        json!({"id": format!("id{number}"), "type": "function", "function": {"name": name, "arguments": arguments.to_string()}})
    });
    let message = json!({"role": "assistant", "content": said.text, "tool_calls": calls.collect::<Vec<_>>()});
    json!({"choices": [{"index": 0, "message": message, "finish_reason": finish}]}).to_string().into_bytes()
}

fn chunk(delta: &Value, finish: Option<&str>) -> String {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}).to_string()
}

/// Events as a stream.
fn stream<'a>(events: impl Iterator<Item = (Option<&'a str>, &'a str)>, choose: &mut Choose<'_>) -> Vec<u8> {
    let end = ["\n", "\r\n"][choose(2)];
    let space = [" ", ""][choose(2)];
    let mut out = String::new();
    for (name, data) in events {
        if choose(4) == 0 {
            out.push_str(&format!(": still here{end}{end}"));
        }
        if let Some(name) = name {
            out.push_str(&format!("event:{space}{name}{end}"));
        }
        out.push_str(&format!("data:{space}{data}{end}{end}"));
    }
    out.into_bytes()
}

/// A text in up to four pieces.
fn pieces<'a>(text: &'a str, choose: &mut Choose<'_>) -> Vec<&'a str> {
    let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut places: Vec<usize> =
        (0..choose(4)).map(|_| borders[choose(borders.len())]).chain([0, text.len()]).collect();
    places.sort_unstable();
    places.windows(2).map(|pair| &text[pair[0]..pair[1]]).filter(|piece| !piece.is_empty()).collect()
}
