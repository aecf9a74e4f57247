//! A request as a chat completions body.

use artoo_llm_client::{JsonSchema, MessageRole, Request, with_schema_in_prompt};
use serde_json::{Value, json};

use crate::dialect::{Dialect, Level};
use crate::openai::strict::strict;

/// The body for `request` in this dialect.
pub(super) fn body(model: &str, request: &Request, dialect: Dialect) -> Value {
    let told = if dialect.level.is_native() {
        std::borrow::Cow::Borrowed(request)
    } else {
        with_schema_in_prompt(request)
    };
    let mut messages = Vec::with_capacity(told.messages.len() + 1);
    if !told.system.is_empty() {
        messages.push(json!({"role": "system", "content": &*told.system}));
    }
    for message in &told.messages {
        let role = match message.role {
            MessageRole::User => "user",
            MessageRole::Assistant => "assistant",
        };
        messages.push(json!({"role": role, "content": message.content}));
    }
    let mut body = json!({"model": model, "messages": messages, "stream": true});
    let mut set = |name: &str, value: Value| {
        if let Some(fields) = body.as_object_mut() {
            fields.insert(name.to_owned(), value);
        }
    };
    if dialect.stream_usage {
        set("stream_options", json!({"include_usage": true}));
    }
    set(
        if dialect.completion_limit { "max_completion_tokens" } else { "max_tokens" },
        request.max_tokens.into(),
    );
    if dialect.temperature {
        set("temperature", (f64::from(request.temperature_percent.min(200)) / 100.0).into());
    }
    if let Some(format) = request.schema.as_ref().and_then(|schema| response_format(schema, dialect.level)) {
        set("response_format", format);
    }
    body
}

fn response_format(schema: &JsonSchema, level: Level) -> Option<Value> {
    let native = |schema: &JsonSchema, value: &Value, is_strict: bool| {
        let format = json!({"name": schema.name, "schema": value, "strict": is_strict});
        Some(json!({"type": "json_schema", "json_schema": format}))
    };
    match level {
        Level::Strict => match strict(&schema.schema) {
            Some(closed) => native(schema, &closed, true),
            None => native(schema, &schema.schema, false),
        },
        Level::Schema | Level::Tool => native(schema, &schema.schema, false),
        Level::Object => Some(json!({"type": "json_object"})),
        Level::Prompt => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use artoo_llm_client::Message;

    const RICH: Dialect =
        Dialect { level: Level::Strict, stream_usage: true, temperature: true, completion_limit: false };

    fn request() -> Request {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false});
        let mut request = Request::new("test", "Count.", "How many?")
            .with_schema(JsonSchema { name: "count".into(), schema: schema.into() });
        request.messages.push(Message::assistant("Three."));
        request
    }

    #[test]
    fn the_richest_dialect() {
        let request = request();
        let expected = json!({
            "model": "m",
            "messages": [
                {"role": "system", "content": "Count."},
                {"role": "user", "content": "How many?"},
                {"role": "assistant", "content": "Three."},
            ],
            "stream": true,
            "stream_options": {"include_usage": true},
            "max_tokens": 1024,
            "temperature": 0.0,
            "response_format": {"type": "json_schema", "json_schema": {
                "name": "count", "schema": *request.schema.clone().unwrap().schema, "strict": true,
            }},
        });
        assert_eq!(body("m", &request, RICH), expected);
    }

    #[test]
    fn the_poorest_dialect() {
        let poor =
            Dialect { level: Level::Prompt, stream_usage: false, temperature: false, completion_limit: true };
        let body = body("m", &request(), poor);
        let system = body["messages"][0]["content"].as_str().unwrap();
        assert!(system.contains("\"additionalProperties\":false"), "{system}");
        let mut fields: Vec<&String> = body.as_object().unwrap().keys().collect();
        fields.sort();
        assert_eq!(fields, ["max_completion_tokens", "messages", "model", "stream"]);
    }

    #[test]
    fn json_mode_has_the_schema_in_the_prompt_because_the_provider_demands_it() {
        let body = body("m", &request(), Dialect { level: Level::Object, ..RICH });
        assert_eq!(body["response_format"], json!({"type": "json_object"}));
        assert!(body["messages"][0]["content"].as_str().unwrap().contains("JSON"));
    }
}
