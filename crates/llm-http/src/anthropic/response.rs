//! Decodes a Messages answer, streamed or whole.

use artoo_llm_client::{StopReason, ToolUse};
use serde_json::Value;

use crate::anthropic::blocks::Blocks;
use crate::anthropic::request::AnswerTool;
use crate::decode::{Answer, Bad, Counts, Decode, Heard, Progress, reported};
use crate::sse::Event;

/// Collects the blocks of an answer.
#[derive(Debug)]
pub(super) struct Decoder {
    blocks: Blocks,
    stop: Option<String>,
    usage: Option<Usage>,
    model: Option<String>,
    done: bool,
    answer_tool: Option<AnswerTool>,
}

/// The provider counts cached tokens separately.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    fresh: u64,
    read: u64,
    written: u64,
    output: u64,
}

impl Decoder {
    /// If there is an answer tool, its input is the answer.
    pub(super) fn new(answer_tool: Option<AnswerTool>) -> Self {
        Self { blocks: Blocks::default(), stop: None, usage: None, model: None, done: false, answer_tool }
    }

    /// Takes the head of an answer: model and usage, and, if it is whole, the stop reason.
    fn head(&mut self, message: &Value) {
        self.model = message.get("model").and_then(Value::as_str).map(str::to_owned);
        self.count(message.get("usage"));
        self.stopped(message);
    }

    fn stopped(&mut self, fields: &Value) {
        if let Some(reason) = fields.get("stop_reason").and_then(Value::as_str) {
            self.stop = Some(reason.to_owned());
        }
    }

    /// The counts in the common form.
    fn counts(&self) -> Option<Counts> {
        self.usage.map(|usage| Counts {
            prompt: usage.fresh.saturating_add(usage.read).saturating_add(usage.written),
            cached: usage.read,
            completion: usage.output,
        })
    }

    /// Takes a usage block. Later ones are totals, and contain only some of the counts.
    fn count(&mut self, block: Option<&Value>) {
        let Some(block) = block.filter(|block| block.is_object()) else {
            return;
        };
        let usage = self.usage.get_or_insert_default();
        let set = |count: &mut u64, name: &str| {
            if let Some(value) = block.get(name).and_then(Value::as_u64) {
                *count = value;
            }
        };
        set(&mut usage.fresh, "input_tokens");
        set(&mut usage.read, "cache_read_input_tokens");
        set(&mut usage.written, "cache_creation_input_tokens");
        set(&mut usage.output, "output_tokens");
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: &Event) -> Result<Progress, Bad> {
        let data: Value = serde_json::from_str(&event.data)
            .map_err(|error| Bad::Protocol(format!("an event that is not JSON: {error}")))?;
        // Some gateways omit the event's name; the data always have it.
        match data.get("type").and_then(Value::as_str).unwrap_or(&event.name) {
            "message_start" => self.head(data.get("message").unwrap_or(&Value::Null)),
            "content_block_start" => self.blocks.start(&data),
            "content_block_delta" => self.blocks.append(&data),
            "message_delta" => {
                self.stopped(data.get("delta").unwrap_or(&Value::Null));
                self.count(data.get("usage"));
            }
            "message_stop" => {
                self.done = true;
                return Ok(Progress::Done);
            }
            "error" => return Err(reported(data.get("error").unwrap_or(&Value::Null))),
            _ => {} // ping, the ends of blocks, and what is yet to be invented
        }
        Ok(Progress::More)
    }

    fn whole(&mut self, body: &Value) -> Result<(), Bad> {
        // First, because usage may accompany an error.
        self.count(body.get("usage"));
        if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
            return Err(reported(error));
        }
        let Some(blocks) = body.get("content").and_then(Value::as_array) else {
            return Err(Bad::Protocol("an answer without content".to_owned()));
        };
        blocks.iter().for_each(|block| self.blocks.push(block));
        self.head(body);
        self.done = true;
        Ok(())
    }

    fn heard(&self) -> Heard {
        Heard::new(self.counts(), self.blocks.words())
    }

    fn finish(mut self) -> Result<Answer, Bad> {
        if !self.done && self.stop.is_none() {
            return Err(Bad::Broken("the stream ended before the answer did".to_owned()));
        }
        let stop = match self.stop.as_deref() {
            Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
            Some("refusal") => StopReason::Refused,
            _ => StopReason::End,
        };
        let (counts, model) = (self.counts(), self.model.take());
        let mut answer = self.blocks.into_answer(stop);
        if let Some(tool) = &self.answer_tool
            && let Some(at) =
                answer.calls.iter().position(|call| call.name.is_empty() || call.name == tool.name)
        {
            answer.text = unwrap(answer.calls.remove(at), tool.is_wrapped);
        }
        Ok(Answer { counts, model, ..answer })
    }
}

/// The answer inside a tool's input. Truncated input or input of another shape is left to the reader.
fn unwrap(call: ToolUse, is_wrapped: bool) -> String {
    let value = serde_json::from_str::<Value>(&call.arguments).ok().filter(|_| is_wrapped);
    value.and_then(|mut value| Some(value.get_mut("value")?.take().to_string())).unwrap_or(call.arguments)
}

#[cfg(test)]
#[path = "response_tests.rs"]
mod tests;
