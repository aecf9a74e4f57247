//! `Reply`: a response of the mock server.

use std::sync::Arc;
use std::time::Duration;

use artoo_llm_client::ToolUse;
use serde_json::{Value, json};
use tokio::sync::Notify;

/// A response: a status, headers and what happens then, step by step.
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
    Answer(Said),
    /// Verbatim bytes, all at once.
    Whole(Vec<u8>),
    /// Step by step.
    Steps(Vec<Step>),
}

/// The content of a model's answer.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) calls: Vec<ToolUse>,
    pub(super) usage: bool,
}

/// One step of a response. The head is sent before the first bytes, or by [`Step::Head`].
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
    /// Does nothing more until the client disconnects.
    Stall,
    /// Closes the connection without ending the response.
    Drop,
}

impl Reply {
    /// A model's answer with a usage block of 10 prompt and 5 completion tokens, in the manner that the
    /// request asks for: Messages API for paths that end in `/messages`, otherwise chat completions; streamed
    /// or not.
    pub fn text(text: impl Into<String>) -> Self {
        Self::said(Said { text: text.into(), calls: Vec::new(), usage: true })
    }

    /// A model's answer that calls tools, in the same manner: each call by its id, the tool's name and the
    /// arguments.
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, &'a str, Value)>) -> Self {
        let call = |(id, name, arguments): (&str, &str, Value)| ToolUse {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_string(),
        };
        let calls = calls.into_iter().map(call).collect();
        Self::said(Said { text: String::new(), calls, usage: true })
    }

    /// The same without a usage block.
    pub fn text_without_usage(text: impl Into<String>) -> Self {
        Self::said(Said { text: text.into(), calls: Vec::new(), usage: false })
    }

    /// This value as a JSON body, whatever the request.
    pub fn json(value: &Value) -> Self {
        Self::of(200, Content::Whole(value.to_string().into_bytes()))
            .header("content-type", "application/json")
    }

    /// These bytes as the body.
    pub fn body(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::of(200, Content::Whole(body.into())).header("content-type", content_type)
    }

    /// An event stream of these data, one event each, sent in one piece. `[DONE]` is not added.
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

    /// The connection is closed without a response.
    pub fn drop() -> Self {
        Self::steps([Step::Drop])
    }

    /// With this status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Adds this header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a delay in tokio's time, like a slow model.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.before = Some(delay);
        self
    }

    fn said(said: Said) -> Self {
        Self::of(200, Content::Answer(said))
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
