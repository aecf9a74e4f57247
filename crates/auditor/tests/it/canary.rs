//! Tests that no secret enters the log, from any position in a message.

use std::sync::Arc;

use artoo_auditor::{Vocabulary, facts};
use artoo_types::{Envelope, Message, MessageKind, Role};
use serde_json::Value;

use crate::fixtures::{from_payload, golden, golden_payload, noon, run_id};

const CANARY: &str = "sk-ant-api03-CANARY";

/// Puts the canary into every field that accepts free text: closed words, ids and times do not, and stay.
fn poison(kind: MessageKind) -> Message {
    let mut payload = golden_payload(kind);
    let mut paths = Vec::new();
    texts(&payload, String::new(), &mut paths);
    let mut poisoned = 0;
    for path in &paths {
        let before = payload.pointer(path).unwrap().clone();
        *payload.pointer_mut(path).unwrap() = CANARY.into();
        let whole = serde_json::json!({ "kind": kind, "payload": payload });
        if serde_json::from_value::<Message>(whole).is_ok() {
            poisoned += 1;
        } else {
            *payload.pointer_mut(path).unwrap() = before;
        }
    }
    let numbers_only = matches!(kind, MessageKind::AuditQuery | MessageKind::DreamReport);
    assert!(poisoned > 0 || numbers_only, "{kind:?} has no text to poison");
    from_payload(kind, payload)
}

fn texts(value: &Value, path: String, paths: &mut Vec<String>) {
    match value {
        Value::String(_) => paths.push(path),
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                texts(item, format!("{path}/{n}"), paths);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                texts(field, format!("{path}/{name}"), paths);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn envelope(from: Role, message: Message) -> Envelope {
    Envelope { seq: 1, run_id: run_id(1), at: noon(), elapsed_ms: 0, from, message: Arc::new(message) }
}

#[test]
fn no_text_of_any_message_reaches_the_log() {
    for kind in MessageKind::ALL.iter().copied() {
        for from in Role::ALL {
            let facts = facts(&envelope(from, poison(kind)), &Vocabulary::default());
            let text = serde_json::to_string(&facts).unwrap();
            assert!(!text.contains("CANARY"), "{kind:?}: {text}");
        }
    }
}

/// The facts of every kind: a change here changes what old reports can say.
#[test]
fn the_facts_of_every_kind() {
    let known = Vocabulary::new(["qwen2.5-coder-1.5b-instruct"]);
    let kept: Vec<String> = MessageKind::ALL
        .iter()
        .map(|kind| {
            let facts = facts(&envelope(Role::Supervisor, golden(*kind)), &known);
            format!("{}: {}", kind.name(), Value::Object(facts))
        })
        .collect();
    insta::assert_snapshot!(kept.join("\n"));
}
