//! Tests of [`Action`]: parsing a turn, and its schema.

use artoo_executor::{Action, ToolSpec, User, conformance};
use artoo_types::{GaveUp, GiveUpKind, ToolName};
use proptest::prelude::*;
use serde_json::{Value, json};

fn tools() -> Vec<ToolSpec> {
    let shell = conformance::context("x").tools;
    let mute = ToolSpec { name: ToolName::new("write_file"), output_is_answer: false, ..shell[0].clone() };
    [shell, vec![mute]].concat()
}

#[test]
fn the_schema_lets_through_what_may_be_said() {
    let call = json!({"tool": "shell", "arguments": {"command": "ls"}, "output_is_answer": true});
    let table = [
        (call.clone(), true, true),
        (json!({"tool": "write_file", "arguments": {"command": "x"}}), true, true),
        (json!({"give_up": "no such tool"}), true, true),
        // An answer is offered only after something was shown.
        (json!({"answer": "3"}), false, true),
        // Turns that R3 may not take: an unknown or blocked tool, other arguments, two actions at once, none.
        (json!({"tool": "rm", "arguments": {"command": "x"}, "output_is_answer": true}), false, false),
        (json!({"tool": "shell", "arguments": {"command": 3}, "output_is_answer": true}), false, false),
        (
            json!({"tool": "shell", "arguments": {"command": "ls"}, "output_is_answer": true, "answer": "3"}),
            false,
            false,
        ),
        (
            json!({"tool": "write_file", "arguments": {"command": "x"}, "output_is_answer": true}),
            false,
            false,
        ),
        (json!({"answer": ""}), false, false),
        (json!({"answer": "x".repeat(5000)}), false, false),
        (json!({}), false, false),
        (json!([call]), false, false),
        (json!("3"), false, false),
    ];
    for (turn, at_first, later) in table {
        for (may_answer, expected) in [(false, at_first), (true, later)] {
            let violation = Action::schema(&tools(), may_answer, true).violation(&turn).unwrap();
            assert_eq!(violation.is_none(), expected, "{turn} ({may_answer}): {violation:?}");
            if expected {
                assert!(Action::read(&turn).is_some(), "{turn}");
            }
        }
    }
}

#[test]
fn the_schema_names_only_the_tools_that_are_offered() {
    insta::assert_json_snapshot!(Action::schema(&tools(), true, true).schema.as_ref());
}

/// Nobody is asked who is not there, and a user who is there is asked instead of given up for.
#[test]
fn only_what_is_accepted_is_offered() {
    let ask = json!({"ask_user": "Which?"});
    let needs_person = json!({"give_up": "two fit", "kind": "needs_person", "question": "Which?"});
    let needs_consent = json!({"give_up": "no network", "kind": "needs_consent"});
    for (turn, present, absent) in [
        (ask, true, false),
        (needs_person, false, true),
        (needs_consent, true, true),
        (json!({"give_up": "why"}), true, true),
        (json!({"give_up": "why", "kind": "tired"}), false, false),
        (json!({"ask_user": ""}), false, false),
        (json!({"tool": "write_file", "arguments": {"command": "x"}, "output_is_answer": false}), true, true),
        (
            json!({"tool": "write_file", "arguments": {"command": "x"}, "output_is_answer": true}),
            false,
            false,
        ),
    ] {
        for (user, expected) in [(User::Present, present), (User::Absent, absent)] {
            let violation = Action::any(&tools(), user).violation(&turn).unwrap();
            assert_eq!(violation.is_none(), expected, "{turn} {user:?}: {violation:?}");
            assert!(!expected || Action::read(&turn).is_some(), "{turn}");
        }
    }
}

fn gave_up(kind: GiveUpKind, question: Option<&str>) -> GaveUp {
    GaveUp { kind, reason: "why".to_owned(), question: question.map(str::to_owned) }
}

#[test]
fn turns_are_read() {
    let arguments = json!({"command": "ls 文"}).as_object().cloned().unwrap();
    let call = |output_is_answer| {
        Some(Action::Call { tool: ToolName::new("shell"), arguments: arguments.clone(), output_is_answer })
    };
    let table = [
        (json!({"tool": "shell", "arguments": {"command": "ls 文"}, "output_is_answer": true}), call(true)),
        (json!({"tool": "shell", "arguments": {"command": "ls 文"}}), call(false)),
        (
            json!({"tool": "shell", "arguments": {"command": "ls 文"}, "output_is_answer": "true"}),
            call(false),
        ),
        (json!({"answer": "٣"}), Some(Action::Answer("٣".to_owned()))),
        (json!({"give_up": "why"}), Some(Action::GiveUp(gave_up(GiveUpKind::Impossible, None)))),
        (
            json!({"give_up": "why", "kind": "needs_person", "question": "Which?"}),
            Some(Action::GiveUp(gave_up(GiveUpKind::NeedsPerson, Some("Which?")))),
        ),
        (json!({"ask_user": "Which?"}), Some(Action::AskUser("Which?".to_owned()))),
        (json!({"give_up": "why", "kind": "tired"}), None),
        (json!({"give_up": " "}), None),
        (json!({"answer": 3}), None),
        (json!({"tool": "shell"}), None),
        (json!({"tool": "shell", "arguments": "ls"}), None),
        (json!({"tool": null, "arguments": {}}), None),
        (json!(null), None),
    ];
    for (turn, expected) in table {
        assert_eq!(Action::read(&turn), expected, "{turn}");
    }
}

fn hostile() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let key = prop_oneof![
            Just("tool".to_owned()),
            Just("arguments".to_owned()),
            Just("answer".to_owned()),
            ".{0,6}"
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    /// Any JSON is parsed or rejected; a turn that fits the schema always parses, with the offered tool.
    #[test]
    fn any_json_is_read_or_refused(turn in hostile(), may_answer in any::<bool>()) {
        let read = Action::read(&turn);
        if Action::schema(&tools(), may_answer, true).violation(&turn).unwrap().is_none() {
            prop_assert!(read.is_some());
        }
    }
}
