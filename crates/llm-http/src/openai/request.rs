//! Encodes a request as a chat completions body.

use std::borrow::Cow;

use artoo_llm_client::{JsonSchema, ReasoningEffort, Request, with_schema_in_prompt};
use serde::Serialize;
use serde_json::Value;

use crate::dialect::{Dialect, Level, LimitName};
use crate::model::Terms;
use crate::openai::strict::strict;
use crate::openai::turns::{Tool, Turn, tools, turns};

/// The body for `request` in this dialect, as JSON. Serialised directly from borrowed data, since it is built
/// for every call and a schema is large.
pub(super) fn body(
    model: &str,
    request: &Request,
    dialect: Dialect,
    terms: Terms,
) -> serde_json::Result<Vec<u8>> {
    let told =
        if dialect.level.is_native() { Cow::Borrowed(request) } else { with_schema_in_prompt(request) };
    let limit = |name: LimitName| terms.limit.filter(|_| dialect.limit.name() == Some(name));
    serde_json::to_vec(&Body {
        model,
        messages: turns(&told),
        tools: tools(&told.tools),
        stream: true,
        stream_options: dialect.stream_usage.then_some(StreamOptions { include_usage: true }),
        max_tokens: limit(LimitName::MaxTokens),
        max_completion_tokens: limit(LimitName::MaxCompletionTokens),
        temperature: dialect.temperature.then(|| f64::from(request.temperature_percent.min(200)) / 100.0),
        seed: request.seed.filter(|_| dialect.seed),
        reasoning_effort: terms.effort.filter(|_| dialect.effort).map(ReasoningEffort::word),
        response_format: request.schema.as_ref().and_then(|schema| format(schema, dialect.level)),
    })
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Turn<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Format<'a>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format<'a> {
    JsonSchema { json_schema: Named<'a> },
    JsonObject,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    schema: Cow<'a, Value>,
    strict: bool,
}

fn format(schema: &JsonSchema, level: Level) -> Option<Format<'_>> {
    let native = |value, strict| {
        Some(Format::JsonSchema { json_schema: Named { name: &schema.name, schema: value, strict } })
    };
    match level {
        Level::Strict => match strict(&schema.schema) {
            Some(closed) => native(closed, true),
            None => native(Cow::Borrowed(&schema.schema), false),
        },
        Level::Schema | Level::Tool => native(Cow::Borrowed(&schema.schema), false),
        Level::Object => Some(Format::JsonObject),
        Level::Prompt => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{conversation, parameters};
    use crate::dialect::LimitField;
    use artoo_llm_client::Message;
    use serde_json::json;

    const RICH: Dialect = Dialect {
        level: Level::Strict,
        tools: true,
        stream_usage: true,
        temperature: true,
        seed: true,
        effort: true,
        limit: LimitField::Usual(LimitName::MaxTokens),
    };

    fn sent(request: &Request, dialect: Dialect) -> Value {
        let terms = Terms { limit: Some(request.max_tokens), effort: None };
        serde_json::from_slice(&body("m", request, dialect, terms).unwrap()).unwrap()
    }

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
        assert_eq!(sent(&request, RICH), expected);
        let mut sample = expected;
        sample["temperature"] = json!(0.7);
        assert_eq!(sent(&request.sample(3), Dialect { seed: false, ..RICH }), sample);
        sample["seed"] = json!(3);
        assert_eq!(sent(&request.sample(3), RICH), sample);
    }

    #[test]
    fn tools_are_sent_with_and_without_a_schema() {
        let mut request = conversation(json!({}));
        let bare = sent(&request, RICH);
        assert_eq!(bare["tools"][0]["function"]["parameters"], parameters());
        let mut fields: Vec<&String> = bare.as_object().unwrap().keys().collect();
        fields.sort();
        let expected =
            ["max_tokens", "messages", "model", "stream", "stream_options", "temperature", "tools"];
        assert_eq!(fields, expected);
        request.schema = self::request().schema;
        let both = sent(&request, RICH);
        assert_eq!(
            (&both["tools"], &both["response_format"]["type"]),
            (&bare["tools"], &json!("json_schema"))
        );
    }

    #[test]
    fn the_poorest_dialect() {
        let poor = Dialect {
            level: Level::Prompt,
            tools: false,
            stream_usage: false,
            seed: false,
            temperature: false,
            effort: false,
            limit: LimitField::Other(LimitName::MaxCompletionTokens),
        };
        let body = sent(&request(), poor);
        let system = body["messages"][0]["content"].as_str().unwrap();
        assert!(system.contains("\"additionalProperties\":false"), "{system}");
        let mut fields: Vec<&String> = body.as_object().unwrap().keys().collect();
        fields.sort();
        assert_eq!(fields, ["max_completion_tokens", "messages", "model", "stream"]);
    }

    #[test]
    fn the_limit_and_the_effort_are_sent_as_the_server_takes_them() {
        let terms = Terms { limit: Some(77), effort: Some(ReasoningEffort::Minimal) };
        let fields = |dialect| {
            let body: Value =
                serde_json::from_slice(&body("m", &request(), dialect, terms).unwrap()).unwrap();
            ["max_tokens", "max_completion_tokens", "reasoning_effort"].map(|name| body.get(name).cloned())
        };
        assert_eq!(fields(RICH), [Some(json!(77)), None, Some(json!("minimal"))]);
        let bare = Dialect { effort: false, limit: LimitField::Omitted, ..RICH };
        assert_eq!(fields(bare), [None, None, None]);
    }

    #[test]
    fn json_mode_has_the_schema_in_the_prompt_because_the_provider_demands_it() {
        let body = sent(&request(), Dialect { level: Level::Object, ..RICH });
        assert_eq!(body["response_format"], json!({"type": "json_object"}));
        assert!(body["messages"][0]["content"].as_str().unwrap().contains("JSON"));
    }
}
