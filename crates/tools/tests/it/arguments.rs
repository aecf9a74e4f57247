//! Arguments that no reasonable model would write.

use artoo_types::FailureClass;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::fixture::Scene;

/// Any JSON value, small.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Strings of the characters that matter in paths and patterns.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[-~./*?\\[\\]{},\\\\!a-c中🦀\u{0}\n\u{202e} ]{0,24}", "\\PC{0,12}"]
}

/// Arguments with mostly known names.
fn arguments() -> impl Strategy<Value = Map<String, Value>> {
    let name = prop_oneof![
        Just("path"),
        Just("pattern"),
        Just("root"),
        Just("content"),
        Just("first_line"),
        Just("last_line"),
        Just("kind"),
        Just("sort"),
        Just("hidden"),
        Just("limit"),
        Just("id"),
        Just("edits"),
        Just("patch"),
        Just("glob"),
        Just("context"),
        Just("nonsense"),
    ];
    prop::collection::vec((name.prop_map(str::to_owned), value()), 0..5)
        .prop_map(|pairs| pairs.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// No argument panics, hangs, or changes anything outside the two folders. (`shell` gets no text here.)
    #[test]
    fn no_arguments_break_a_tool(given in arguments(), path in text()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut scene = Scene::new();
            scene.cx.limits.walk_time = std::time::Duration::from_millis(20); // a pattern may begin at `/`
            scene.file("a/b", "text");
            for tool in ["glob", "grep", "read_file", "read_evidence", "write_file", "edit_file", "shell", "job"] {
                let arguments = Value::Object(given.clone());
                let call = scene.call(tool, arguments).await;
                if let Some(failure) = &call.failure {
                    assert!(!failure.reason.contains("broke down"), "{failure:?}");
                }
            }
            scene.call("glob", json!({ "pattern": path })).await;
            scene.call("read_file", json!({ "path": path })).await;
            scene.call("write_file", json!({ "path": path, "content": path })).await;
            scene.call("grep", json!({ "pattern": path, "path": path, "glob": path })).await;
            scene.call("edit_file", json!({ "path": path, "edits": [{ "old": path, "new": path }] })).await;
            scene.call("edit_file", json!({ "path": "a/b", "patch": path })).await;
            let shell = scene.call("shell", json!({ "command": given })).await;
            assert_eq!(shell.failure.map(|failure| failure.class), Some(FailureClass::Logical));
            assert_eq!(std::fs::read_dir(&scene.outside).unwrap().count(), 0);
            assert_eq!(std::fs::read_to_string(scene.cx.working_folder.join("a/b")).unwrap(), "text");
        });
    }
}
