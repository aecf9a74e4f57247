//! What a server says of one of its tools.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// The longest name of a tool, in bytes.
const LONGEST_NAME: usize = 128;
/// The longest description, in bytes.
const LONGEST_DESCRIPTION: usize = 16 * 1024;
/// The largest schema, in bytes of JSON.
const LARGEST_SCHEMA: usize = 64 * 1024;

/// What a server says of a tool: all of it that a model is told, or that decides about a question. A person approves it as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// Its name, as the server knows it.
    pub name: String,
    /// Its name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The schema of its arguments.
    pub input: Value,
    /// The schema of its structured result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// What it claims of its effects. They never make artoo less strict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
}

impl Definition {
    /// Reads a tool as the protocol lists it.
    ///
    /// # Errors
    ///
    /// Why no model can be offered it, in words.
    pub(crate) fn read(tool: &Value) -> Result<Self, String> {
        let text = |name: &str| tool.get(name).and_then(Value::as_str).map(str::to_owned);
        let some = |name: &str| tool.get(name).filter(|value| !value.is_null()).cloned();
        let name = text("name").ok_or("it has no name")?;
        let definition = Self {
            title: text("title"),
            description: text("description"),
            input: some("inputSchema").ok_or("it has no schema of its arguments")?,
            output: some("outputSchema"),
            annotations: some("annotations"),
            name,
        };
        definition.check()?;
        Ok(definition)
    }

    fn check(&self) -> Result<(), String> {
        if self.name.is_empty() || self.name.len() > LONGEST_NAME || self.name.chars().any(char::is_control) {
            return Err(format!(
                "its name is empty, has control characters or is longer than {LONGEST_NAME} bytes"
            ));
        }
        let told = self.description.iter().chain(&self.title).map(String::len).sum::<usize>();
        if told > LONGEST_DESCRIPTION {
            return Err(format!("its description has {told} bytes; at most {LONGEST_DESCRIPTION} are read"));
        }
        let schema = self.input.as_object().ok_or("the schema of its arguments is no object")?;
        if schema.get("type").is_some_and(|kind| kind != "object") {
            return Err("the schema of its arguments is none of an object".to_owned());
        }
        for (what, schema) in [("arguments", Some(&self.input)), ("result", self.output.as_ref())] {
            let Some(schema) = schema else { continue };
            let bytes = schema.to_string().len();
            if bytes > LARGEST_SCHEMA {
                return Err(format!(
                    "the schema of its {what} has {bytes} bytes; at most {LARGEST_SCHEMA} are read"
                ));
            }
            if leads_elsewhere(schema) {
                return Err(format!("the schema of its {what} names another one, which is not fetched"));
            }
            jsonschema::validator_for(schema).map_err(|error| {
                format!("the schema of its {what} is invalid: {}", short(&error.to_string()))
            })?;
        }
        Ok(())
    }

    /// The SHA-256 of all of it, in a form in which the order of fields does not matter.
    ///
    /// ```
    /// use artoo_mcp::Definition;
    ///
    /// let of = |text: &str| serde_json::from_str::<Definition>(text).map(|definition| definition.hash());
    /// let one = of(r#"{"name": "add", "input": {"type": "object", "properties": {}}}"#)?;
    /// let other = of(r#"{"input": {"properties": {}, "type": "object"}, "name": "add"}"#)?;
    /// assert_eq!(one, other);
    /// assert_ne!(one, of(r#"{"name": "add", "input": {"type": "object", "properties": {}}, "description": "!"}"#)?);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn hash(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        hex::encode(Sha256::digest(sorted(&value).to_string()))
    }

    /// All of it as lines, for a person who approves it, and for differences.
    pub fn lines(&self) -> String {
        let mut text = format!("tool {}\n", self.name);
        let named = [("title", &self.title), ("description", &self.description)];
        for (field, value) in named.into_iter().filter_map(|(field, value)| Some((field, value.as_ref()?))) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{field}:");
            for line in value.lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
        let schemas = [
            ("arguments", Some(&self.input)),
            ("result", self.output.as_ref()),
            ("annotations", self.annotations.as_ref()),
        ];
        for (field, value) in schemas.into_iter().filter_map(|(field, value)| Some((field, value?))) {
            let pretty = serde_json::to_string_pretty(&sorted(value)).unwrap_or_default();
            let _ = writeln!(text, "{field}: {pretty}");
        }
        text
    }

    /// Whether it claims that it may destroy something.
    pub fn is_destructive(&self) -> bool {
        self.annotations.as_ref().and_then(|claims| claims.get("destructiveHint")) == Some(&Value::Bool(true))
    }

    /// Why these arguments do not fit; `None` if they do.
    pub(crate) fn misfit(&self, arguments: &Map<String, Value>) -> Option<String> {
        let validator = jsonschema::validator_for(&self.input).ok()?;
        let given = Value::Object(arguments.clone());
        let error = validator.iter_errors(&given).next()?;
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { String::new() } else { format!(" (at {place})") };
        Some(format!("{}{place}", short(&error.to_string())))
    }
}

/// The first of a text, for a line.
pub(crate) fn short(text: &str) -> String {
    const MOST: usize = 300;
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST).collect();
    if line.len() < text.len() { format!("{line}...") } else { line }
}

/// The same value with the fields of all objects in order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| name.as_str());
            Value::Object(fields.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// Whether a schema refers to another document.
fn leads_elsewhere(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => fields.iter().any(|(name, value)| {
            let is_reference = matches!(name.as_str(), "$ref" | "$dynamicRef" | "$recursiveRef");
            (is_reference && value.as_str().is_some_and(|target| !target.starts_with('#')))
                || leads_elsewhere(value)
        }),
        Value::Array(items) => items.iter().any(leads_elsewhere),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
