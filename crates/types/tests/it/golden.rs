//! One full example of every message, as it lies in journals.

use std::collections::BTreeSet;

use artoo_types::{Message, MessageKind};
use serde_json::Value;

use crate::{samples, store};

/// The name and the content of a message's golden file: the payload alone, without its envelope.
pub(crate) fn file(message: &Message) -> (String, Value) {
    (format!("{}.json", message.kind().name()), payload(message))
}

fn payload(message: &Message) -> Value {
    serde_json::to_value(message).unwrap().get("payload").unwrap().clone()
}

#[test]
fn every_kind_has_one_golden_file_and_no_file_is_left_over() {
    let kinds: Vec<MessageKind> = samples::all().iter().map(Message::kind).collect();
    assert_eq!(
        kinds,
        MessageKind::ALL,
        "samples::all has one example of each kind, in the order of MessageKind::ALL"
    );
    let mut names: Vec<String> = MessageKind::ALL.iter().map(|kind| kind.name()).collect();
    names.sort();
    assert_eq!(store::stems(""), names);
}

#[test]
fn messages_serialise_to_their_golden_files() {
    for message in samples::all() {
        let (name, payload) = file(&message);
        store::compare(&name, &payload);
    }
}

#[test]
fn golden_files_read_back_as_the_whole_message() {
    for message in samples::all() {
        let (name, _) = file(&message);
        let wire = serde_json::json!({"kind": message.kind(), "payload": store::read(&name)});
        let read: Message = serde_json::from_value(wire).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read, message, "{name}");
    }
}

/// Journals of older versions hold fields that are gone since.
#[test]
fn a_message_with_fields_of_older_versions_is_read() {
    let mut found = 0;
    for message in samples::all() {
        let (name, mut payload) = file(&message);
        let mut put = |pointer: &str, field: &str, value: Value| {
            let Some(Value::Object(fields)) = payload.pointer_mut(pointer) else { return };
            fields.insert(field.to_owned(), value);
            found += 1;
        };
        if message.kind() == MessageKind::DispatchManifest {
            put("", "dispatched_at", "2026-03-14T09:26:55+08:00".into());
        } else if message.kind() == MessageKind::PlanDirective {
            put("", "budget_pressure", 0.25.into());
        } else if message.kind() == MessageKind::SubTaskOutcome {
            put("/gap_trajectory/0", "score", 0.5.into());
        }
        let wire = serde_json::json!({"kind": message.kind(), "payload": payload});
        assert_eq!(serde_json::from_value::<Message>(wire).unwrap(), message, "{name}");
    }
    assert_eq!(found, 3);
}

#[test]
fn golden_files_satisfy_the_schema_of_their_kind() {
    for kind in MessageKind::ALL {
        let schema = serde_json::to_value(kind.schema()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let payload = store::read(&format!("{}.json", kind.name()));
        let errors: Vec<String> = validator
            .iter_errors(&payload)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", kind.type_name());
    }
}

/// A golden file is only worth something where it shows every field, those of the values inside it included.
#[test]
fn golden_files_set_every_field() {
    for kind in MessageKind::ALL {
        let schema = serde_json::to_value(kind.schema()).unwrap();
        let mut shown = BTreeSet::new();
        collect_names(&store::read(&format!("{}.json", kind.name())), &mut shown);
        let definitions =
            schema.get("$defs").and_then(Value::as_object).into_iter().flat_map(|map| map.values());
        for object in definitions.chain([&schema]) {
            for name in
                object.get("properties").and_then(Value::as_object).into_iter().flat_map(|map| map.keys())
            {
                assert!(shown.contains(name), "{}: {name} is not shown", kind.type_name());
            }
        }
    }
}

fn collect_names(value: &Value, names: &mut BTreeSet<String>) {
    for (name, inner) in value.as_object().into_iter().flatten() {
        names.insert(name.clone());
        collect_names(inner, names);
    }
    value.as_array().into_iter().flatten().for_each(|inner| collect_names(inner, names));
}

#[test]
fn a_kind_has_the_same_name_in_code_and_on_the_wire() {
    for kind in MessageKind::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), Value::String(kind.name()));
    }
}
