//! JSON Schema of the configuration, generated from the types that read it.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::sections::FileConfig;

/// The schema of `config.toml`, with references inlined, so that it can be traversed.
pub(crate) fn config_schema() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<FileConfig>().to_value()
}

/// The keys of a table with their schemas; `None` for a value. For a table with free names, the map is empty.
pub(crate) fn children(node: &Value) -> Option<&Map<String, Value>> {
    static NO_KEYS: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    match node.get("properties") {
        Some(Value::Object(properties)) => Some(properties),
        _ => node.get("additionalProperties").filter(|shape| shape.is_object()).map(|_| &*NO_KEYS),
    }
}
