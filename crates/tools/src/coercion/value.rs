//! Whether a value fits a schema, and the one value that fits it and that it can mean.

use serde_json::{Number, Value};

use super::{is_closed, object, required};

/// Whether a value is of the kind that a schema wants. Lengths and bounds are left to the tool, which names them.
pub(super) fn fits(value: &Value, schema: &Value) -> bool {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return words.contains(value);
    }
    if let Some(word) = schema.get("const") {
        return word == value;
    }
    if let Some(several) = alternatives(schema) {
        return several.iter().any(|schema| fits(value, schema));
    }
    let mut types = types(schema).peekable();
    types.peek().is_none() || types.any(|wanted| is_of_type(value, wanted, schema))
}

fn is_of_type(value: &Value, wanted: &str, schema: &Value) -> bool {
    match (wanted, value) {
        ("null", Value::Null) | ("boolean", Value::Bool(_)) | ("string", Value::String(_)) => true,
        ("number", Value::Number(_)) => true,
        ("integer", Value::Number(number)) => !number.is_f64(),
        ("array", Value::Array(items)) => match schema.get("items") {
            Some(wanted) => items.iter().all(|item| fits(item, wanted)),
            None => true,
        },
        ("object", Value::Object(members)) => {
            let known = schema.get("properties").and_then(Value::as_object);
            required(schema).all(|name| members.contains_key(name))
                && members.iter().all(|(name, value)| match known.and_then(|known| known.get(name)) {
                    Some(wanted) => fits(value, wanted),
                    None => !is_closed(schema),
                })
        }
        (_, _) => false,
    }
}

/// The value that fits the schema and that this one can mean; `None` if there is none, or several.
pub(super) fn coerced_value(value: &Value, schema: &Value) -> Option<Value> {
    if fits(value, schema) {
        return Some(value.clone());
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return only(words.iter().filter(|word| is_same_word(word, value)).cloned());
    }
    if let Some(several) = alternatives(schema) {
        return only(several.iter().filter_map(|schema| coerced_value(value, schema)));
    }
    only(types(schema).filter_map(|wanted| as_type(value, wanted, schema)))
}

fn as_type(value: &Value, wanted: &str, schema: &Value) -> Option<Value> {
    let alone = || match value {
        Value::Array(items) => match items.as_slice() {
            [only] if !only.is_array() => as_type(only, wanted, schema),
            [] | [_] | [_, _, ..] => None,
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => None,
    };
    match wanted {
        "integer" => whole(value).map(Value::Number).or_else(alone),
        "number" => number(value).map(Value::Number).or_else(alone),
        "boolean" => truth(value).map(Value::Bool).or_else(alone),
        "string" => text(value).map(Value::String).or_else(alone),
        "array" => list(value, schema),
        "object" => members(value, schema).or_else(alone),
        _ => None,
    }
}

/// A whole number: also as a text in plain digits, or with nothing behind the point.
fn whole(value: &Value) -> Option<Number> {
    let number = number(value)?;
    match number.as_f64().filter(|_| number.is_f64()) {
        None => Some(number),
        // Above 2^53 several whole numbers have the same floating point value.
        Some(float) if float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0 => {
            Some((float as i64).into())
        }
        Some(_) => None,
    }
}

/// A number: also as the text of one number of JSON. `007` and `1,000` may mean several.
fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => serde_json::from_str(text.trim()).ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::Number(number) => match number.as_f64() {
            Some(0.0) => Some(false),
            Some(1.0) => Some(true),
            Some(_) | None => None,
        },
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        },
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A text: also a whole number, in its digits. `1.10` and `1.1` are one number and two texts.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        Value::Number(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A list: also as its text, or as its only item.
fn list(value: &Value, schema: &Value) -> Option<Value> {
    let items = |items: &[Value]| {
        let Some(wanted) = schema.get("items") else { return Some(Value::Array(items.to_vec())) };
        let items = items.iter().map(|item| coerced_value(item, wanted));
        items.collect::<Option<Vec<_>>>().map(Value::Array)
    };
    match value {
        Value::Array(given) => items(given),
        Value::Object(_) | Value::Number(_) | Value::Bool(_) => items(std::slice::from_ref(value)),
        Value::String(text) => match parsed(value) {
            Some(Value::Array(given)) => items(&given),
            Some(one @ Value::Object(_)) => items(&[one]),
            // Several texts may be meant, with something between them.
            Some(_) | None if text.contains([',', ';', '\n', '[', '{']) || text.trim().is_empty() => None,
            Some(_) | None => items(std::slice::from_ref(value)),
        },
        Value::Null => None,
    }
}

/// An object: also as its text.
fn members(value: &Value, schema: &Value) -> Option<Value> {
    let given = match parsed(value).as_ref().unwrap_or(value) {
        Value::Object(given) => given.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => return None,
    };
    Some(Value::Object(object(given, schema, None))).filter(|taken| fits(taken, schema))
}

/// The list or object whose text a value is, also where the text was encoded twice or has line breaks in its strings.
pub(super) fn parsed(value: &Value) -> Option<Value> {
    let text = value.as_str()?.trim();
    if text.starts_with('"') {
        let inner = serde_json::from_str::<Value>(text).ok()?;
        return inner
            .as_str()
            .filter(|inner| inner.trim().starts_with(['[', '{']))
            .and_then(|_| parsed(&inner));
    }
    let is_value = text.starts_with(['[', '{']);
    let read = || serde_json::from_str(text).or_else(|_| serde_json::from_str(&with_escapes(text))).ok();
    is_value.then(read).flatten()
}

/// A text of JSON in which the control characters within strings are escaped.
fn with_escapes(text: &str) -> String {
    let (mut escaped, mut is_string, mut is_escape) = (String::with_capacity(text.len()), false, false);
    for c in text.chars() {
        if is_string && c.is_ascii_control() {
            escaped.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            escaped.push(c);
        }
        is_string ^= c == '"' && !is_escape;
        is_escape = is_string && c == '\\' && !is_escape;
    }
    escaped
}

/// Whether a value is this word of a list of words, in other letters or as its text.
fn is_same_word(word: &Value, value: &Value) -> bool {
    match (word, value) {
        (Value::String(word), Value::String(given)) => word.eq_ignore_ascii_case(given.trim()),
        (Value::String(word), other) => is_written_as(other, word),
        (other, Value::String(given)) => is_written_as(other, given.trim()),
        (one, other) => one == other,
    }
}

/// Whether the JSON text of a value is this one.
fn is_written_as(value: &Value, text: &str) -> bool {
    serde_json::to_string(value).is_ok_and(|written| written == text)
}

fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    ["anyOf", "oneOf"].into_iter().find_map(|name| schema.get(name)?.as_array())
}

fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let (one, several) = match schema.get("type") {
        Some(Value::Array(several)) => (None, several.as_slice()),
        one => (one.and_then(Value::as_str), [].as_slice()),
    };
    one.into_iter().chain(several.iter().filter_map(Value::as_str))
}

/// The only one of these values, however often it comes.
fn only(mut values: impl Iterator<Item = Value>) -> Option<Value> {
    let first = values.next()?;
    values.all(|other| other == first).then_some(first)
}
