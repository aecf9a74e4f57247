//! Encodes a request as a Messages body.

use artoo_llm_client::{JsonSchema, ReasoningEffort, Request, ToolDefinition, with_schema_in_prompt};
use serde_json::{Value, json};

use crate::anthropic::turns::turns;
use crate::dialect::{Dialect, Level};
use crate::model::Terms;

/// The body for `request` in this dialect.
pub(super) fn body(model: &str, request: &Request, dialect: Dialect, terms: Terms) -> Value {
    let told = if dialect.level.is_native() {
        std::borrow::Cow::Borrowed(request)
    } else {
        with_schema_in_prompt(request)
    };
    let limit = terms.limit.unwrap_or(request.max_tokens);
    let mut body = json!({"model": model, "max_tokens": limit, "stream": true});
    let mut set = |name: &str, value: Value| {
        if let Some(fields) = body.as_object_mut() {
            fields.insert(name.to_owned(), value);
        }
    };
    // Everything before a mark is cached: the tools, then the constant prompt, then the conversation.
    if !told.system.is_empty() {
        set("system", json!([marked(json!({"type": "text", "text": &*told.system}))]));
    }
    // A single question is asked once, so its end is not worth writing to the cache.
    let is_loop = !request.tools.is_empty();
    set("messages", turns(&told.messages, if is_loop { MARKED_TURNS } else { 0 }).into());
    if dialect.temperature {
        set("temperature", (f64::from(request.temperature_percent.min(100)) / 100.0).into());
    }
    let mut output = serde_json::Map::new();
    if let Some(effort) = terms.effort.filter(|_| dialect.effort) {
        output.insert("effort".to_owned(), effort_word(effort).into());
    }
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    if let Some(schema) = &request.schema {
        match dialect.level {
            Level::Strict | Level::Schema => {
                let schema = without_bounds(&schema.schema);
                output.insert("format".to_owned(), json!({"type": "json_schema", "schema": schema}));
            }
            Level::Tool => {
                tools.push(giving_answer(schema));
                let choice = if is_loop {
                    json!({"type": "any"})
                } else {
                    json!({"type": "tool", "name": schema.name})
                };
                set("tool_choice", choice);
            }
            Level::Object | Level::Prompt => {}
        }
    }
    if !output.is_empty() {
        set("output_config", output.into());
    }
    if let Some(last) = tools.pop() {
        tools.push(if is_loop { marked(last) } else { last });
        set("tools", tools.into());
    }
    body
}

/// The provider's word for an effort; it has none below `low`.
fn effort_word(effort: ReasoningEffort) -> &'static str {
    match effort {
        ReasoningEffort::None | ReasoningEffort::Minimal => ReasoningEffort::Low.word(),
        ReasoningEffort::Low
        | ReasoningEffort::Medium
        | ReasoningEffort::High
        | ReasoningEffort::Xhigh
        | ReasoningEffort::Max => effort.word(),
    }
}

/// How many turns of the user are marked, counted from the last. The last is written to the cache; the one
/// before was written by the previous call, and is found there however large the last turn is.
const MARKED_TURNS: usize = 2;

/// Marks a block as the end of a cacheable prefix.
pub(super) fn marked(mut block: Value) -> Value {
    if let Some(fields) = block.as_object_mut() {
        fields.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
    }
    block
}

/// The tool whose input is the answer, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnswerTool {
    pub(super) name: String,
    /// Whether the answer is the field `value` of the input, because a tool's input must be an object and the
    /// schema requires something else.
    pub(super) is_wrapped: bool,
}

/// The tool that gives the answer to `request` in this dialect.
pub(super) fn answer_tool(request: &Request, dialect: Dialect) -> Option<AnswerTool> {
    let schema = request.schema.as_ref().filter(|_| dialect.level == Level::Tool)?;
    Some(AnswerTool { name: schema.name.clone(), is_wrapped: !is_object(schema) })
}

fn is_object(schema: &JsonSchema) -> bool {
    schema.schema.get("type").is_some_and(|kind| kind == "object")
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": *tool.parameters})
}

fn giving_answer(schema: &JsonSchema) -> Value {
    let input = if is_object(schema) {
        Value::clone(&schema.schema)
    } else {
        json!({"type": "object", "properties": {"value": *schema.schema}, "required": ["value"], "additionalProperties": false})
    };
    json!({"name": schema.name, "description": "Gives the answer.", "input_schema": input})
}

/// The schema without bounds on numbers and lengths, which `output_config` refuses. The reader still checks
/// them.
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
            // A property may have such a name; its value is then a schema, which a bound never is.
            .filter(|(name, value)| !BOUNDS.contains(&name.as_str()) || value.is_object())
            .map(|(name, value)| match name.as_str() {
                "enum" | "const" | "default" | "examples" => (name.clone(), value.clone()),
                // One item is the only lower bound it takes.
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
    use crate::conversation::{conversation, parameters};
    use crate::dialect::LimitField;

    const RICH: Dialect = Dialect {
        level: Level::Schema,
        tools: true,
        stream_usage: false,
        temperature: true,
        seed: false,
        effort: true,
        limit: LimitField::Required,
    };

    fn body(model: &str, request: &Request, dialect: Dialect) -> Value {
        super::body(model, request, dialect, Terms { limit: Some(request.max_tokens), effort: None })
    }

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
            "messages": [{"role": "user", "content": [{"type": "text", "text": "How many?"}]}],
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
        let giving = |is_wrapped| Some(AnswerTool { name: "count".into(), is_wrapped });
        assert_eq!(answer_tool(&request(object()), tool), giving(false));

        let list = request(json!({"type": "array"}));
        assert_eq!(answer_tool(&list, tool), giving(true));
        assert_eq!(answer_tool(&list, RICH), None);
        let body = self::body("m", &list, tool);
        assert_eq!(body["tools"][0]["input_schema"]["properties"], json!({"value": {"type": "array"}}));
    }

    #[test]
    fn tools_and_a_growing_conversation_are_cached() {
        let mut request = conversation(json!({"type": "redacted_thinking", "data": "x"}));
        let body = body("m", &request, RICH);
        let tool = json!({"name": "look", "description": "Looks.", "input_schema": parameters()});
        assert_eq!(body["tools"], json!([marked(tool.clone())]));
        assert_eq!(body.get("tool_choice"), None);
        assert_eq!(body.to_string().matches("cache_control").count(), 4, "the most that the provider takes");
        // Both a tool and the answer may come.
        request.schema = self::request(json!({"type": "array"})).schema;
        let both = self::body("m", &request, Dialect { level: Level::Tool, ..RICH });
        assert_eq!(both["tool_choice"], json!({"type": "any"}));
        assert_eq!((&both["tools"][0], &both["tools"][1]["name"]), (&tool, &json!("count")));
        assert_eq!(both.to_string().matches("cache_control").count(), 4);
    }

    #[test]
    fn an_effort_stands_beside_the_schema() {
        let terms = Terms { limit: Some(9), effort: Some(ReasoningEffort::Minimal) };
        let body = super::body("m", &request(object()), RICH, terms);
        assert_eq!((&body["max_tokens"], &body["output_config"]["effort"]), (&json!(9), &json!("low")));
        assert_eq!(body["output_config"]["format"]["type"], "json_schema");
        let without = super::body("m", &request(object()), Dialect { effort: false, ..RICH }, terms);
        assert_eq!(without["output_config"].get("effort"), None);
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
