//! Parser of `-c KEY=VALUE`.

use std::str::FromStr;

/// A configuration value from the command line. The value is TOML; anything that does not parse as TOML is a
/// string, so that `-c brain.model=qwen3` needs no quotes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeyValue {
    /// The key, with dots between tables.
    pub(crate) key: String,
    /// The value.
    pub(crate) value: toml::Value,
}

/// Error: a `-c` without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it has the form KEY=VALUE, for example tool.model=qwen3")]
pub(crate) struct NotKeyValue;

impl FromStr for KeyValue {
    type Err = NotKeyValue;

    fn from_str(text: &str) -> Result<Self, NotKeyValue> {
        let (key, value) = text.split_once('=').ok_or(NotKeyValue)?;
        let key = key.trim();
        if key.is_empty() || key.split('.').any(str::is_empty) {
            return Err(NotKeyValue);
        }
        let value = value.trim();
        let parsed = one_value(value);
        Ok(Self {
            key: key.to_owned(),
            value: parsed.unwrap_or_else(|| toml::Value::String(value.to_owned())),
        })
    }
}

/// Parses the text as one TOML value. A text with a second line could contain a second key, so it is refused.
fn one_value(text: &str) -> Option<toml::Value> {
    let mut table = format!("v = {text}").parse::<toml::Table>().ok()?;
    let value = table.remove("v");
    if table.is_empty() { value } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_toml_or_text() {
        let check = |text: &str, key: &str, value: toml::Value| {
            assert_eq!(text.parse(), Ok(KeyValue { key: key.to_owned(), value }), "{text}");
        };
        check("run.strict=true", "run.strict", toml::Value::Boolean(true));
        check("run.max_replans = 2", "run.max_replans", toml::Value::Integer(2));
        check("brain.model=qwen3", "brain.model", toml::Value::String("qwen3".to_owned()));
        check("brain.model=\"a b\"", "brain.model", toml::Value::String("a b".to_owned()));
        check(
            "brain.base_url=http://x/?a=b",
            "brain.base_url",
            toml::Value::String("http://x/?a=b".to_owned()),
        );
        // A second line must not add a second key.
        check("brain.model=1\nx = 2", "brain.model", toml::Value::String("1\nx = 2".to_owned()));
        for bad in ["", "=", "x", "=x", "a..b=1", ".a=1"] {
            assert_eq!(bad.parse::<KeyValue>(), Err(NotKeyValue), "{bad}");
        }
    }
}
