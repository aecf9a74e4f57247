//! A request as a Messages body.

use artoo_llm_client::{JsonSchema, MessageRole, Request, with_schema_in_prompt};
use serde_json::{Value, json};

use crate::dialect::{Dialect, Level};

/// The body for `request` in this dialect.
pub(super) fn body(model: &str, request: &Request, dialect: Dialect) -> Value {
    let told = if dialect.level.is_native() {
        std::borrow::Cow::Borrowed(request)
    } else {
        with_schema_in_prompt(request)
    };
    let messages: Vec<Value> = told
        .messages
        .iter()
        .map(|message| {
            let role = match message.role {
                MessageRole::User => "user",
                MessageRole::Assistant => "assistant",
            };
            json!({"role": role, "content": message.content})
        })
        .collect();
    let mut body = json!({"model": model, "max_tokens": request.max_tokens, "stream": true});
    let mut set = |name: &str, value: Value| {
        if let Some(fields) = body.as_object_mut() {
            fields.insert(name.to_owned(), value);
        }
    };
    if !told.system.is_empty() {
        // All before the mark is cached: the tool, if there is one, and the constant prompt.
        set(
            "system",
            json!([{"type": "text", "text": &*told.system, "cache_control": {"type": "ephemeral"}}]),
        );
    }
    set("messages", messages.into());
    if dialect.temperature {
        set("temperature", (f64::from(request.temperature_percent.min(100)) / 100.0).into());
    }
    if let Some(schema) = &request.schema {
        match dialect.level {
            Level::Strict | Level::Schema => {
                let schema = without_bounds(&schema.schema);
                set("output_config", json!({"format": {"type": "json_schema", "schema": schema}}));
            }
            Level::Tool => {
                set("tools", json!([tool(schema)]));
                set("tool_choice", json!({"type": "tool", "name": schema.name}));
            }
            Level::Object | Level::Prompt => {}
        }
    }
    body
}

/// Whether the answer comes as the field `value` of a tool's input, because a tool's input must be an object and
/// the schema asks for something else.
pub(super) fn wraps_answer(request: &Request, dialect: Dialect) -> bool {
    dialect.level == Level::Tool && request.schema.as_ref().is_some_and(|schema| !is_object(schema))
}

fn is_object(schema: &JsonSchema) -> bool {
    schema.schema.get("type").is_some_and(|kind| kind == "object")
}

fn tool(schema: &JsonSchema) -> Value {
    let input = if is_object(schema) {
        Value::clone(&schema.schema)
    } else {
        json!({"type": "object", "properties": {"value": *schema.schema}, "required": ["value"], "additionalProperties": false})
    };
    json!({"name": schema.name, "description": "Gives the answer.", "input_schema": input})
}

/// The schema without bounds on numbers and lengths, which `output_config` refuses. The reader still checks them.
fn without_bounds(schema: &Value) -> Value {
    const BOUNDS: [&str; 9] = [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "maxItems",
        "uniqueItems",
    ];
    match schema {
        Value::Object(fields) => fields
            .iter()
            // A property may have such a name; its value is then a schema, and a bound never is.
            .filter(|(name, value)| !BOUNDS.contains(&name.as_str()) || value.is_object())
            .map(|(name, value)| match name.as_str() {
                "enum" | "const" | "default" | "examples" => (name.clone(), value.clone()),
                // One item at least is the only lower bound it takes.
                "minItems" => {
                    (name.clone(), value.as_u64().map_or_else(|| without_bounds(value), |n| n.min(1).into()))
                }
                _ => (name.clone(), without_bounds(value)),
            })
            .collect(),
        Value::Array(items) => items.iter().map(without_bounds).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RICH: Dialect =
        Dialect { level: Level::Schema, stream_usage: false, temperature: true, completion_limit: true };

    fn request(schema: Value) -> Request {
        let schema = JsonSchema { name: "count".into(), schema: schema.into() };
        Request::new("test", "Count.", "How many?").with_schema(schema)
    }

    fn object() -> Value {
        json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}, "maximum": {"type": "string", "maxLength": 3}}})
    }

    #[test]
    fn the_richest_dialect() {
        let expected = json!({
            "model": "m",
            "max_tokens": 1024,
            "stream": true,
            "system": [{"type": "text", "text": "Count.", "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": "How many?"}],
            "temperature": 0.0,
            "output_config": {"format": {"type": "json_schema", "schema": {
                "type": "object", "properties": {"n": {"type": "integer"}, "maximum": {"type": "string"}},
            }}},
        });
        assert_eq!(body("m", &request(object()), RICH), expected);
    }

    #[test]
    fn a_forced_tool_gives_the_answer() {
        let tool = Dialect { level: Level::Tool, ..RICH };
        let body = body("m", &request(object()), tool);
        assert_eq!(body["tool_choice"], json!({"type": "tool", "name": "count"}));
        assert_eq!(body["tools"][0]["input_schema"], object());
        assert!(!wraps_answer(&request(object()), tool));

        let list = request(json!({"type": "array"}));
        assert!(wraps_answer(&list, tool));
        assert!(!wraps_answer(&list, RICH));
        let body = super::body("m", &list, tool);
        assert_eq!(body["tools"][0]["input_schema"]["properties"], json!({"value": {"type": "array"}}));
    }

    #[test]
    fn the_prompt_alone() {
        let body =
            body("m", &request(object()), Dialect { level: Level::Prompt, temperature: false, ..RICH });
        assert!(body["system"][0]["text"].as_str().unwrap().contains("\"minimum\":0"));
        let mut fields: Vec<&String> = body.as_object().unwrap().keys().collect();
        fields.sort();
        assert_eq!(fields, ["max_tokens", "messages", "model", "stream", "system"]);
    }
}
