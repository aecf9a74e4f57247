//! Decodes a chat completions answer, streamed or whole.

use artoo_llm_client::StopReason;
use serde_json::Value;

use crate::decode::{Answer, Bad, Counts, Decode, Heard, Progress, reported};
use crate::openai::reasoning::Thoughts;
use crate::openai::tool_calls::ToolCalls;
use crate::sse::Event;

/// Collects the first choice.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    text: String,
    calls: ToolCalls,
    thoughts: Thoughts,
    refusal: String,
    finish: Option<String>,
    counts: Option<Counts>,
    model: Option<String>,
    choices: bool,
    done: bool,
}

impl Decode for Decoder {
    fn event(&mut self, event: &Event) -> Result<Progress, Bad> {
        match serde_json::from_str::<Value>(&event.data) {
            Ok(chunk) => self.chunk(&chunk)?,
            // The end mark, an empty keep-alive, or chunks without the empty lines that should separate them.
            Err(_) => {
                for line in event.data.lines().map(str::trim).filter(|line| !line.is_empty()) {
                    if line == "[DONE]" {
                        self.done = true;
                        return Ok(Progress::Done);
                    }
                    let chunk = serde_json::from_str::<Value>(line)
                        .map_err(|error| Bad::Protocol(format!("an event that is not JSON: {error}")))?;
                    self.chunk(&chunk)?;
                }
            }
        }
        Ok(Progress::More)
    }

    fn whole(&mut self, body: &Value) -> Result<(), Bad> {
        self.chunk(body)?;
        self.done = true;
        Ok(())
    }

    fn heard(&self) -> Heard {
        Heard::new(self.counts, std::iter::once(self.text.as_str()).chain(self.calls.words()))
    }

    fn finish(self) -> Result<Answer, Bad> {
        if !self.done && self.finish.is_none() {
            return Err(Bad::Broken("the stream ended before the answer did".to_owned()));
        }
        if !self.choices {
            return Err(Bad::Protocol("an answer without choices".to_owned()));
        }
        let refused = self.text.is_empty() && !self.refusal.is_empty() && self.calls.is_empty();
        let stop = match self.finish.as_deref() {
            _ if refused => StopReason::Refused,
            Some("length" | "max_tokens") => StopReason::Length,
            Some("content_filter") => StopReason::Refused,
            _ => StopReason::End,
        };
        let text = if refused { self.refusal } else { self.text };
        let calls = self.calls.into_calls();
        let reasoning = self.thoughts.into_reasoning(&calls);
        let (counts, model) = (self.counts, self.model);
        Ok(Answer { calls, reasoning, stop, counts, model, ..Answer::of_text(text) })
    }
}

impl Decoder {
    /// Takes a chunk, or a whole answer, which differs from one only in `message` for `delta`.
    fn chunk(&mut self, chunk: &Value) -> Result<(), Bad> {
        // First, because usage may accompany an error.
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.counts = Some(counts(usage));
        }
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(reported(error));
        }
        if let Some(model) = chunk.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) {
            self.model.get_or_insert_with(|| model.to_owned());
        }
        // Several choices were not requested; a server that sends them anyway numbers them.
        let choices = chunk.get("choices").and_then(Value::as_array).into_iter().flatten();
        let first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        for choice in choices.filter(first) {
            self.choices = true;
            if let Some(message) = choice.get("delta").or_else(|| choice.get("message")) {
                append(&mut self.text, message.get("content"));
                append(&mut self.refusal, message.get("refusal"));
                self.calls.take(message.get("tool_calls"));
                self.thoughts.take(message);
            }
            if let Some(finish) = choice.get("finish_reason").and_then(Value::as_str) {
                self.finish = Some(finish.to_owned());
            }
        }
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
    let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    Counts {
        prompt: count("/prompt_tokens").unwrap_or(0),
        cached: count("/prompt_tokens_details/cached_tokens")
            .or_else(|| count("/prompt_cache_hit_tokens"))
            .unwrap_or(0),
        completion: count("/completion_tokens").unwrap_or(0),
    }
}

#[cfg(test)]
#[path = "response_tests.rs"]
mod tests;
