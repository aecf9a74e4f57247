//! Adds default length limits to a schema. A small model without a limit sometimes generates without end:
//! inside a string, or from one list item to the next. An answer within the limits also satisfies the
//! original schema.

use serde_json::{Map, Value};

/// Keywords whose value is a schema. Those that test (`not`, `if`, `contains`) are excluded: a bound inside
/// would change what passes the test.
const ONE: [&str; 4] = ["items", "additionalProperties", "then", "else"];
/// Keywords whose value is a list of schemas.
const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
/// Keywords whose value maps names to schemas.
const MAPS: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];
/// Keywords that bound a string by other means.
const BOUNDED: [&str; 6] = ["maxLength", "enum", "const", "pattern", "format", "$ref"];

/// Keywords that say which further fields an object may or must have.
const OPEN: [&str; 4] =
    ["additionalProperties", "patternProperties", "unevaluatedProperties", "minProperties"];

/// Limits unbounded strings to `string` characters and unbounded lists to `list` items; 0 means no limit.
/// Objects that name their fields get no others, unless the schema composes objects from several parts.
pub(crate) fn bound(schema: &mut Value, string: usize, list: usize) {
    let close = !assembles(schema);
    Limits { string, list, close }.apply(schema);
}

struct Limits {
    string: usize,
    list: usize,
    close: bool,
}

impl Limits {
    fn apply(&self, schema: &mut Value) {
        let Value::Object(object) = schema else { return };
        let has = |keywords: &[&str]| keywords.iter().any(|keyword| object.contains_key(*keyword));
        let open_string = self.string > 0 && is_type(object, "string") && !has(&BOUNDED);
        let open_list =
            self.list > 0 && is_type(object, "array") && !has(&["maxItems", "enum", "const", "prefixItems"]);
        let open_object = self.close && has(&["properties"]) && !has(&OPEN);
        if open_string {
            let limit = at_least(object, "minLength", self.string);
            object.insert("maxLength".to_owned(), limit.into());
        }
        if open_list {
            let limit = at_least(object, "minItems", self.list);
            object.insert("maxItems".to_owned(), limit.into());
        }
        if open_object {
            object.insert("additionalProperties".to_owned(), false.into());
        }
        for (keyword, value) in object.iter_mut() {
            let keyword = keyword.as_str();
            match value {
                Value::Object(map) if MAPS.contains(&keyword) => {
                    map.values_mut().for_each(|inner| self.apply(inner));
                }
                Value::Array(inner) if LISTS.contains(&keyword) => {
                    inner.iter_mut().for_each(|inner| self.apply(inner));
                }
                inner if ONE.contains(&keyword) => self.apply(inner),
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_)
                | Value::Object(_) => {}
            }
        }
    }
}

/// Whether an object takes its fields from more than one place: closing one of them would exclude the others.
fn assembles(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => {
            let several =
                ["$ref", "anyOf", "oneOf", "if"].iter().any(|keyword| object.contains_key(*keyword));
            object.contains_key("allOf")
                || (several && object.contains_key("properties"))
                || object.values().any(assembles)
        }
        Value::Array(several) => several.iter().any(assembles),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn is_type(object: &Map<String, Value>, name: &str) -> bool {
    let Some(kind) = object.get("type") else { return false };
    kind == name || kind.as_array().is_some_and(|several| several.iter().any(|one| one == name))
}

fn at_least(object: &Map<String, Value>, keyword: &str, limit: usize) -> u64 {
    object.get(keyword).and_then(Value::as_u64).unwrap_or(0).max(limit as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(mut schema: Value, expected: Value) {
        bound(&mut schema, 10, 3);
        assert_eq!(schema, expected);
    }

    #[test]
    fn open_strings_and_lists_get_a_bound() {
        check(json!({"type": "string"}), json!({"type": "string", "maxLength": 10}));
        check(json!({"type": ["string", "null"]}), json!({"type": ["string", "null"], "maxLength": 10}));
        check(
            json!({"type": "string", "minLength": 20}),
            json!({"type": "string", "minLength": 20, "maxLength": 20}),
        );
        check(
            json!({"properties": {"items": {"type": "array", "items": {"type": "string"}}}}),
            json!({"properties": {"items": {"type": "array", "items": {"type": "string", "maxLength": 10}, "maxItems": 3}},
                "additionalProperties": false}),
        );
    }

    #[test]
    fn what_is_bounded_or_negated_stays() {
        for schema in [
            json!({"type": "string", "maxLength": 99}),
            json!({"type": "string", "enum": ["a"]}),
            json!({"not": {"type": "string"}}),
            json!({"allOf": [{"properties": {"a": {"type": "null"}}}, {"properties": {"b": {"type": "null"}}}]}),
            json!({"properties": {"tag": {"const": "x"}}, "$ref": "#/$defs/x", "$defs": {"x": {"properties": {}}}}),
            json!(true),
        ] {
            check(schema.clone(), schema);
        }
    }
}
