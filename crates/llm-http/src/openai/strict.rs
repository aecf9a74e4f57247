//! Which schemas OpenAI's strict mode takes.

use serde_json::{Map, Value};

/// The schema in strict form: every object closed, every property required. Properties that may be left out are
/// required if they also may be `null`, which means the same to the reader. `None` if the schema cannot be put so.
pub(super) fn strict(schema: &Value) -> Option<Value> {
    let mut strict = schema.clone();
    // The top must be an object, and not a choice of objects.
    (schema.get("type")? == "object" && tighten(&mut strict)).then_some(strict)
}

/// Keywords that strict mode knows, beyond those handled below.
const KNOWN: [&str; 16] = [
    "type",
    "description",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "pattern",
    "minItems",
    "maxItems",
    "required",
    "additionalProperties",
    "$ref",
    "title",
];

fn tighten(schema: &mut Value) -> bool {
    let Some(fields) = schema.as_object_mut() else {
        return false;
    };
    if fields.contains_key("properties") && !require_all(fields) {
        return false;
    }
    if fields.get("type").is_some_and(|kind| kind == "object")
        && fields.get("additionalProperties") != Some(&Value::Bool(false))
    {
        return false;
    }
    fields.iter_mut().all(|(name, value)| match name.as_str() {
        "properties" | "$defs" => value.as_object_mut().is_some_and(|inner| inner.values_mut().all(tighten)),
        "items" => tighten(value),
        "anyOf" => value.as_array_mut().is_some_and(|branches| branches.iter_mut().all(tighten)),
        name => KNOWN.contains(&name),
    })
}

/// Makes all properties required; false if one of them may be left out but not be `null`.
fn require_all(fields: &mut Map<String, Value>) -> bool {
    let required = fields.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(properties) = fields.get("properties").and_then(Value::as_object) else {
        return false;
    };
    let fits = properties
        .iter()
        .all(|(name, property)| required.iter().any(|known| known == name) || takes_null(property));
    let names = properties.keys().cloned().map(Value::String).collect();
    fields.insert("required".to_owned(), names);
    fits
}

fn takes_null(schema: &Value) -> bool {
    let is_null = |kind: &Value| kind == "null";
    let by_type = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(is_null),
        Some(kind) => is_null(kind),
        None => false,
    };
    let branches = schema.get("anyOf").and_then(Value::as_array);
    by_type || branches.is_some_and(|branches| branches.iter().any(takes_null))
}

#[cfg(test)]
mod tests {
    use super::*;
    use artoo_llm_client::JsonSchema;
    use serde_json::json;

    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Plan {
        steps: Vec<Step>,
        note: Option<String>,
    }

    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Step {
        tool: Tool,
        count: u8,
    }

    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Tool {
        Shell,
        Glob,
    }

    #[test]
    fn ordinary_types_are_strict_and_optional_fields_become_nullable() {
        let schema = JsonSchema::of::<Plan>("plan").schema;
        assert_eq!(schema["required"], json!(["steps"]));
        assert_eq!(strict(&schema).unwrap()["required"], json!(["steps", "note"]));
    }

    #[test]
    fn what_strict_mode_does_not_take() {
        let closed = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
        let refused = [
            json!({"type": "array", "items": {"type": "string"}}),
            json!({"type": "object", "properties": {}}),
            closed(json!({"a": {"type": "string"}}), json!([])),
            closed(json!({"a": {"oneOf": [{"type": "string"}]}}), json!(["a"])),
            closed(json!({"a": {"type": "object", "properties": {}}}), json!(["a"])),
            closed(json!({"a": {"type": "object"}}), json!(["a"])),
            closed(json!({"a": true}), json!(["a"])),
        ];
        for schema in refused {
            assert_eq!(strict(&schema), None, "{schema}");
        }
    }
}
