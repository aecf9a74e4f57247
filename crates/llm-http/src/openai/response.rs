//! A chat completions answer, streamed or whole.

use artoo_llm_client::StopReason;
use serde_json::Value;

use crate::decode::{Answer, Bad, Counts, Decode, Heard, Progress, reported};
use crate::sse::Event;

/// Collects the first choice.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    text: String,
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
            // The end mark, an empty keep-alive, or chunks without the empty lines that should stand between them.
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
        Heard::new(self.counts, &self.text)
    }

    fn finish(self) -> Result<Answer, Bad> {
        if !self.done && self.finish.is_none() {
            return Err(Bad::Broken("the stream ended before the answer did".to_owned()));
        }
        if !self.choices {
            return Err(Bad::Protocol("an answer without choices".to_owned()));
        }
        let refused = self.text.is_empty() && !self.refusal.is_empty();
        let stop = match self.finish.as_deref() {
            _ if refused => StopReason::Refused,
            Some("length" | "max_tokens") => StopReason::Length,
            Some("content_filter") => StopReason::Refused,
            _ => StopReason::End,
        };
        let text = if refused { self.refusal } else { self.text };
        Ok(Answer { text, stop, counts: self.counts, model: self.model })
    }
}

impl Decoder {
    /// Takes a chunk, or a whole answer, which differs from one only in `message` for `delta`.
    fn chunk(&mut self, chunk: &Value) -> Result<(), Bad> {
        // First: what a failure cost may stand beside it.
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.counts = Some(counts(usage));
        }
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(reported(error));
        }
        if let Some(model) = chunk.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) {
            self.model.get_or_insert_with(|| model.to_owned());
        }
        // Several choices were not asked for; a server that sends them anyway marks them.
        let choices = chunk.get("choices").and_then(Value::as_array).into_iter().flatten();
        let first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        for choice in choices.filter(first) {
            self.choices = true;
            if let Some(message) = choice.get("delta").or_else(|| choice.get("message")) {
                append(&mut self.text, message.get("content"));
                append(&mut self.refusal, message.get("refusal"));
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
mod tests {
    use super::*;
    use serde_json::json;

    fn stream(events: &[&str]) -> Result<Answer, Bad> {
        let mut decoder = Decoder::default();
        for data in events {
            let event = Event { name: String::new(), data: (*data).to_owned() };
            if decoder.event(&event)? == Progress::Done {
                break;
            }
        }
        decoder.finish()
    }

    fn answer(text: &str, stop: StopReason) -> Result<Answer, Bad> {
        Ok(Answer { text: text.to_owned(), stop, counts: None, model: None })
    }

    #[test]
    fn streams_as_servers_send_them() {
        let a = r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"a"}}]}"#;
        let b = r#"{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":null}]}"#;
        let thinking =
            r#"{"choices":[{"delta":{"reasoning_content":"hm","reasoning":"hm","content":null}}]}"#;
        let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
        let other = r#"{"choices":[{"index":1,"delta":{"content":"x"}}]}"#;
        assert_eq!(stream(&[a, thinking, b, other, end, "[DONE]"]), answer("ab", StopReason::End));
        assert_eq!(stream(&[a, b, end]), answer("ab", StopReason::End), "no end mark");
        assert_eq!(stream(&[a, b, "[DONE]"]), answer("ab", StopReason::End), "no finish reason");
        assert_eq!(
            stream(&[&format!("{a}\n{b}\n{end}\n[DONE]")]),
            answer("ab", StopReason::End),
            "no empty lines"
        );
        assert_eq!(stream(&["", a, end]), answer("a", StopReason::End));
        let parts = r#"{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"image"}]}}]}"#;
        assert_eq!(stream(&[parts, end]), answer("a", StopReason::End));
    }

    #[test]
    fn reasons_for_stopping() {
        let check = |finish: &str, expected: StopReason| {
            let chunk =
                json!({"choices": [{"delta": {"content": "a"}, "finish_reason": finish}]}).to_string();
            assert_eq!(stream(&[&chunk]), answer("a", expected), "{finish}");
        };
        check("stop", StopReason::End);
        check("length", StopReason::Length);
        check("content_filter", StopReason::Refused);
        check("something new", StopReason::End);
        let refusal = r#"{"choices":[{"delta":{"refusal":"I cannot."},"finish_reason":"stop"}]}"#;
        assert_eq!(stream(&[refusal]), answer("I cannot.", StopReason::Refused));
    }

    #[test]
    fn broken_streams_and_reported_errors() {
        let a = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
        assert!(matches!(stream(&[a]), Err(Bad::Broken(_))));
        assert!(matches!(stream(&[]), Err(Bad::Broken(_))));
        assert!(matches!(stream(&["[DONE]"]), Err(Bad::Protocol(_))));
        assert!(matches!(stream(&[a, "{\"choices\": [{"]), Err(Bad::Protocol(_))));
        let error = |error: Value| stream(&[a, &json!({"error": error}).to_string()]);
        let reported = |status| Err(Bad::Reported { status, message: "m".into() });
        assert_eq!(error(json!({"message": "m", "code": 503})), reported(503));
        assert_eq!(error(json!({"message": "m", "code": "429"})), reported(429));
        assert_eq!(error(json!({"message": "m", "type": "server_error"})), reported(500));
        assert_eq!(error(json!("m")), reported(0));
    }

    #[test]
    fn usage_blocks() {
        let check = |usage: Value, expected: Option<Counts>| {
            let chunk = json!({"choices": [], "usage": usage}).to_string();
            let end = r#"{"model":"m-1","choices":[{"delta":{},"finish_reason":"stop"}],"usage":null}"#;
            let answer = stream(&[end, &chunk]).unwrap();
            assert_eq!((answer.counts, answer.model.as_deref()), (expected, Some("m-1")));
        };
        let details = json!({"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}});
        check(details, Some(Counts { prompt: 9, cached: 4, completion: 2 }));
        check(json!({"prompt_tokens": 9}), Some(Counts { prompt: 9, cached: 0, completion: 0 }));
        check(json!(null), None);
        check(json!("many"), None);
    }
}
