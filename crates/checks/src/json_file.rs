//! Validation of a JSON file against a JSON Schema.

use std::{io, path::Path};

use jsonschema::{PatternOptions, Validator};
use serde_json::{Value, json};

use crate::{Filesystem, Flaw, evaluate::excerpt, files::MAX_SEARCHED};

/// The maximum length of a schema, in bytes: schemas are written by a model.
const MAX_SCHEMA: usize = 16 * 1024;

/// Keywords that reference another part of a schema. A chain of twenty references can expand to a million
/// parts.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Compiles a schema that is short and self-contained, and whose patterns take linear time.
pub(crate) fn compile(schema: &Value) -> Result<Validator, Flaw> {
    let flaw = |reason: String| Flaw::Schema { reason };
    if schema.to_string().len() > MAX_SCHEMA {
        return Err(flaw(format!("it is longer than {MAX_SCHEMA} bytes")));
    }
    if refers(schema) {
        return Err(flaw("it has a $ref: write what that stands for in its place".to_owned()));
    }
    let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
    options.build(schema).map_err(|error| flaw(excerpt(&error.to_string())))
}

fn refers(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.iter().any(|(key, value)| REFERENCES.contains(&key.as_str()) || refers(value))
        }
        Value::Array(items) => items.iter().any(refers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Whether a schema accepts values that have nothing in common except being JSON.
pub(crate) fn takes_anything(schema: &Validator) -> bool {
    let anything = [json!(null), json!(false), json!(7), json!("x"), json!([]), json!({}), json!({"x": [7]})];
    anything.iter().all(|value| schema.is_valid(value))
}

/// Whether a file is JSON that matches a schema, and a description of it.
///
/// # Errors
/// The file cannot be read, or is too large (`FileTooLarge`).
pub(crate) fn meets(
    path: &Path,
    schema: &Validator,
    world: &Filesystem,
) -> Result<(bool, String), io::Error> {
    let bytes = world.read(path, MAX_SEARCHED)?;
    Ok(match serde_json::from_slice::<Value>(&bytes) {
        Err(error) => (false, format!("is not JSON: {error}")),
        Ok(value) => match schema.iter_errors(&value).next() {
            None => (true, "is JSON and meets the schema".to_owned()),
            Some(error) => {
                let place = error.instance_path().to_string();
                let place = if place.is_empty() { "at the top".to_owned() } else { format!("at {place}") };
                (false, format!("does not meet the schema {place}: {}", excerpt(&error.to_string())))
            }
        },
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn seen(content: &[u8], schema: &Value) -> (bool, String) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x.json"), content).unwrap();
        let world = Filesystem::new(folder.path(), folder.path(), Default::default());
        meets(Path::new("x.json"), &compile(schema).unwrap(), &world).unwrap()
    }

    #[test]
    fn a_file_meets_its_schema_or_it_is_said_where_not() {
        let schema = json!({
            "type": "array", "minItems": 1,
            "items": {
                "type": "object", "required": ["nimi", "määrä"], "additionalProperties": false,
                "properties": {"nimi": {"type": "string", "pattern": "^[A-ZÅÄÖ]"}, "määrä": {"type": "integer"}},
            },
        });
        let met = (true, "is JSON and meets the schema".to_owned());
        assert_eq!(seen(r#"[{"nimi": "Äiti", "määrä": 3}]"#.as_bytes(), &schema), met);
        assert_eq!(seen("\u{feff}[{\"nimi\": \"A\", \"määrä\": 3}]".as_bytes(), &schema), met);
        for (content, words) in [
            ("[]", "at the top"),
            (r#"[{"nimi": "A", "määrä": "3"}]"#, "at /0/määrä"),
            (r#"[{"nimi": "a", "määrä": 3}]"#, "at /0/nimi"),
            (r#"[{"nimi": "A"}]"#, "at /0: "),
            ("", "is not JSON"),
            ("[{}] and more", "is not JSON"),
            ("\u{0}", "is not JSON"),
        ] {
            let (met, said) = seen(content.as_bytes(), &schema);
            assert!(!met && said.contains(words), "{content}: {said}");
        }
        let (met, said) = seen(&[b'"', 0xff, b'"'], &json!({"type": "string"}));
        assert!(!met && said.contains("is not JSON"), "{said}");
        let (met, said) = seen("[".repeat(100_000).as_bytes(), &schema);
        assert!(!met && said.contains("recursion limit"), "{said}");
        let (_, said) = seen(format!("\"{}\"", "x".repeat(100_000)).as_bytes(), &schema);
        assert!(said.len() < 500, "{} bytes", said.len());
    }

    /// Parts of a schema that reference each other twice double with each reference; one that references
    /// itself never ends.
    #[test]
    fn a_hostile_schema_is_a_flaw() {
        let chain = (0..30).map(|n| {
            let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
            (format!("d{n}"), json!({"allOf": [next, next]}))
        });
        for schema in [
            json!({"$ref": "#"}),
            json!({"$ref": "https://example.com/x.json"}),
            json!({"$defs": chain.collect::<serde_json::Map<_, _>>(), "$ref": "#/$defs/d0"}),
            json!({"pattern": "("}),
            json!({"pattern": "(a+)+\\1"}),
            json!({"pattern": "a{9999}{9999}"}),
            json!({"type": "words"}),
            json!({"$schema": "https://example.com/unknown"}),
            json!({"enum": ["x".repeat(MAX_SCHEMA)]}),
            json!("object"),
        ] {
            assert!(matches!(compile(&schema), Err(Flaw::Schema { .. })), "{schema}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_meet_a_schema_or_not(content in prop::collection::vec(any::<u8>(), 0..100)) {
            let (met, _) = seen(&content, &json!({"type": "object"}));
            let has_an_object = content.contains(&b'{');
            prop_assert!(!met || has_an_object);
        }
    }
}
