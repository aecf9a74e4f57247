//! Fits an answer into a schema where that takes no guess.

use serde_json::{Map, Number, Value};

/// The value in the form of the schema, as far as its meaning is plain: keys that a closed object does not name are
/// dropped, unless they may contradict the others, missing keys that may be null are null, a number or a truth value that was written as a text is one, a word
/// of a list is read in any case, and a null list is left out. Everything else stays, so that it remains a violation.
pub(crate) fn fitted(value: Value, schema: &Value) -> Value {
    let takes = |kind: &str| takes(schema, kind);
    match value {
        Value::Object(fields) if schema.get("properties").is_some() => Value::Object(object(fields, schema)),
        Value::Array(items) => match schema.get("items") {
            Some(of_each) => items.into_iter().map(|item| fitted(item, of_each)).collect(),
            None => Value::Array(items),
        },
        Value::String(text) if !takes("string") => read(text.trim(), schema).unwrap_or(Value::String(text)),
        Value::String(text) => word(&text, schema).unwrap_or(Value::String(text)),
        Value::Object(_) | Value::Number(_) | Value::Bool(_) | Value::Null => value,
    }
}

fn object(mut fields: Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return fields };
    if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
        fields.retain(|name, value| properties.contains_key(name) || may_contradict(value, properties));
    }
    let required = schema.get("required").and_then(Value::as_array);
    for (name, of_it) in properties {
        let is_required = required.is_some_and(|names| names.iter().any(|one| one == name));
        match fields.get_mut(name) {
            // An optional key that is null is not there.
            Some(Value::Null) if !is_required && !takes(of_it, "null") => {
                fields.shift_remove(name);
            }
            Some(value) => *value = fitted(value.take(), of_it),
            None if is_required && takes(of_it, "null") => {
                fields.insert(name.clone(), Value::Null);
            }
            None => {}
        }
    }
    fields
}

/// Whether a value under another key may say the opposite of what the named keys say: it holds a truth value, or a word
/// of one of their lists.
fn may_contradict(value: &Value, properties: &Map<String, Value>) -> bool {
    match value {
        Value::Bool(_) => true,
        Value::String(text) => properties.values().any(|of_it| word(text, of_it).is_some()),
        Value::Array(items) => items.iter().any(|item| may_contradict(item, properties)),
        Value::Object(fields) => fields.values().any(|field| may_contradict(field, properties)),
        Value::Number(_) | Value::Null => false,
    }
}

/// Whether the schema has values of this type.
fn takes(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
        Some(one) => one == kind,
        None => schema.get("enum").and_then(Value::as_array).is_none_or(|values| {
            values.iter().any(|value| match value {
                Value::Null => kind == "null",
                Value::String(_) => kind == "string",
                Value::Bool(_) => kind == "boolean",
                Value::Number(_) => kind == "number" || kind == "integer",
                Value::Array(_) => kind == "array",
                Value::Object(_) => kind == "object",
            })
        }),
    }
}

/// A number, a truth value or nothing that was written as a text.
fn read(text: &str, schema: &Value) -> Option<Value> {
    let is = |kind: &str, word: &str| takes(schema, kind) && text.eq_ignore_ascii_case(word);
    if is("null", "null") {
        return Some(Value::Null);
    }
    if takes(schema, "integer") || takes(schema, "number") {
        let number: Option<Number> = text.parse().ok();
        return number.map(Value::Number);
    }
    match (is("boolean", "true"), is("boolean", "false")) {
        (true, _) => Some(Value::Bool(true)),
        (_, true) => Some(Value::Bool(false)),
        (false, false) => None,
    }
}

/// The word of the schema's list that this is in other letters.
fn word(text: &str, schema: &Value) -> Option<Value> {
    let words = schema.get("enum")?.as_array()?;
    let is_it = |word: &&Value| word.as_str().is_some_and(|word| word.eq_ignore_ascii_case(text.trim()));
    words.iter().find(is_it).cloned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::JsonSchema;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "word": {"type": "string", "enum": ["pass", "fail"]},
                "class": {"type": ["string", "null"], "enum": ["logical", null]},
                "call": {"type": ["integer", "null"]},
                "sure": {"type": ["boolean", "null"]},
                "each": {"type": "array", "items": {
                    "type": "object", "properties": {"n": {"type": ["integer", "null"]}},
                    "required": ["n"], "additionalProperties": false,
                }},
            },
            "required": ["word", "class", "call", "sure"],
            "additionalProperties": false,
        })
    }

    fn violation(value: Value) -> Option<String> {
        let schema = JsonSchema { name: "verdict".to_owned(), schema: schema().into() };
        schema.violation(&fitted(value, &schema.schema)).unwrap()
    }

    #[test]
    fn what_is_plain_fits() {
        let full = json!({"word": "pass", "class": null, "call": 2, "sure": true});
        for said in [
            full.clone(),
            json!({"word": " PASS", "call": "2", "sure": "True", "confidence": 0.9}),
            json!({"word": "Pass", "class": null, "call": 2, "sure": "true", "each": null}),
        ] {
            assert_eq!(fitted(said.clone(), &schema()), full, "{said}");
        }
        let nested = fitted(json!({"word": "fail", "each": [{"n": "7", "x": 1}, {}]}), &schema());
        assert_eq!(nested["each"], json!([{"n": 7}, {"n": null}]));
        assert_eq!(violation(nested), None);
    }

    /// What contradicts the schema's own words is for the model to put right.
    #[test]
    fn what_would_be_a_guess_stays_a_violation() {
        for said in [
            json!({"word": "matched"}),
            json!({"class": "logical"}),
            json!({"word": "pass", "sure": "probably"}),
            json!({"word": "pass", "call": "the second"}),
            json!({"word": "pass", "class": "both"}),
            json!({"word": true}),
            json!({"word": null}),
            json!(["pass"]),
            json!({"word": "pass", "met": [false]}),
            json!({"word": "pass", "each_part": {"a": "Fail"}}),
        ] {
            assert!(violation(said.clone()).is_some(), "{said}");
        }
    }

    proptest! {
        #[test]
        fn what_fits_already_is_unchanged_and_nothing_panics(
            call in prop::option::of(any::<u32>()), text in "\\PC{0,12}", key in "(word|call|each|sure|x)",
        ) {
            let right = json!({"word": "fail", "class": "logical", "call": call, "sure": null});
            prop_assert_eq!(fitted(right.clone(), &schema()), right);
            let any = fitted(json!({key: text}), &schema());
            prop_assert_eq!(fitted(any.clone(), &schema()), any);
        }
    }
}
