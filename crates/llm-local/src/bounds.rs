//! Limits on what a schema leaves open. A small model that may go on for ever sometimes does: inside a string, or from
//! one list item to the next. What keeps to the limits keeps to the schema.

use serde_json::{Map, Value};

/// Keywords whose value is a schema.
const ONE: [&str; 8] =
    ["items", "additionalProperties", "not", "if", "then", "else", "contains", "additionalItems"];
/// Keywords whose value is a list of schemas.
const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
/// Keywords whose value has a schema for each name.
const MAPS: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];
/// Keywords that bound a string by other means.
const BOUNDED: [&str; 6] = ["maxLength", "enum", "const", "pattern", "format", "$ref"];

/// Gives strings and lists without an upper bound one: `string` characters, `list` items. 0 leaves them open.
pub(crate) fn bound(schema: &mut Value, string: usize, list: usize) {
    let Value::Object(object) = schema else { return };
    if string > 0 && is_type(object, "string") && !BOUNDED.iter().any(|k| object.contains_key(*k)) {
        let limit = at_least(object, "minLength", string);
        object.insert("maxLength".to_owned(), limit.into());
    }
    if list > 0
        && is_type(object, "array")
        && !["maxItems", "enum", "const"].iter().any(|k| object.contains_key(*k))
    {
        let limit = at_least(object, "minItems", list);
        object.insert("maxItems".to_owned(), limit.into());
    }
    for (keyword, value) in object.iter_mut() {
        let keyword = keyword.as_str();
        match value {
            Value::Object(map) if MAPS.contains(&keyword) => {
                map.values_mut().for_each(|inner| bound(inner, string, list));
            }
            Value::Array(inner) if LISTS.contains(&keyword) => {
                inner.iter_mut().for_each(|inner| bound(inner, string, list));
            }
            // What must not match is left as it is: a bound inside would forbid less.
            inner if ONE.contains(&keyword) && keyword != "not" && keyword != "if" => {
                bound(inner, string, list)
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => {}
        }
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
            json!({"properties": {"items": {"type": "array", "items": {"type": "string", "maxLength": 10}, "maxItems": 3}}}),
        );
    }

    #[test]
    fn what_is_bounded_or_negated_stays() {
        for schema in [
            json!({"type": "string", "maxLength": 99}),
            json!({"type": "string", "enum": ["a"]}),
            json!({"not": {"type": "string"}}),
            json!(true),
        ] {
            check(schema.clone(), schema);
        }
    }
}
