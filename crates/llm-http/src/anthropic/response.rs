//! Decodes a Messages answer, streamed or whole.

use artoo_llm_client::{StopReason, ToolUse, estimate_tokens};
use serde_json::Value;

use crate::anthropic::blocks::Blocks;
use crate::anthropic::request::AnswerTool;
use crate::counts::{Counts, count};
use crate::decode::{Answer, Bad, Decode, Heard, Progress};
use crate::finish::Finish;
use crate::reported::{beside, instead, reported};
use crate::sse::Event;
use crate::surrogates::Halves;

/// Collects the blocks of an answer.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    blocks: Blocks,
    finish: Finish,
    announced: bool,
    usage: Option<Usage>,
    model: Option<String>,
    /// Whether anything of an answer has arrived.
    begun: bool,
    done: bool,
    answer_tool: Option<AnswerTool>,
    /// An error in an event of no known type, for an answer that does not come to its end.
    complaint: Option<Bad>,
    halves: Halves,
}

/// The provider counts cached tokens separately. `None` is what it has not counted, or not in a number.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    fresh: Option<u64>,
    read: Option<u64>,
    written: Option<u64>,
    output: Option<u64>,
}

impl Decoder {
    /// If there is an answer tool, its input is the answer.
    pub(crate) fn new(answer_tool: Option<AnswerTool>) -> Self {
        Self { answer_tool, ..Self::default() }
    }

    /// Takes the head of an answer: model and usage, and, if it is whole, the stop reason.
    fn head(&mut self, message: &Value) {
        self.model = message.get("model").and_then(Value::as_str).map(str::to_owned);
        self.count(message.get("usage"));
        self.stopped(message);
    }

    fn stopped(&mut self, fields: &Value) {
        let reason = fields.get("stop_reason");
        self.announced |= reason.and_then(Value::as_str).is_some_and(Finish::announces_calls);
        self.finish.take_field(reason);
    }

    /// The counts in the common form.
    fn counts(&self) -> Option<Counts> {
        self.usage.map(|usage| {
            let parts = [usage.fresh, usage.read, usage.written];
            let prompt = parts.iter().flatten().fold(0_u64, |sum, part| sum.saturating_add(*part));
            Counts {
                prompt: parts.iter().any(Option::is_some).then_some(prompt),
                cached: usage.read.unwrap_or(0),
                completion: usage.output,
            }
        })
    }

    /// Takes a usage block. Later ones are totals, and contain only some of the counts.
    fn count(&mut self, block: Option<&Value>) {
        let Some(block) = block.filter(|block| block.is_object()) else {
            return;
        };
        let usage = self.usage.get_or_insert_default();
        let set = |known: &mut Option<u64>, name: &str| {
            if let Some(value) = block.get(name) {
                *known = count(value).or(*known);
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
        // The end mark of the other format, which some gateways send.
        if event.data.trim() == "[DONE]" {
            self.done = true;
            return Ok(Progress::Done);
        }
        let data = self
            .halves
            .parse(&event.data)
            .map_err(|error| Bad::Protocol(format!("an event that is not JSON: {error}")))?;
        // Some gateways omit the event's name; the data always have it.
        let kind = data.get("type").and_then(Value::as_str).unwrap_or(&event.name);
        match kind {
            "message_start" => {
                self.begun = true;
                self.head(data.get("message").unwrap_or(&Value::Null));
            }
            "content_block_start" => {
                self.begun = true;
                self.blocks.start(&data);
            }
            "content_block_delta" => {
                self.begun = true;
                self.blocks.append(&data);
            }
            "message_delta" => {
                self.stopped(data.get("delta").unwrap_or(&Value::Null));
                self.count(data.get("usage"));
            }
            "message_stop" => {
                self.done = true;
                return Ok(Progress::Done);
            }
            "error" => return Err(instead(&data).unwrap_or_else(|| reported(&data))),
            // The ends of blocks, and signs of life.
            "content_block_stop" | "ping" => {}
            // What is yet to be invented, or not an event of this format: an error has no type of its own
            // there.
            _ => match beside(&data) {
                Some(bad) => return Err(bad),
                None => self.complaint = instead(&data).or(self.complaint.take()),
            },
        }
        Ok(Progress::More)
    }

    fn whole(&mut self, body: &str) -> Result<(), Bad> {
        let body = self.halves.parse(body).map_err(|error| Bad::of_json(&error))?;
        // First, because usage may accompany an error.
        self.count(body.get("usage"));
        if let Some(bad) = beside(&body) {
            return Err(bad);
        }
        let Some(blocks) = body.get("content").and_then(Value::as_array) else {
            let none = || Bad::Protocol("an answer without content".to_owned());
            return Err(instead(&body).unwrap_or_else(none));
        };
        blocks.iter().for_each(|block| self.blocks.push(block));
        self.head(&body);
        (self.begun, self.done) = (true, true);
        Ok(())
    }

    fn heard(&self) -> Heard {
        Heard::new(self.counts(), self.blocks.words())
    }

    fn thought(&self) -> u64 {
        self.blocks.thoughts().map(estimate_tokens).sum()
    }

    fn finish(mut self) -> Result<Answer, Bad> {
        let stop = match self.finish.stop(self.done) {
            // The server's own words say more than ours.
            Err(_) if let Some(complaint) = self.complaint.take() => return Err(complaint),
            stop => stop?,
        };
        if !self.begun {
            let none = || Bad::Protocol("an answer without content".to_owned());
            return Err(self.complaint.take().unwrap_or_else(none));
        }
        let (counts, model) = (self.counts(), self.model.take());
        let mut answer = self.blocks.into_answer(stop);
        answer.text = self.halves.join(answer.text);
        for call in &mut answer.calls {
            call.arguments = self.halves.join(std::mem::take(&mut call.arguments));
        }
        answer.lacks_calls = self.announced && answer.calls.is_empty() && stop == StopReason::End;
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
