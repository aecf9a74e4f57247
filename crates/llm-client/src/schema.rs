//! JSON Schemas generated from Rust types, and validation of answers against them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::{JsonSchema, LlmError};

impl JsonSchema {
    /// The schema of `T`, closed and self-contained: subschemas are inlined, every object refuses fields it
    /// does not name, titles and number formats (which no provider needs) are removed. Doc comments stay as
    /// descriptions; [`terse`](Self::terse) drops them.
    ///
    /// Generating a schema costs tens of microseconds: a role generates its schema once and clones it, which
    /// shares it.
    /// ```
    /// use artoo_llm_client::JsonSchema;
    ///
    /// #[derive(schemars::JsonSchema)]
    /// struct Count {
    ///     files: u32,
    /// }
    ///
    /// let schema = JsonSchema::of::<Count>("count");
    /// assert_eq!(schema.schema["additionalProperties"], false);
    /// ```
    pub fn of<T: schemars::JsonSchema>(name: impl Into<String>) -> Self {
        let settings = SchemaSettings::draft2020_12().with(|s| {
            s.inline_subschemas = true;
            s.meta_schema = None;
        });
        let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
        close(&mut schema);
        Self { name: provider_name(&name.into()), schema: Arc::new(schema) }
    }

    /// This schema without descriptions: fewer prompt tokens if the prompt explains the fields anyway.
    #[must_use]
    pub fn terse(&self) -> Self {
        let mut schema = Value::clone(&self.schema);
        for_each_schema(&mut schema, &mut |object| {
            object.shift_remove("description");
        });
        Self { name: self.name.clone(), schema: Arc::new(schema) }
    }

    /// The first violation of this schema in `value`, in words a model can act on; `None` if it is valid.
    ///
    /// Recently used schemas are cached in compiled form, so a check costs microseconds.
    ///
    /// # Errors
    ///
    /// [`LlmError::Configuration`] if this is not a JSON Schema.
    pub fn violation(&self, value: &Value) -> Result<Option<String>, LlmError> {
        let validator = self.validator()?;
        Ok(validator.iter_errors(value).next().map(|error| {
            let path = error.instance_path().to_string();
            let place = if path.is_empty() { "at the top".to_owned() } else { format!("at {path}") };
            cut(&format!("{place}: {error}"), MAX_VIOLATION_CHARS)
        }))
    }

    fn validator(&self) -> Result<Arc<Validator>, LlmError> {
        // A poisoned lock only means that a thread panicked between two complete states.
        let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
        // Holding the schema's Arc keeps its address from being reused.
        if let Some((_, known)) =
            recent.iter().find(|(schema, _)| Arc::ptr_eq(schema, &self.schema) || *schema == self.schema)
        {
            return Ok(Arc::clone(known));
        }
        let validator =
            jsonschema::draft202012::new(&self.schema).map_err(|error| LlmError::Configuration {
                reason: format!("the answer schema {} is not a JSON Schema: {error}", self.name),
            })?;
        let validator = Arc::new(validator);
        if recent.len() >= MAX_RECENT {
            recent.pop_front();
        }
        recent.push_back((Arc::clone(&self.schema), Arc::clone(&validator)));
        Ok(validator)
    }
}

/// Compiled schemas. Seven roles have about ten; a planner may create some per run.
const MAX_RECENT: usize = 64;

/// Compiling takes 10 to 100 times as long as checking.
static RECENT: Mutex<VecDeque<(Arc<Value>, Arc<Validator>)>> = Mutex::new(VecDeque::new());

/// Maximum length of a violation shown to a model. It may quote the wrong value.
const MAX_VIOLATION_CHARS: usize = 400;

/// `text`, or its beginning and an ellipsis if it has more than `max` characters.
pub(crate) fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A name that providers accept: letters, digits and underscores, at most 64.
fn provider_name(name: &str) -> String {
    let clean: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(64).collect();
    if clean.is_empty() { "answer".to_owned() } else { clean }
}

