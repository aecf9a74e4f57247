//! Schemas of servers as models are given them: without references, so that one can stand within another.

use serde_json::{Map, Value};

/// How deep references lead on; what is deeper may be anything.
const DEEPEST: usize = 6;
/// The largest schema that comes of it, in values; a larger one is given as it was.
const LARGEST: usize = 5_000;

/// The same schema with each reference replaced by what it means. Where one leads to itself, it ends in a schema that takes anything.
pub(crate) fn plain(schema: &Value) -> Value {
    let mut left = LARGEST;
    match inlined(schema, schema, 0, &mut left) {
        Some(plain) => plain,
        None => schema.clone(),
    }
}

fn inlined(value: &Value, whole: &Value, depth: usize, left: &mut usize) -> Option<Value> {
    *left = left.checked_sub(1)?;
    Some(match value {
        Value::Object(fields) => {
            let target =
                fields.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
            let mut plain = Map::new();
            if let Some(target) = target {
                if depth >= DEEPEST {
                    return Some(Value::Object(plain));
                }
                let found = whole.pointer(target).cloned().unwrap_or_default();
                if let Value::Object(found) = inlined(&found, whole, depth + 1, left)? {
                    plain.extend(found);
                }
            }
            for (name, value) in fields {
                // What a reference leads to, and what names the whole, means nothing within another schema.
                if !["$ref", "$schema", "$id", "$defs", "definitions"].contains(&name.as_str()) {
                    plain.insert(name.clone(), inlined(value, whole, depth, left)?);
                }
            }
            Value::Object(plain)
        }
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| inlined(item, whole, depth, left)).collect::<Option<_>>()?)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_become_what_they_mean() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/a", "description": "one"}, "b": {"type": "array", "items": {"$ref": "#/$defs/a"}}},
            "$defs": {"a": {"type": "string"}}
        });
        let expected = json!({
            "type": "object",
            "properties": {"a": {"type": "string", "description": "one"}, "b": {"type": "array", "items": {"type": "string"}}}
        });
        assert_eq!(plain(&schema), expected);
        assert_eq!(plain(&expected), expected);
    }

    #[test]
    fn what_leads_to_itself_or_grows_without_end_has_an_end() {
        let tree = json!({"$ref": "#/$defs/t", "$defs": {"t": {"type": "object", "properties": {"next": {"$ref": "#/$defs/t"}}}}});
        let text = plain(&tree).to_string();
        assert!(!text.contains("$ref") && text.len() < 1_000, "{text}");
        let branches: Vec<Value> = (0..50).map(|_| json!({"$ref": "#"})).collect();
        let bush = json!({"anyOf": branches});
        assert_eq!(plain(&bush), bush);
        assert_eq!(plain(&json!({"$ref": "#/nowhere"})), json!({}));
    }
}
