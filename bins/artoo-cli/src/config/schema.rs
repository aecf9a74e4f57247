//! The JSON Schema of the configuration, from the types that read it.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::sections::FileConfig;

/// The schema of `config.toml`, without references, so that it can be walked.
pub(crate) fn config_schema() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<FileConfig>().to_value()
}

/// The keys of a table and what stands under them; `None` for a value. A table with free names has no key of its own.
pub(crate) fn children(node: &Value) -> Option<&Map<String, Value>> {
    static NO_KEYS: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    match node.get("properties") {
        Some(Value::Object(properties)) => Some(properties),
        _ => node.get("additionalProperties").filter(|shape| shape.is_object()).map(|_| &*NO_KEYS),
    }
}
