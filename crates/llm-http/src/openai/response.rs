//! Decodes a chat completions answer, streamed or whole.

use artoo_llm_client::{Request, StopReason};
use serde_json::Value;

use crate::counts::{Counts, count};
use crate::decode::{Answer, Bad, Decode, Heard, Progress};
use crate::finish::Finish;
use crate::openai::reasoning::Thoughts;
use crate::openai::tool_calls::ToolCalls;
use crate::reported::{beside, instead, reported};
use crate::sse::Event;
use crate::surrogates::Halves;

/// Collects the first choice.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    text: String,
    calls: ToolCalls,
    thoughts: Thoughts,
    refusal: String,
    finish: Finish,
    announced: bool,
    counts: Option<Counts>,
    model: Option<String>,
    choices: bool,
    done: bool,
    /// An error in an event that could be something else, for an answer that does not come to its end.
    complaint: Option<Bad>,
    halves: Halves,
}

impl Decode for Decoder {
    fn event(&mut self, event: &Event) -> Result<Progress, Bad> {
        match self.halves.parse(&event.data) {
            Ok(error) if event.name == "error" && error.get("choices").is_none() => {
                return Err(instead(&error).unwrap_or_else(|| reported(&error)));
            }
            Ok(chunk) => self.chunk(&chunk)?,
            // The end mark, an empty keep-alive, or chunks without the empty lines that should separate them.
            Err(_) => {
                for line in event.data.lines().map(str::trim).filter(|line| !line.is_empty()) {
                    if line == "[DONE]" {
                        self.done = true;
                        return Ok(Progress::Done);
                    }
                    let chunk = self
                        .halves
                        .parse(line)
                        .map_err(|error| Bad::Protocol(format!("an event that is not JSON: {error}")))?;
                    self.chunk(&chunk)?;
                }
            }
        }
        Ok(Progress::More)
    }

    fn whole(&mut self, body: &str) -> Result<(), Bad> {
        let body = self.halves.parse(body).map_err(|error| Bad::of_json(&error))?;
        self.done = true;
        self.chunk(&body)
    }

    fn heard(&self) -> Heard {
        Heard::new(self.counts, std::iter::once(self.text.as_str()).chain(self.calls.words()))
    }

    fn thought(&self) -> u64 {
        self.thoughts.tokens()
    }

    fn finish(mut self) -> Result<Answer, Bad> {
        let stop = match self.finish.stop(self.done) {
            // The server's own words say more than ours.
            Err(_) if let Some(complaint) = self.complaint.take() => return Err(complaint),
            stop => stop?,
        };
        if !self.choices {
            let none = || Bad::Protocol("an answer without choices".to_owned());
            return Err(self.complaint.take().unwrap_or_else(none));
        }
        let refused = self.text.is_empty() && !self.refusal.is_empty() && self.calls.is_empty();
        let stop = if refused { StopReason::Refused } else { stop };
        let text = self.halves.join(if refused { self.refusal } else { self.text });
        let (mut calls, mut extras) = (Vec::new(), Vec::new());
        for (mut call, extra) in self.calls.finish()? {
            call.arguments = self.halves.join(call.arguments);
            calls.push(call);
            extras.push(extra);
        }
        let lacks_calls = self.announced && calls.is_empty() && stop == StopReason::End;
        let reasoning = self.thoughts.into_reasoning(&calls, extras);
        let (counts, model) = (self.counts, self.model);
        Ok(Answer { calls, reasoning, stop, lacks_calls, counts, model, ..Answer::of_text(text) })
    }
}

impl Decoder {
    /// A decoder of the answer to this request.
    pub(crate) fn new(request: &Request) -> Self {
        let offered = request.tools.iter().map(|tool| tool.name.clone()).collect();
        Self { calls: ToolCalls::new(offered), ..Self::default() }
    }

    /// Takes a chunk, or a whole answer, which differs from one only in `message` for `delta`.
    fn chunk(&mut self, chunk: &Value) -> Result<(), Bad> {
        // First, because usage may accompany an error.
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.counts = Some(counts(usage));
        }
        if let Some(bad) = beside(chunk) {
            return Err(bad);
        }
        if let Some(model) = chunk.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) {
            self.model.get_or_insert_with(|| model.to_owned());
        }
        let choices = match chunk.get("choices") {
            Some(Value::Array(choices)) => choices.as_slice(),
            _ => {
                self.complaint = instead(chunk).or(self.complaint.take());
                &[]
            }
        };
        // Several choices were not requested; a server that sends them anyway numbers them.
        let first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        for choice in choices.iter().filter(first) {
            self.choices = true;
            self.choice(choice)?;
        }
        Ok(())
    }

    fn choice(&mut self, choice: &Value) -> Result<(), Bad> {
        if let Some(bad) = beside(choice) {
            return Err(bad);
        }
        if let Some(delta) = choice.get("delta").filter(|delta| delta.is_object()) {
            append(&mut self.text, delta.get("content"));
            append(&mut self.refusal, delta.get("refusal"));
            self.calls.take(delta.get("tool_calls"));
            self.calls.take_one(delta.get("function_call"));
            self.thoughts.take(delta);
        } else if let Some(message) = choice.get("message") {
            let mut whole = String::new();
            append(&mut whole, message.get("content"));
            // Behind the pieces, some servers send the whole answer once more.
            let is_again = !self.text.is_empty() && whole == self.text;
            if !is_again {
                self.text.push_str(&whole);
            }
            append(&mut self.refusal, message.get("refusal"));
            if self.done {
                self.calls.take_whole(message.get("tool_calls"));
            } else {
                self.calls.take(message.get("tool_calls"));
            }
            self.calls.take_one(message.get("function_call"));
            self.thoughts.take(message);
        }
        let reason = choice.get("finish_reason");
        self.announced |= reason.and_then(Value::as_str).is_some_and(Finish::announces_calls);
        self.finish.take_field(reason);
        Ok(())
    }
}

/// Appends content, which is a string, nothing, or a list of parts of which some are text.
fn append(text: &mut String, content: Option<&Value>) {
    match content {
        Some(Value::String(piece)) => text.push_str(piece),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).for_each(|piece| text.push_str(piece));
        }
        _ => {}
    }
}

fn counts(usage: &Value) -> Counts {
    let at = |pointer: &str| usage.pointer(pointer).and_then(count);
    Counts {
        prompt: at("/prompt_tokens").or_else(|| at("/input_tokens")),
        cached: at("/prompt_tokens_details/cached_tokens")
            .or_else(|| at("/prompt_cache_hit_tokens"))
            .unwrap_or(0),
        completion: at("/completion_tokens").or_else(|| at("/output_tokens")),
    }
}

#[cfg(test)]
#[path = "response_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "response_call_tests.rs"]
mod call_tests;
