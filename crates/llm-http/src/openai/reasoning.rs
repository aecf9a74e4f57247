//! A model's reasoning, for servers that want it back.

use artoo_llm_client::{ToolUse, estimate_tokens};
use serde_json::{Map, Value, json};

/// The reasoning of one answer received so far.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    /// Plain text, as some servers send it.
    plain: String,
    /// Parts, as gateways send it: text, summaries, signed or encrypted data.
    details: Vec<Value>,
}

impl Thoughts {
    /// Takes the reasoning of a chunk, or of a whole answer.
    pub(super) fn take(&mut self, message: &Value) {
        self.plain.push_str(message.get("reasoning_content").and_then(Value::as_str).unwrap_or_default());
        for detail in message.get("reasoning_details").and_then(Value::as_array).into_iter().flatten() {
            match self.details.last_mut() {
                Some(last) if is_continued(last, detail) => append(last, detail),
                _ => self.details.push(detail.clone()),
            }
        }
    }

    /// Its estimated tokens so far. Servers that send both forms send the same in both.
    pub(super) fn tokens(&self) -> u64 {
        let text =
            |detail: &Value, field: &str| detail.get(field).and_then(Value::as_str).map(estimate_tokens);
        let of_detail = |detail| PIECES.iter().filter_map(move |field| text(detail, field)).sum::<u64>();
        let of_details: u64 = self.details.iter().map(of_detail).sum();
        estimate_tokens(&self.plain).max(of_details)
    }

    /// The reasoning to send back with the turn: all parts, or, with tool calls, the plain text. Servers that
    /// send plain text want it back while the model works with tools, and no longer. What a server sent with
    /// single calls, such as a signature of the thoughts behind them, goes back with those: see [`extras`].
    pub(super) fn into_reasoning(self, calls: &[ToolUse], extras: Vec<Map<String, Value>>) -> Vec<Value> {
        let is_wanted = self.details.is_empty() && !self.plain.is_empty() && !calls.is_empty();
        let thoughts = if is_wanted { vec![Value::String(self.plain)] } else { self.details };
        let extras = extras.into_iter().enumerate().filter(|(_, extra)| !extra.is_empty());
        thoughts.into_iter().chain(extras.map(|(place, extra)| json!([place, extra]))).collect()
    }
}

/// The fields to send back with the call at this place of its turn. Among the reasoning they are pairs of a
/// place and an object, which no server sends: text and objects are the servers' own forms.
pub(super) fn extras(reasoning: &[Value], place: usize) -> Option<&Map<String, Value>> {
    let of_call = |value: &&Value| value.get(0).and_then(Value::as_u64) == u64::try_from(place).ok();
    reasoning.iter().find(of_call)?.get(1)?.as_object()
}

/// The fields that arrive in pieces.
const PIECES: [&str; 2] = ["text", "summary"];

fn is_continued(last: &Value, detail: &Value) -> bool {
    let is_text = PIECES.iter().any(|field| detail.get(field).is_some() || detail.get("signature").is_some());
    is_text && ["type", "index"].iter().all(|field| last.get(field) == detail.get(field))
}

fn append(last: &mut Value, detail: &Value) {
    let (Some(known), Some(given)) = (last.as_object_mut(), detail.as_object()) else { return };
    for (name, value) in given.iter().filter(|(_, value)| !value.is_null()) {
        match (known.get_mut(name), value) {
            (Some(Value::String(text)), Value::String(more)) if PIECES.contains(&name.as_str()) => {
                text.push_str(more);
            }
            _ => {
                known.insert(name.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn thoughts_that_go_back() {
        let think = |deltas: &[Value]| {
            let mut thoughts = Thoughts::default();
            deltas.iter().for_each(|delta| thoughts.take(delta));
            thoughts
        };
        let detail = |detail: Value| json!({"reasoning_details": [detail]});
        let parts = [
            detail(json!({"type": "reasoning.text", "text": "h", "signature": null, "index": 0})),
            detail(json!({"type": "reasoning.text", "text": "m", "index": 0})),
            detail(json!({"type": "reasoning.text", "signature": "s", "index": 0})),
            detail(json!({"type": "reasoning.encrypted", "data": "x", "index": 1})),
            detail(json!({"type": "reasoning.encrypted", "data": "y", "index": 1})),
        ];
        let expected = [
            json!({"type": "reasoning.text", "text": "hm", "signature": "s", "index": 0}),
            json!({"type": "reasoning.encrypted", "data": "x", "index": 1}),
            json!({"type": "reasoning.encrypted", "data": "y", "index": 1}),
        ];
        assert_eq!(think(&parts).into_reasoning(&[], Vec::new()), expected);
        let plain = [json!({"reasoning_content": "h"}), json!({"reasoning_content": "m", "content": null})];
        assert_eq!(think(&plain).into_reasoning(&[], Vec::new()), [] as [Value; 0]);
        let call = ToolUse { id: "a".into(), name: "look".into(), arguments: "{}".into() };
        assert_eq!(think(&plain).into_reasoning(&[call], Vec::new()), [json!("hm")]);
    }
}
