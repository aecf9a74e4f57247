//! The `Decode` trait: how a wire format decodes a server's answer.

use artoo_llm_client::{
    Completion, Message, Request, StopReason, ToolUse, Usage, calls_in_text, estimate_message,
    estimate_tokens, estimate_usage, looks_like_calls, strip_reasoning,
};
use serde_json::Value;

use crate::counts::Counts;
use crate::sse::Event;
use crate::tool_call::{MAX_CALLS, is_same, name_apart};

/// Decodes one answer, streamed or whole.
pub(crate) trait Decode: Send {
    /// Takes the next event of a stream.
    fn event(&mut self, event: &Event) -> Result<Progress, Bad>;

    /// Takes an answer that arrived whole, as one JSON value, although a stream was requested.
    fn whole(&mut self, body: &str) -> Result<(), Bad>;

    /// The usage received so far.
    fn heard(&self) -> Heard;

    /// Estimated tokens of the reasoning received so far.
    fn thought(&self) -> u64;

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
    /// Whether the server announced calls and sent none.
    pub(crate) lacks_calls: bool,
    pub(crate) counts: Option<Counts>,
    pub(crate) model: Option<String>,
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

    /// The tokens of the answer so far: counted by the server, or estimated.
    pub(crate) fn tokens(self) -> u64 {
        self.counts.and_then(|counts| counts.completion).unwrap_or(0).max(self.words)
    }

    /// The usage of the attempt at `request`, as far as known. A stream's counts come at its beginning and
    /// end: the output after the first of them is estimated. If neither a count nor a word has arrived, no
    /// usage is assumed.
    pub(crate) fn usage(self, request: &Request) -> Usage {
        let of_nothing = Usage { requests: 0, ..Usage::default() };
        match self.counts {
            Some(counts) => {
                let said = counts.completion.unwrap_or(0).max(self.words);
                let known = Counts { completion: Some(said), ..counts }.usage(request, said);
                let is_guessed = Some(said) != counts.completion;
                Usage { estimated: known.estimated || is_guessed, requests: 0, ..known }
            }
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
    /// It is of another protocol: a page, a plain text.
    Foreign(String),
    /// All of it arrived, but the server says that the answer is incomplete: it stopped for a reason that is
    /// not a normal end.
    Incomplete(String),
    /// The server reports an error inside a stream that began well.
    Reported {
        /// The equivalent HTTP status; 0 if the server names none.
        status: u16,
        message: String,
        /// The error as the server sent it.
        error: Value,
    },
}

impl Bad {
    /// For a body that is not JSON: it was cut, or never was any.
    pub(crate) fn of_json(error: &serde_json::Error) -> Self {
        let words = error.to_string();
        if error.is_eof() { Self::Broken(words) } else { Self::Protocol(words) }
    }
}

impl Answer {
    /// A text answer.
    pub(crate) fn of_text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            calls: Vec::new(),
            reasoning: Vec::new(),
            stop: StopReason::End,
            lacks_calls: false,
            counts: None,
            model: None,
        }
    }

    /// The usage information in it, for an answer that is not used after all.
    pub(crate) fn heard(&self) -> Heard {
        Heard::new(self.counts, std::iter::once(self.text.as_str()))
    }

    /// The completion for `request`, without reasoning blocks; counts that are missing or cannot be true are
    /// estimated.
    pub(crate) fn into_completion(
        self,
        request: &Request,
        model: &str,
        elapsed_ms: u64,
        requests: u32,
    ) -> Result<Completion, Bad> {
        let message = Message { calls: self.calls.clone(), ..Message::assistant(self.text.as_str()) };
        let usage = self.counts.unwrap_or_default().usage(request, estimate_message(&message));
        let usage = Usage { elapsed_ms, requests, ..usage };
        let stripped = strip_reasoning(&self.text);
        let stripped = (stripped.len() != self.text.len()).then(|| stripped.into_owned());
        let mut text = stripped.unwrap_or(self.text);
        let model = self.model.unwrap_or_else(|| model.to_owned());
        let mut calls = self.calls;
        // If the server takes no tools, or passes their calls through, the calls are in the text.
        if calls.is_empty() {
            match calls_in_text(&text, &request.tools) {
                Some(told) => (text, calls) = (told.text, told.calls),
                None if looks_like_calls(&text, &request.tools) => tracing::warn!(
                    model,
                    "the server passed a tool call through as text that cannot be read: it seems to have no parser for the calls of this model"
                ),
                None => {}
            }
        }
        if calls.is_empty() && self.lacks_calls {
            return Err(Bad::Incomplete("the server announced a tool call and sent none".to_owned()));
        }
        if calls.len() > MAX_CALLS {
            return Err(Bad::Protocol(format!("an answer with more than {MAX_CALLS} calls")));
        }
        for call in calls.iter_mut().filter(|call| call.arguments.trim().is_empty()) {
            "{}".clone_into(&mut call.arguments);
        }
        let mut once: Vec<ToolUse> = Vec::with_capacity(calls.len());
        for call in calls {
            if !once.iter().any(|earlier| is_same(earlier, &call)) {
                once.push(call);
            }
        }
        name_apart(&mut once, &request.messages);
        Ok(Completion {
            calls: once,
            reasoning: self.reasoning,
            stop: self.stop,
            ..Completion::of_text(text, usage, model)
        })
    }
}
