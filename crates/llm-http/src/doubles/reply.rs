//! What the mock server answers.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::doubles::Call;

/// An answer: a status, headers and what happens then, step by step.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) content: Content,
    pub(super) before: Option<Duration>,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    /// A model's answer, in the format and manner that the request asks for.
    Answer { text: String, usage: bool },
    /// Bytes as they are, all at once.
    Whole(Vec<u8>),
    /// Step by step.
    Steps(Vec<Step>),
}

/// One thing that the server does after another. The head of the answer is sent before the first bytes, or by
/// [`Step::Head`].
#[derive(Clone, Debug)]
pub enum Step {
    /// Sends the status and the headers now.
    Head,
    /// Sends these bytes as one chunk.
    Send(Vec<u8>),
    /// Waits in tokio's time.
    Wait(Duration),
    /// Waits for the test's permission: one `notify_one` lets one gate pass.
    Gate(Arc<Notify>),
    /// Does nothing more until the client leaves.
    Stall,
    /// Closes the connection without ending the answer.
    Drop,
}

impl Reply {
    /// A model's answer with a usage block of 10 prompt and 5 completion tokens, in whatever manner the request
    /// asks for: Messages API for paths that end in `/messages`, otherwise chat completions; streamed or not.
    pub fn text(text: impl Into<String>) -> Self {
        Self::of(200, Content::Answer { text: text.into(), usage: true })
    }

    /// The same without a usage block.
    pub fn text_without_usage(text: impl Into<String>) -> Self {
        Self::of(200, Content::Answer { text: text.into(), usage: false })
    }

    /// This value as a JSON body, whatever was asked for.
    pub fn json(value: &Value) -> Self {
        Self::of(200, Content::Whole(value.to_string().into_bytes()))
            .header("content-type", "application/json")
    }

    /// These bytes as the body.
    pub fn body(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::of(200, Content::Whole(body.into())).header("content-type", content_type)
    }

    /// An event stream of these data, each an event of its own, sent in one piece. `[DONE]` is not added.
    pub fn events<'a>(data: impl IntoIterator<Item = &'a str>) -> Self {
        let body: String = data.into_iter().map(|data| format!("data: {data}\n\n")).collect();
        Self::body("text/event-stream", body)
    }

    /// An event stream, step by step.
    pub fn steps(steps: impl IntoIterator<Item = Step>) -> Self {
        let content = Content::Steps(steps.into_iter().collect());
        Self::of(200, content).header("content-type", "text/event-stream")
    }

    /// An error status with a body.
    pub fn status(status: u16, body: impl Into<String>) -> Self {
        Self::of(status, Content::Whole(body.into().into_bytes()))
    }

    /// Silence: not even a head is sent.
    pub fn stall() -> Self {
        Self::steps([Step::Stall])
    }

    /// The connection is closed without a word.
    pub fn drop() -> Self {
        Self::steps([Step::Drop])
    }

    /// The same with this header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same after a wait in tokio's time: a model that takes its time.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.before = Some(delay);
        self
    }

    fn of(status: u16, content: Content) -> Self {
        Self { status, headers: Vec::new(), content, before: None }
    }
}

impl Step {
    /// Sends this text as one chunk.
    pub fn send(text: impl Into<String>) -> Self {
        Self::Send(text.into().into_bytes())
    }

    /// Sends one chat completions event that adds `text` to the answer.
    pub fn delta(text: &str) -> Self {
        Self::send(format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": text}}]})))
    }

    /// Ends a chat completions answer: finish reason, then the end mark.
    pub fn finish() -> Self {
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
        Self::send(format!("data: {end}\n\ndata: [DONE]\n\n"))
    }
}

/// The content type and body of a model's answer to `call`.
pub(super) fn answer(call: &Call, text: &str, usage: bool) -> (&'static str, String) {
    let stream = call.body.get("stream").and_then(Value::as_bool).unwrap_or(false);
    match (call.path.ends_with("/messages"), stream) {
        (false, true) => ("text/event-stream", chat_stream(text, usage)),
        (false, false) => ("application/json", chat_whole(text, usage).to_string()),
        (true, true) => ("text/event-stream", messages_stream(text, usage)),
        (true, false) => ("application/json", messages_whole(text, usage).to_string()),
    }
}

fn chat_stream(text: &str, usage: bool) -> String {
    let delta =
        json!({"model": "mock", "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}]});
    let end = json!({"model": "mock", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let mut body = format!("data: {delta}\n\ndata: {end}\n\n");
    if usage {
        let usage =
            json!({"model": "mock", "choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}});
        body.push_str(&format!("data: {usage}\n\n"));
    }
    body.push_str("data: [DONE]\n\n");
    body
}

fn chat_whole(text: &str, usage: bool) -> Value {
    let choice =
        json!({"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
    let usage = if usage { json!({"prompt_tokens": 10, "completion_tokens": 5}) } else { Value::Null };
    json!({"model": "mock", "choices": [choice], "usage": usage})
}

fn messages_stream(text: &str, usage: bool) -> String {
    let counts = |count: Value| if usage { count } else { Value::Null };
    let events = [
        json!({"type": "message_start", "message": {"model": "mock", "usage": counts(json!({"input_tokens": 10, "output_tokens": 1}))}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": counts(json!({"output_tokens": 5}))}),
        json!({"type": "message_stop"}),
    ];
    events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()))
        .collect()
}

fn messages_whole(text: &str, usage: bool) -> Value {
    let usage = if usage { json!({"input_tokens": 10, "output_tokens": 5}) } else { Value::Null };
    json!({"model": "mock", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": usage})
}
