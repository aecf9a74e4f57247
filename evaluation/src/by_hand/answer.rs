//! A hand-written answer in place of a model, and its wire format.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An answer: text, tool calls, both, or a JSON value if the question has a schema.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The tool calls, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// The answer to a question with a schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The tool.
    pub name: String,
    /// Its arguments: an object, or a string that stands for broken ones.
    pub arguments: Value,
}

/// The tokens of one call, as the server reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Input tokens, including cached ones.
    pub prompt: u64,
    /// Of those, tokens that an earlier question began with as well.
    pub cached: u64,
    /// Output tokens.
    pub completion: u64,
}

impl Answer {
    /// Parses a hand-written answer.
    ///
    /// # Errors
    /// It is invalid; the message is for its author.
    pub fn read(text: &str) -> Result<Self, String> {
        let answer: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match &answer {
            Self { text, calls, json: None } if text.is_empty() && calls.is_empty() => {
                Err("it has neither `text` nor `calls` nor `json`".to_owned())
            }
            Self { text, json: Some(_), .. } if !text.is_empty() => {
                Err("it has `text` beside `json`: the answer to a schema is `json` alone".to_owned())
            }
            Self { .. } => Ok(answer),
        }
    }

    /// The model's content: its text, or the value as text.
    pub fn content(&self) -> String {
        self.json.as_ref().map_or_else(|| self.text.clone(), Value::to_string)
    }

    /// Everything that the model writes, for token counts.
    pub(super) fn written(&self) -> String {
        let calls = self.calls.iter().map(|call| format!("{}{}", call.name, call.arguments()));
        std::iter::once(self.content()).chain(calls).collect()
    }

    /// The model's turn in a conversation, in the wire format. `number` makes the ids of its calls unique.
    pub(super) fn message(&self, number: usize) -> Value {
        let calls: Vec<Value> = (1..).zip(&self.calls).map(|(at, call)| call.on_wire(number, at)).collect();
        let content = self.content();
        let content = if content.is_empty() { Value::Null } else { content.into() };
        match calls.is_empty() {
            true => json!({"role": "assistant", "content": content}),
            false => json!({"role": "assistant", "content": content, "tool_calls": calls}),
        }
    }

    /// A whole chat completion.
    pub(super) fn whole(&self, number: usize, tokens: Tokens) -> String {
        let choice = json!({"index": 0, "message": self.message(number), "finish_reason": self.reason()});
        json!({"id": format!("answer-{number}"), "object": "chat.completion", "model": "by-hand",
            "choices": [choice], "usage": usage(tokens)})
        .to_string()
    }

    /// A chat completion as a stream: the text, each call, the end, the counts.
    pub(super) fn streamed(&self, number: usize, tokens: Tokens) -> String {
        let content = self.content();
        let mut deltas = Vec::new();
        if !content.is_empty() {
            deltas.push(json!({"role": "assistant", "content": content}));
        }
        for (at, call) in self.calls.iter().enumerate() {
            let mut on_wire = call.on_wire(number, at.saturating_add(1));
            if let Some(fields) = on_wire.as_object_mut() {
                fields.insert("index".to_owned(), at.into());
            }
            deltas.push(json!({"tool_calls": [on_wire]}));
        }
        let choice =
            |delta: Value, reason: Value| json!([{"index": 0, "delta": delta, "finish_reason": reason}]);
        let mut choices: Vec<Value> = deltas.into_iter().map(|delta| choice(delta, Value::Null)).collect();
        choices.push(choice(json!({}), self.reason().into()));
        let event = |choices: Value, usage: Value| {
            let chunk = json!({"id": format!("answer-{number}"), "object": "chat.completion.chunk",
                "model": "by-hand", "choices": choices, "usage": usage});
            format!("data: {chunk}\n\n")
        };
        let mut body: String = choices.into_iter().map(|choices| event(choices, Value::Null)).collect();
        body.push_str(&event(json!([]), usage(tokens)));
        body.push_str("data: [DONE]\n\n");
        body
    }

    fn reason(&self) -> &'static str {
        if self.calls.is_empty() { "stop" } else { "tool_calls" }
    }
}

impl Call {
    fn arguments(&self) -> String {
        self.arguments.as_str().map_or_else(|| self.arguments.to_string(), str::to_owned)
    }

    fn on_wire(&self, number: usize, at: usize) -> Value {
        json!({"id": format!("call_{number}_{at}"), "type": "function",
            "function": {"name": self.name, "arguments": self.arguments()}})
    }
}

fn usage(tokens: Tokens) -> Value {
    json!({"prompt_tokens": tokens.prompt, "completion_tokens": tokens.completion,
        "total_tokens": tokens.prompt.saturating_add(tokens.completion),
        "prompt_tokens_details": {"cached_tokens": tokens.cached}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_as_somebody_writes_them() {
        let call = |arguments: Value| Call { name: "look".into(), arguments };
        let table = [
            (r#"{"text": "a"}"#, Answer { text: "a".into(), ..Answer::default() }),
            (r#"{"json": {"n": 1}}"#, Answer { json: Some(json!({"n": 1})), ..Answer::default() }),
            (
                r#"{"calls": [{"name": "look", "arguments": {"at": 1}}, {"name": "look", "arguments": "{"}]}"#,
                Answer { calls: vec![call(json!({"at": 1})), call(json!("{"))], ..Answer::default() },
            ),
        ];
        for (text, answer) in table {
            assert_eq!(Answer::read(text), Ok(answer), "{text}");
        }
        for text in ["", "{}", "[]", "3", r#"{"text": ""}"#, r#"{"say": "a"}"#, r#"{"text": "a", "json": 1}"#]
        {
            assert!(Answer::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_turn_has_unique_calls() {
        let call = Call { name: "look".into(), arguments: json!({"at": 1}) };
        let answer = Answer { calls: vec![call.clone(), call], ..Answer::default() };
        let message = answer.message(4);
        assert_eq!(message.pointer("/tool_calls/0/id"), Some(&json!("call_4_1")));
        assert_eq!(message.pointer("/tool_calls/1/id"), Some(&json!("call_4_2")));
        assert_eq!(message.pointer("/tool_calls/1/function/arguments"), Some(&json!("{\"at\":1}")));
    }
}
