//! A Messages answer, streamed or whole.

use artoo_llm_client::StopReason;
use serde_json::Value;

use crate::decode::{Answer, Bad, Counts, Decode, Heard, Progress, reported};
use crate::sse::Event;

/// Collects text and, where a tool was forced, its input. Thinking is ignored.
#[derive(Debug)]
pub(super) struct Decoder {
    text: String,
    input: String,
    stop: Option<String>,
    usage: Option<Usage>,
    model: Option<String>,
    done: bool,
    wrapped: bool,
}

/// The provider counts cached tokens apart from the others.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    fresh: u64,
    read: u64,
    written: u64,
    output: u64,
}

impl Decoder {
    /// `wrapped`: the answer is the field `value` of the tool's input.
    pub(super) fn new(wrapped: bool) -> Self {
        Self {
            text: String::new(),
            input: String::new(),
            stop: None,
            usage: None,
            model: None,
            done: false,
            wrapped,
        }
    }

    /// Takes the head of an answer: model and usage, and, if it is whole, why it stopped.
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

    /// The counts as they are known everywhere.
    fn counts(&self) -> Option<Counts> {
        self.usage.map(|usage| Counts {
            prompt: usage.fresh.saturating_add(usage.read).saturating_add(usage.written),
            cached: usage.read,
            completion: usage.output,
        })
    }

    /// Takes a usage block. Later ones are totals, and hold only some of the counts.
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
        // Gateways forget the event's name; the data always have it.
        match data.get("type").and_then(Value::as_str).unwrap_or(&event.name) {
            "message_start" => self.head(data.get("message").unwrap_or(&Value::Null)),
            "content_block_delta" => {
                let piece = |name: &str| data.pointer(&format!("/delta/{name}")).and_then(Value::as_str);
                self.text.push_str(piece("text").unwrap_or_default());
                self.input.push_str(piece("partial_json").unwrap_or_default());
            }
            "message_delta" => {
                self.stopped(data.get("delta").unwrap_or(&Value::Null));
                self.count(data.get("usage"));
            }
            "message_stop" => {
                self.done = true;
                return Ok(Progress::Done);
            }
            "error" => return Err(reported(data.get("error").unwrap_or(&Value::Null))),
            _ => {} // ping, the borders of blocks, and what is yet to be invented
        }
        Ok(Progress::More)
    }

    fn whole(&mut self, body: &Value) -> Result<(), Bad> {
        // First: what a failure cost may stand beside it.
        self.count(body.get("usage"));
        if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
            return Err(reported(error));
        }
        let Some(blocks) = body.get("content").and_then(Value::as_array) else {
            return Err(Bad::Protocol("an answer without content".to_owned()));
        };
        for block in blocks {
            self.text.push_str(block.get("text").and_then(Value::as_str).unwrap_or_default());
            if let Some(input) = block.get("input") {
                self.input.push_str(&input.to_string());
            }
        }
        self.head(body);
        self.done = true;
        Ok(())
    }

    fn heard(&self) -> Heard {
        Heard::new(self.counts(), if self.input.is_empty() { &self.text } else { &self.input })
    }

    fn finish(self) -> Result<Answer, Bad> {
        if !self.done && self.stop.is_none() {
            return Err(Bad::Broken("the stream ended before the answer did".to_owned()));
        }
        let stop = match self.stop.as_deref() {
            Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
            Some("refusal") => StopReason::Refused,
            _ => StopReason::End,
        };
        let counts = self.counts();
        let text = if self.input.is_empty() { self.text } else { unwrap(self.input, self.wrapped) };
        Ok(Answer { text, stop, counts, model: self.model })
    }
}

/// The answer inside a tool's input. Input that is cut off or of another shape is left for the reader to judge.
fn unwrap(input: String, wrapped: bool) -> String {
    if !wrapped {
        return input;
    }
    let value = serde_json::from_str::<Value>(&input).ok();
    value.and_then(|mut value| Some(value.get_mut("value")?.take().to_string())).unwrap_or(input)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn stream(wrapped: bool, events: &[Value]) -> Result<Answer, Bad> {
        let mut decoder = Decoder::new(wrapped);
        for data in events {
            if decoder.event(&Event { name: String::new(), data: data.to_string() })? == Progress::Done {
                break;
            }
        }
        decoder.finish()
    }

    fn start() -> Value {
        let usage = json!({"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2, "output_tokens": 1});
        json!({"type": "message_start", "message": {"model": "claude-x", "usage": usage}})
    }

    fn text(piece: &str) -> Value {
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
    }

    fn input(piece: &str) -> Value {
        json!({"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": piece}})
    }

    fn end(reason: &str) -> [Value; 2] {
        let delta =
            json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7}});
        [delta, json!({"type": "message_stop"})]
    }

    #[test]
    fn a_stream_of_text() {
        let [delta, stop] = end("end_turn");
        let thinking =
            json!({"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}});
        let events = [start(), json!({"type": "ping"}), thinking, text("a"), text("b"), delta, stop];
        let expected = Answer {
            text: "ab".into(),
            stop: StopReason::End,
            counts: Some(Counts { prompt: 17, cached: 5, completion: 7 }),
            model: Some("claude-x".into()),
        };
        assert_eq!(stream(false, &events), Ok(expected));
    }

    #[test]
    fn a_tool_gives_the_answer() {
        let [delta, stop] = end("tool_use");
        let pieces = [start(), text("Let me answer."), input("{\"value\""), input(": [1, 2]}"), delta, stop];
        assert_eq!(stream(false, &pieces).unwrap().text, "{\"value\": [1, 2]}");
        assert_eq!(stream(true, &pieces).unwrap().text, "[1,2]");
        let [delta, stop] = end("max_tokens");
        let cut = stream(true, &[start(), input("{\"value\": ["), delta, stop]).unwrap();
        assert_eq!((cut.text.as_str(), cut.stop), ("{\"value\": [", StopReason::Length));
    }

    #[test]
    fn whole_answers() {
        let mut decoder = Decoder::new(false);
        let content = json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}]);
        decoder.whole(&json!({"content": content, "stop_reason": "refusal", "model": "c"})).unwrap();
        let answer = decoder.finish().unwrap();
        assert_eq!((answer.text.as_str(), answer.stop, answer.counts), ("a", StopReason::Refused, None));
        assert!(Decoder::new(false).whole(&json!({"choices": []})).is_err());
    }

    #[test]
    fn broken_streams_and_reported_errors() {
        assert!(matches!(stream(false, &[start(), text("a")]), Err(Bad::Broken(_))));
        let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
        let expected = Bad::Reported { status: 529, message: "Overloaded".into() };
        assert_eq!(stream(false, &[start(), error]), Err(expected));
        let [delta, _] = end("end_turn");
        assert!(stream(false, &[start(), delta]).is_ok(), "no message_stop");
    }
}
