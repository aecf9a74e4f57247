//! The `Decode` trait: how a wire format decodes a server's answer.

use artoo_llm_client::{
    Completion, Message, Request, StopReason, ToolUse, Usage, calls_in_text, estimate_message,
    estimate_tokens, estimate_usage, strip_reasoning,
};
use serde_json::Value;

use crate::sse::Event;
use crate::tool_call::name_apart;

/// Decodes one answer, streamed or whole.
pub(crate) trait Decode: Send {
    /// Takes the next event of a stream.
    fn event(&mut self, event: &Event) -> Result<Progress, Bad>;

    /// Takes an answer that arrived whole although a stream was requested.
    fn whole(&mut self, body: &Value) -> Result<(), Bad>;

    /// The usage received so far.
    fn heard(&self) -> Heard;

    /// The answer, once everything was taken.
    fn finish(self) -> Result<Answer, Bad>;
}

/// Whether more events are expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The answer continues.
    More,
    /// The server said that it is done.
    Done,
}

/// A decoded answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolUse>,
    /// Reasoning that the server wants back with the next turn, in its form.
    pub(crate) reasoning: Vec<Value>,
    pub(crate) stop: StopReason,
    pub(crate) counts: Option<Counts>,
    pub(crate) model: Option<String>,
}

/// The server's own token counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Including cached ones.
    pub(crate) prompt: u64,
    pub(crate) cached: u64,
    pub(crate) completion: u64,
}

/// The usage information of an unfinished answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    counts: Option<Counts>,
    /// Estimated tokens of the received words.
    words: u64,
}

impl Heard {
    pub(crate) fn new<'a>(counts: Option<Counts>, words: impl Iterator<Item = &'a str>) -> Self {
        Self { counts, words: words.map(estimate_tokens).sum() }
    }

    /// The usage of the attempt at `request`, as far as known. A stream's counts come at its beginning and
    /// end: the output after the first of them is estimated. If neither a count nor a word has arrived, no
    /// usage is assumed.
    pub(crate) fn usage(self, request: &Request) -> Usage {
        let of_nothing = Usage { requests: 0, ..Usage::default() };
        match self.counts {
            Some(counts) => Usage {
                prompt_tokens: counts.prompt,
                cached_tokens: counts.cached.min(counts.prompt),
                completion_tokens: counts.completion.max(self.words),
                estimated: self.words > counts.completion,
                ..of_nothing
            },
            None if self.words == 0 => of_nothing,
            None => Usage { completion_tokens: self.words, requests: 0, ..estimate_usage(request, "") },
        }
    }
}

/// Why an answer cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// It ended early.
    Broken(String),
    /// It violates the protocol.
    Protocol(String),
    /// The server reports an error inside a stream that began well.
    Reported {
        /// The equivalent HTTP status; 0 if the server names none.
        status: u16,
        message: String,
    },
}

impl Answer {
    /// A text answer.
    pub(crate) fn of_text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            calls: Vec::new(),
            reasoning: Vec::new(),
            stop: StopReason::End,
            counts: None,
            model: None,
        }
    }

    /// The completion for `request`, without reasoning blocks; missing counts are estimated.
    pub(crate) fn into_completion(
        self,
        request: &Request,
        model: &str,
        elapsed_ms: u64,
        requests: u32,
    ) -> Completion {
        let usage = match self.counts {
            Some(counts) => Usage {
                prompt_tokens: counts.prompt,
                cached_tokens: counts.cached.min(counts.prompt),
                completion_tokens: counts.completion,
                estimated: false,
                elapsed_ms,
                requests,
            },
            None => {
                let said = Message { calls: self.calls.clone(), ..Message::assistant(self.text.as_str()) };
                let completion_tokens = estimate_message(&said);
                Usage { completion_tokens, elapsed_ms, requests, ..estimate_usage(request, "") }
            }
        };
        let stripped = strip_reasoning(&self.text);
        let stripped = (stripped.len() != self.text.len()).then(|| stripped.into_owned());
        let mut text = stripped.unwrap_or(self.text);
        let model = self.model.unwrap_or_else(|| model.to_owned());
        let mut calls = self.calls;
        // If the server takes no tools, or passes their calls through, the calls are in the text.
        if calls.is_empty()
            && let Some(told) = calls_in_text(&text, &request.tools)
        {
            calls = told;
            text.clear();
        }
        for call in calls.iter_mut().filter(|call| call.arguments.trim().is_empty()) {
            "{}".clone_into(&mut call.arguments);
        }
        name_apart(&mut calls, &request.messages);
        Completion {
            calls,
            reasoning: self.reasoning,
            stop: self.stop,
            ..Completion::of_text(text, usage, model)
        }
    }
}

/// The error object inside a body or an event: its message and equivalent HTTP status.
pub(crate) fn reported(error: &Value) -> Bad {
    let field = |name: &str| error.get(name);
    let message = field("message")
        .and_then(Value::as_str)
        .or_else(|| error.as_str())
        .unwrap_or("an error without a message");
    let number = field("code").or_else(|| field("status")).and_then(|code| match code {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    });
    let named = match field("type").and_then(Value::as_str) {
        Some("overloaded_error") => Some(529),
        Some("rate_limit_error") => Some(429),
        Some("api_error" | "server_error") => Some(500),
        Some("timeout_error") => Some(504),
        _ => None,
    };
    let status = number.or(named).and_then(|status| u16::try_from(status).ok()).unwrap_or(0);
    Bad::Reported { status, message: message.to_owned() }
}
