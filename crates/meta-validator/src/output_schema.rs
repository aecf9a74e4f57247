//! The person's JSON Schema for a run's output.

use std::{collections::BTreeSet, sync::Arc};

use artoo_llm_client::JsonSchema;
use serde_json::Value;

/// The maximum length of a schema, in bytes. It becomes part of a prompt.
pub const MAX_SCHEMA_BYTES: usize = 64 * 1024;

/// A self-contained JSON Schema (draft 2020-12).
///
/// ```
/// use artoo_meta_validator::OutputSchema;
/// assert!(OutputSchema::parse(r#"{"type": "object", "required": ["count"]}"#).is_ok());
/// assert!(OutputSchema::parse(r#"{"type": "sausage"}"#).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputSchema(JsonSchema);

/// Why a text is not a usable output schema.
#[derive(Debug, thiserror::Error)]
pub enum OutputSchemaError {
    /// The text is too long.
    #[error("the schema has {bytes} bytes, more than {MAX_SCHEMA_BYTES}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// The text is not JSON.
    #[error("the schema is not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    /// The schema has an external reference.
    #[error("the schema refers to {reference:?}, which is not in it, and nothing is fetched")]
    Elsewhere {
        /// The reference.
        reference: String,
    },
    /// The JSON is not a schema.
    #[error("this is not a JSON Schema: {reason}")]
    NotASchema {
        /// The error in it.
        reason: String,
    },
}

impl OutputSchemaError {
    /// What the person can do about the error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::TooLong { .. } => "ask for less: only the fields that you need",
            Self::NotJson(_) => {
                "write a JSON Schema, for example {\"type\": \"object\", \"properties\": {\"count\": {\"type\": \"integer\"}}}"
            }
            Self::Elsewhere { .. } => "put what it refers to under \"$defs\", and refer to \"#/$defs/NAME\"",
            Self::NotASchema { .. } => "see https://json-schema.org/draft/2020-12",
        }
    }
}

impl OutputSchema {
    /// Parses a schema. Nothing is fetched for it, neither from the network nor from a file.
    ///
    /// # Errors
    ///
    /// [`OutputSchemaError`]: what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, OutputSchemaError> {
        if text.len() > MAX_SCHEMA_BYTES {
            return Err(OutputSchemaError::TooLong { bytes: text.len() });
        }
        let schema: Value = serde_json::from_str(text)?;
        if let Some(reference) = elsewhere(&schema) {
            return Err(OutputSchemaError::Elsewhere { reference: reference.to_owned() });
        }
        if !schema.is_object() && !schema.is_boolean() {
            return Err(OutputSchemaError::NotASchema { reason: "it is no object".to_owned() });
        }
        let schema = JsonSchema { name: "output".to_owned(), schema: Arc::new(schema) };
        match schema.violation(&Value::Null) {
            Ok(_) => Ok(Self(schema)),
            Err(error) => Err(OutputSchemaError::NotASchema { reason: error.to_string() }),
        }
    }

    /// The schema for a model request.
    pub(crate) fn asked(&self) -> JsonSchema {
        self.0.clone()
    }

    /// Every string in the schema, names of fields included: its author supplied them.
    pub(crate) fn texts(&self) -> BTreeSet<&str> {
        let mut texts = BTreeSet::new();
        for_each(&self.0.schema, &mut |value| {
            texts.extend(value.as_str());
            texts.extend(value.as_object().into_iter().flat_map(|fields| fields.keys().map(String::as_str)));
        });
        texts
    }

    /// The numbers that the schema allows as values.
    pub(crate) fn numbers(&self) -> Vec<&Value> {
        let mut numbers = Vec::new();
        for_each(&self.0.schema, &mut |value| {
            let Some(fields) = value.as_object() else { return };
            let given = fields.get("enum").and_then(Value::as_array).into_iter().flatten();
            numbers.extend(given.chain(fields.get("const")).filter(|given| given.is_number()));
        });
        numbers
    }
}

/// The first reference to something outside of the schema.
fn elsewhere(schema: &Value) -> Option<&str> {
    let mut found = None;
    for_each(schema, &mut |value| {
        for keyword in ["$ref", "$dynamicRef"] {
            let reference = value.get(keyword).and_then(Value::as_str);
            found = found.or(reference.filter(|reference| !reference.starts_with('#')));
        }
    });
    found
}

/// Calls `visit` on a value and all values within it. The parser bounds the depth.
fn for_each<'a>(value: &'a Value, visit: &mut impl FnMut(&'a Value)) {
    visit(value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| for_each(item, visit)),
        Value::Object(fields) => fields.values().for_each(|field| for_each(field, visit)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refused(text: &str) -> String {
        OutputSchema::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_schema_is_refused_with_its_reason() {
        assert!(refused("{").starts_with("the schema is not JSON: "));
        assert!(refused("").starts_with("the schema is not JSON: "));
        assert_eq!(refused("[]"), "this is not a JSON Schema: it is no object");
        for text in [r#"{"type": "sausage"}"#, r#"{"pattern": "("}"#, r##"{"$ref": "#/$defs/none"}"##] {
            assert!(refused(text).starts_with("this is not a JSON Schema: "), "{text}");
        }
        let long = format!("{{\"title\": \"{}\"}}", "x".repeat(1024 * 1024));
        assert_eq!(refused(&long), "the schema has 1048589 bytes, more than 65536");
    }

    /// Nothing is fetched, neither from a host nor from a file.
    #[test]
    fn a_reference_to_somewhere_else_is_refused() {
        for reference in ["https://example.invalid/a.json", "file:///etc/passwd", "other.json#/a"] {
            let schema = serde_json::json!({"properties": {"a": {"$ref": reference}}});
            let told =
                format!("the schema refers to {reference:?}, which is not in it, and nothing is fetched");
            assert_eq!(refused(&schema.to_string()), told);
        }
        let own = r##"{"$defs": {"n": {"type": "integer"}}, "properties": {"a": {"$ref": "#/$defs/n"}}}"##;
        assert!(OutputSchema::parse(own).is_ok());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in any::<String>(), key in "(type|\\$ref|enum|const|pattern|not|items|\\$id|a)", value in ".*") {
            let _ = OutputSchema::parse(&text);
            let _ = OutputSchema::parse(&serde_json::json!({key: value}).to_string());
        }
    }
}
