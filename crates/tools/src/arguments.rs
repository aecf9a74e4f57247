//! Reads tool arguments written by a model; errors name the wrong argument.

use std::ops::RangeInclusive;

use artoo_types::Arguments;
use serde_json::Value;

use crate::ToolError;

/// The arguments of one call.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a>(&'a Arguments);

impl<'a> Given<'a> {
    /// Refuses names that the tool does not know.
    pub fn new(arguments: &'a Arguments, known: &[&str]) -> Result<Self, ToolError> {
        match arguments.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(Self(arguments)),
            Some(name) => {
                let close =
                    known.iter().max_by(|a, b| strsim::jaro(a, name).total_cmp(&strsim::jaro(b, name)));
                let known = known.join("`, `");
                let guess = close.map(|close| format!(" (did you mean `{close}`?)")).unwrap_or_default();
                Err(ToolError::argument(name, format!("is not known{guess}; known are `{known}`")))
            }
        }
    }

    /// A required, non-empty string.
    pub fn text(self, name: &str) -> Result<&'a str, ToolError> {
        let text = self.any_text(name)?.ok_or_else(|| ToolError::argument(name, "is missing"))?;
        if text.trim().is_empty() { Err(ToolError::argument(name, "is empty")) } else { Ok(text) }
    }

    /// A string that may be missing or empty.
    pub fn any_text(self, name: &str) -> Result<Option<&'a str>, ToolError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong_type(name, "a text", other)),
        }
    }

    /// A path: a string without a NUL byte, which no path can hold.
    pub fn path(self, name: &str) -> Result<&'a str, ToolError> {
        let text = self.text(name)?;
        if text.contains('\0') { Err(ToolError::argument(name, "contains a zero byte")) } else { Ok(text) }
    }

    /// An integer within bounds.
    pub fn whole(self, name: &str, bounds: RangeInclusive<u64>) -> Result<Option<u64>, ToolError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let number = value.as_u64().ok_or_else(|| wrong_type(name, "a whole number", value))?;
        if bounds.contains(&number) {
            Ok(Some(number))
        } else {
            let (least, most) = bounds.into_inner();
            Err(ToolError::argument(name, format!("must lie between {least} and {most}, not {number}")))
        }
    }

    /// A boolean; false if missing.
    pub fn flag(self, name: &str) -> Result<bool, ToolError> {
        match self.value(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(wrong_type(name, "true or false", other)),
        }
    }

    /// A list that may be missing.
    pub fn list(self, name: &str) -> Result<Option<&'a [Value]>, ToolError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items)),
            Some(other) => Err(wrong_type(name, "a list", other)),
        }
    }

    /// One of a fixed set of words.
    pub fn word<T: Copy>(self, name: &str, words: &[(&str, T)], default: T) -> Result<T, ToolError> {
        let Some(text) = self.any_text(name)? else { return Ok(default) };
        words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value).ok_or_else(|| {
            let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            ToolError::argument(name, format!("must be one of `{}`, not `{text}`", words.join("`, `")))
        })
    }

    /// Null counts as missing: models fill in every name of a schema.
    fn value(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }
}

fn wrong_type(name: &str, wanted: &str, got: &Value) -> ToolError {
    let got = match got {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    ToolError::argument(name, format!("must be {wanted}, not {got}"))
}
