//! Converts schemas to OpenAI's strict mode.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// The schema in strict form: every object closed, every property required. An optional property becomes
/// required if it may also be `null` or has a default, which means the same to the reader. Bounds of texts and defaults are left out,
/// since strict mode takes none; whoever reads the answer checks them. `None` if the schema has no strict form. Copied
/// only if it changes: this runs for every call, and a schema is large.
pub(super) fn strict(schema: &Value) -> Option<Cow<'_, Value>> {
    // The top level must be an object, and not a choice of objects.
    if schema.get("type")? != "object" {
        return None;
    }
    match fit(schema) {
        Fit::AsItIs => Some(Cow::Borrowed(schema)),
        Fit::Adapted => {
            let mut strict = schema.clone();
            adapt(&mut strict);
            Some(Cow::Owned(strict))
        }
        Fit::Not => None,
    }
}

/// How a schema fits strict mode; the worst of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    AsItIs,
    Adapted,
    Not,
}

/// Keywords that strict mode refuses, and that the reader of the answer applies.
const LEFT_OUT: [&str; 3] = ["minLength", "maxLength", "default"];

/// Keywords that strict mode supports, beyond those handled below.
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

fn fit(schema: &Value) -> Fit {
    let Some(fields) = schema.as_object() else { return Fit::Not };
    let is_object = fields.get("type").is_some_and(|kind| kind == "object");
    if is_object && fields.get("additionalProperties") != Some(&Value::Bool(false)) {
        return Fit::Not;
    }
    let parts = fields.iter().map(|(name, value)| match name.as_str() {
        "properties" => worst(required(fields), value.as_object().map(|inner| inner.values())),
        "$defs" => worst(Fit::AsItIs, value.as_object().map(|inner| inner.values())),
        "items" => fit(value),
        "anyOf" => worst(Fit::AsItIs, value.as_array()),
        name if KNOWN.contains(&name) => Fit::AsItIs,
        name if LEFT_OUT.contains(&name) => Fit::Adapted,
        _ => Fit::Not,
    });
    parts.max().unwrap_or(Fit::AsItIs)
}

/// The worst of `known` and of the parts, if there are any.
fn worst<'a>(known: Fit, parts: Option<impl IntoIterator<Item = &'a Value>>) -> Fit {
    parts.map_or(Fit::Not, |parts| parts.into_iter().map(fit).max().unwrap_or(known).max(known))
}

/// Whether all properties of an object are required, or the optional ones may be `null` or have a default to write.
fn required(fields: &Map<String, Value>) -> Fit {
    let required = fields.get("required").and_then(Value::as_array);
    let properties = fields.get("properties").and_then(Value::as_object).into_iter().flatten();
    let each = properties.map(|(name, property)| {
        if required.is_some_and(|names| names.iter().any(|known| known == name)) {
            Fit::AsItIs
        } else if takes_null(property) || property.get("default").is_some() {
            Fit::Adapted
        } else {
            Fit::Not
        }
    });
    each.max().unwrap_or(Fit::AsItIs)
}

/// Makes all properties required and leaves out what strict mode refuses, recursively.
fn adapt(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    fields.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
    if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
        let names = properties.keys().cloned().map(Value::String).collect();
        fields.insert("required".to_owned(), names);
    }
    for (name, value) in fields {
        match name.as_str() {
            "properties" | "$defs" => {
                value.as_object_mut().into_iter().flat_map(|inner| inner.values_mut()).for_each(adapt);
            }
            "items" => adapt(value),
            "anyOf" => value.as_array_mut().into_iter().flatten().for_each(adapt),
            _ => {}
        }
    }
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
    fn a_schema_is_copied_only_where_it_changes() {
        let step = JsonSchema::of::<Step>("step").schema;
        assert!(matches!(strict(&step), Some(Cow::Borrowed(same)) if *same == *step));
        let closed = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
        let inner =
            |required| closed(json!({"note": {"anyOf": [{"type": "null"}, {"type": "string"}]}}), required);
        let outer = |required| {
            closed(json!({"steps": {"type": "array", "items": inner(required)}}), json!(["steps"]))
        };
        assert_eq!(strict(&outer(json!([]))), Some(Cow::Owned(outer(json!(["note"])))));
    }

    #[test]
    fn bounds_of_texts_and_defaults_are_left_to_the_reader() {
        let bounded = json!({"type": "object", "additionalProperties": false, "required": ["default"], "properties": {
            "default": {"type": "string", "minLength": 1, "maxLength": 9},
            "count": {"type": ["integer", "null"], "minimum": 1, "default": null},
            "names": {"type": "array", "items": {"type": "string"}, "default": []},
        }});
        let strict_form = json!({"type": "object", "additionalProperties": false, "required": ["default", "count", "names"], "properties": {
            "default": {"type": "string"},
            "count": {"type": ["integer", "null"], "minimum": 1},
            "names": {"type": "array", "items": {"type": "string"}},
        }});
        assert_eq!(strict(&bounded).as_deref(), Some(&strict_form));
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
