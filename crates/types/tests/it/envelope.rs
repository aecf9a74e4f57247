//! What a journal's reader may rely on.

use artoo_types::{ActionState, Envelope, Message, PrevDirective};
use serde_json::{Value, json};

use crate::samples;

#[test]
fn kind_and_payload_lie_flat_beside_the_envelopes_own_fields() {
    let envelope = serde_json::to_value(samples::envelope(samples::warning().into())).unwrap();
    assert_eq!(
        envelope,
        json!({
            "seq": 17,
            "run_id": "01970000-0000-7000-8000-000000000001",
            "at": "2026-03-14T09:26:53.589+08:00",
            "elapsed_ms": 1250,
            "from": "auditor",
            "kind": "warning",
            "payload": {"role": "auditor", "message": "the log's disk has 12 MB left"},
        })
    );
}

#[test]
fn every_message_survives_its_envelope() {
    for message in samples::all() {
        let envelope = samples::envelope(message);
        let line = serde_json::to_string(&envelope).unwrap();
        assert_eq!(serde_json::from_str::<Envelope>(&line).unwrap(), envelope);
    }
}

/// A journal of a later version has fields that this one does not know: reading goes on.
#[test]
fn readers_ignore_unknown_fields() {
    for message in samples::all() {
        let envelope = samples::envelope(message);
        let mut wire = serde_json::to_value(&envelope).unwrap();
        wire.as_object_mut().unwrap().insert("added_later".to_owned(), json!({"deep": [1]}));
        wire["payload"].as_object_mut().unwrap().insert("added_later".to_owned(), json!(true));
        assert_eq!(serde_json::from_value::<Envelope>(wire).unwrap(), envelope);
    }
}

/// A criterion's check is the exception: an unknown field there may be a condition that would go unchecked.
#[test]
fn checks_refuse_unknown_fields() {
    let wire = json!({"kind": "file_exists", "path": "a.txt", "newer_than": "b.txt"});
    assert!(serde_json::from_value::<artoo_types::Check>(wire).is_err());
}

/// Journals from before 2026-11-27 hold second derivations: these fields and this kind of check.
#[test]
fn journals_with_second_derivations_stay_readable() {
    let subtask = samples::envelope(samples::plan::subtask().into());
    let mut wire = serde_json::to_value(&subtask).unwrap();
    wire["payload"]["avoid"] = json!([{"tool": "glob", "target": "docs/**/*.txt"}]);
    assert_eq!(serde_json::from_value::<Envelope>(wire).unwrap(), subtask);

    let mut plan = samples::plan::plan();
    plan.task_criteria[0].check = None;
    let plan = samples::envelope(plan.into());
    let mut wire = serde_json::to_value(&plan).unwrap();
    wire["payload"]["subtasks"][1]["independent_of"] = json!([0, 1]);
    wire["payload"]["task_criteria"][0]["check"] = json!({"kind": "same_answer", "subtasks": [0, 1, 2]});
    assert_eq!(serde_json::from_value::<Envelope>(wire).unwrap(), plan);
}

#[test]
fn unknown_kinds_of_checks_are_errors_that_name_the_kind() {
    let wire = json!({"text": "it is so", "mode": "verifiable", "check": {"kind": "gossip"}});
    let error = serde_json::from_value::<artoo_types::Criterion>(wire).unwrap_err().to_string();
    assert!(error.contains("gossip"), "{error}");
}

#[test]
fn unknown_kinds_are_errors_that_name_the_kind() {
    let wire = json!({"kind": "gossip", "payload": {}});
    let error = serde_json::from_value::<Message>(wire).unwrap_err().to_string();
    assert!(error.contains("gossip"), "{error}");
}

#[test]
fn a_previous_directive_is_init_or_an_action_state() {
    let cases = [
        (PrevDirective::Init, "init"),
        (PrevDirective::Action(ActionState::BreakSymmetry), "break_symmetry"),
        (PrevDirective::Action(ActionState::ChangeApproach), "change_approach"),
        (PrevDirective::Action(ActionState::ChangePath), "change_path"),
        (PrevDirective::Action(ActionState::Refine), "refine"),
    ];
    for (value, name) in cases {
        assert_eq!(value.name(), name);
        assert_eq!(serde_json::to_value(value).unwrap(), Value::String(name.to_owned()));
        assert_eq!(serde_json::from_value::<PrevDirective>(json!(name)).unwrap(), value);
    }
    for terminal in ["accept", "success", "abandon", ""] {
        assert!(serde_json::from_value::<PrevDirective>(json!(terminal)).is_err(), "{terminal}");
    }
}

#[test]
fn optional_fields_may_be_absent_in_an_older_journal() {
    let call = json!({
        "call_id": "01970000-0000-7000-8000-000000000031",
        "tool": "shell",
        "arguments": {"command": "ls"},
        "ending": {"kind": "exited", "status": 0},
        "output": {"shown": "", "bytes": 0, "dropped_bytes": 0},
        "stderr": {"shown": "", "bytes": 0, "dropped_bytes": 0},
        "started_at": "2026-03-14T09:26:53+08:00",
        "duration_ms": 4,
    });
    let call: artoo_types::ToolCall = serde_json::from_value(call).unwrap();
    assert!(call.succeeded());
    assert_eq!(call.files, []);
    assert_eq!(call.output.evidence, None);
}
