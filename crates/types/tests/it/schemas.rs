//! The published JSON Schemas.

use artoo_types::{AuditEvent, Envelope, MessageKind};
use serde_json::Value;

use crate::{samples, store};

/// Every published schema by type name: one per message, the envelope, and the line of the audit log.
pub(crate) fn all() -> Vec<(&'static str, Value)> {
    let mut all: Vec<(&str, Value)> = MessageKind::ALL
        .iter()
        .map(|kind| (kind.type_name(), serde_json::to_value(kind.schema()).unwrap()))
        .collect();
    all.push(("Envelope", serde_json::to_value(schemars::schema_for!(Envelope)).unwrap()));
    all.push(("AuditEvent", serde_json::to_value(schemars::schema_for!(AuditEvent)).unwrap()));
    all
}

#[test]
fn schemas_are_the_golden_ones() {
    for (name, schema) in all() {
        store::compare(&format!("schemas/{name}.json"), &schema);
    }
}

#[test]
fn no_schema_file_is_left_over() {
    let mut names: Vec<String> = all().iter().map(|(name, _)| (*name).to_owned()).collect();
    names.sort();
    assert_eq!(store::stems("schemas"), names);
}

#[test]
fn every_field_is_described() {
    for (name, schema) in all() {
        check_descriptions(name, &schema);
        for (definition, schema) in schema.get("$defs").and_then(Value::as_object).into_iter().flatten() {
            check_descriptions(definition, schema);
        }
    }
}

fn check_descriptions(name: &str, schema: &Value) {
    for (field, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        assert!(property.get("description").is_some(), "{name}.{field} has no description");
    }
}

#[test]
fn envelopes_and_audit_lines_satisfy_their_schemas() {
    let schema = serde_json::to_value(schemars::schema_for!(Envelope)).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for message in samples::all() {
        let envelope = serde_json::to_value(samples::envelope(message)).unwrap();
        assert!(validator.is_valid(&envelope), "{envelope:#}");
    }
    let schema = serde_json::to_value(schemars::schema_for!(AuditEvent)).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let line = samples::audit_event();
    let wire = serde_json::to_value(&line).unwrap();
    assert!(validator.is_valid(&wire), "{wire:#}");
    assert_eq!(serde_json::from_value::<AuditEvent>(wire).unwrap(), line);
}

/// Each case is a sample with one value made wrong: the schema says no, and so does the reader.
#[test]
fn wrong_values_are_refused_by_schema_and_reader() {
    let cases = [
        ("final_result", "/loss/D", serde_json::json!(1.5)),
        ("final_result", "/directive", serde_json::json!("refine")),
        ("plan_directive", "/directive", serde_json::json!("accept")),
        ("plan_directive", "/prev_directive", serde_json::json!("success")),
        ("plan", "/round", serde_json::json!(-1)),
        ("task_spec", "/intent", Value::Null),
        ("megram_write", "/megram/level", serde_json::json!("X")),
        ("tool_finished", "/call/output/evidence", serde_json::json!("../../etc/passwd")),
    ];
    for (name, pointer, wrong) in cases {
        let kind = *MessageKind::ALL.iter().find(|kind| kind.name() == name).unwrap();
        let mut payload = store::read(&format!("{name}.json"));
        *payload.pointer_mut(pointer).unwrap() = wrong;
        let schema = serde_json::to_value(kind.schema()).unwrap();
        assert!(!jsonschema::is_valid(&schema, &payload), "{name}{pointer}: the schema takes it");
        let wire = serde_json::json!({"kind": name, "payload": payload});
        assert!(
            serde_json::from_value::<artoo_types::Message>(wire).is_err(),
            "{name}{pointer}: the reader takes it"
        );
    }
}

/// A kind of check that has no example here is tested by nobody, and one that the fuzzer does not know is hardly ever drawn.
#[test]
fn every_kind_of_check_has_an_example() {
    let schema = serde_json::to_value(schemars::schema_for!(artoo_types::Check)).unwrap();
    let of =
        |variant: &serde_json::Value| Some(variant.pointer("/properties/kind/const")?.as_str()?.to_owned());
    let kinds: Vec<String> = schema["oneOf"].as_array().unwrap().iter().filter_map(of).collect();
    assert!(kinds.len() > 15, "{kinds:?}");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path).unwrap();
    let golden = std::fs::read_dir(folder.join("tests/golden")).unwrap().map(|entry| entry.unwrap().path());
    let examples: String = golden.filter(|path| path.is_file()).map(read).collect();
    let seeds = read(folder.join("../../fuzz/seeds/checks.txt"));
    let dictionary = read(folder.join("../../fuzz/dictionaries/checks.txt"));
    for kind in kinds {
        assert!(
            examples.contains(&format!("\"kind\": \"{kind}\"")),
            "{kind}: no example in tests/it/samples"
        );
        assert!(seeds.contains(&format!("\"kind\":\"{kind}\"")), "{kind}: no seed in fuzz/seeds/checks.txt");
        assert!(dictionary.contains(&format!("\"{kind}\"")), "{kind}: not in fuzz/dictionaries/checks.txt");
    }
}