/// Removes what no model needs and closes every object that can be closed.
fn close(schema: &mut Value) {
    for_each_schema(schema, &mut |object| {
        object.shift_remove("title");
        object.shift_remove("format");
        // Next to these keywords an object has fields that its own `properties` do not list.
        let composed = ["allOf", "anyOf", "oneOf", "$ref"].iter().any(|key| object.contains_key(*key));
        if composed && object.contains_key("properties") {
            object.entry("unevaluatedProperties").or_insert(Value::Bool(false));
        } else if object.contains_key("properties") {
            object.entry("additionalProperties").or_insert(Value::Bool(false));
        }
    });
    // A branch of a composed object must not refuse the fields that its parent lists.
    for_each_schema(schema, &mut |object| {
        if !object.contains_key("unevaluatedProperties") {
            return;
        }
        for key in ["allOf", "anyOf", "oneOf"] {
            for branch in object.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(branch) = branch.as_object_mut() {
                    branch.shift_remove("additionalProperties");
                }
            }
        }
    });
}

/// Calls `visit` on every schema object, parents first. Property names are not mistaken for keywords.
fn for_each_schema(schema: &mut Value, visit: &mut dyn FnMut(&mut serde_json::Map<String, Value>)) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    visit(object);
    for (key, value) in object.iter_mut() {
        match key.as_str() {
            "properties" | "patternProperties" | "$defs" | "dependentSchemas" => {
                value
                    .as_object_mut()
                    .into_iter()
                    .flatten()
                    .for_each(|(_, inner)| for_each_schema(inner, visit));
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                value.as_array_mut().into_iter().flatten().for_each(|inner| for_each_schema(inner, visit));
            }
            "items" | "additionalProperties" | "not" | "if" | "then" | "else" | "contains" => {
                for_each_schema(value, visit);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A step.
    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Step {
        /// What it is called.
        title: String,
        format: Option<u8>,
        inner: Vec<Kind>,
    }

    #[derive(schemars::JsonSchema)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Kind {
        Wait { seconds: u32 },
        Stop,
    }

    #[test]
    fn schemas_are_closed_inlined_and_bare() {
        let schema = JsonSchema::of::<Step>("a step!").terse();
        assert_eq!(schema.name, "a_step_");
        let wait = json!({"kind": {"type": "string", "const": "wait"}, "seconds": {"type": "integer", "minimum": 0}});
        let stop = json!({"kind": {"type": "string", "const": "stop"}});
        let expected = json!({
            "type": "object",
            "properties": {
                "title": {"type": "string"},
                "format": {"type": ["integer", "null"], "minimum": 0, "maximum": 255},
                "inner": {"type": "array", "items": {"oneOf": [
                    {"type": "object", "properties": wait, "required": ["kind", "seconds"], "additionalProperties": false},
                    {"type": "object", "properties": stop, "required": ["kind"], "additionalProperties": false},
                ]}},
            },
            "required": ["title", "inner"],
            "additionalProperties": false,
        });
        assert_eq!(*schema.schema, expected);
    }

    #[test]
    fn a_violation_names_its_place() {
        let schema = JsonSchema::of::<Step>("step");
        let violation = |value| schema.violation(&value).unwrap();
        assert_eq!(violation(json!({"title": "a", "inner": [{"kind": "stop"}]})), None);
        assert_eq!(
            violation(json!({"title": 3, "inner": []})).unwrap(),
            "at /title: 3 is not of type \"string\""
        );
        assert_eq!(violation(json!({"title": "a"})).unwrap(), "at the top: \"inner\" is a required property");
        assert!(violation(json!({"title": "a", "inner": [], "more": 1})).unwrap().contains("'more'"));
    }

    #[test]
    fn a_broken_schema_is_a_configuration_error() {
        let schema = JsonSchema { name: "x".into(), schema: Arc::new(json!({"type": 3})) };
        assert!(matches!(schema.violation(&json!(1)), Err(LlmError::Configuration { .. })));
    }
}
