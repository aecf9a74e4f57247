//! Calls in trial-only mode: memory advises caution, and no person is present to confirm.

use std::fs;

use artoo_tools::{Tool, ToolContext, ToolReport, Toolbox, WriteFile};
use artoo_types::{Arguments, CallEnding, FailureClass, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::fixture::{Scene, can_confine, failed, shown};

fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.cx.trial_only = true;
    scene
}

/// Nothing is asked (the scene would say yes to everything), and the disk is unchanged.
#[tokio::test]
async fn nothing_of_a_command_lasts() {
    if !can_confine() {
        return;
    }
    let scene = scene();
    let file = scene.file("notes.txt", "one\n");
    let command =
        "echo two >> notes.txt && echo 3 > new.txt && echo 4 > \"$WORKSPACE/made.txt\" && cat notes.txt";
    let call = scene.call("shell", json!({ "command": command })).await;
    assert_eq!(fs::read_to_string(&file).unwrap(), "one\n");
    assert!(!scene.cx.working_folder.join("new.txt").exists());
    assert!(!scene.cx.workspace.join("made.txt").exists());
    assert_eq!(call.files, []);
    if call.ending == (CallEnding::Exited { status: 0 }) {
        // It ran over layers, so its output is the real one.
        let failure = failed(&call, FailureClass::Logical);
        assert!(failure.reason.starts_with("it was tried where nothing lasts"), "{failure:?}");
        assert_eq!(call.output.shown, "one\ntwo\n");
    } else {
        // Without layers it could not write anywhere.
        assert!(call.failure.is_some(), "{call:?}");
    }
}

#[tokio::test]
async fn a_command_that_only_reads_is_an_answer() {
    if !can_confine() {
        return;
    }
    let scene = scene();
    scene.file("notes.txt", "one\n");
    let call = scene.call("shell", json!({ "command": "cat notes.txt" })).await;
    assert_eq!(shown(&call), "one\n");
    let call = scene.call("read_file", json!({ "path": "notes.txt" })).await;
    assert!(shown(&call).contains("one"));
}

/// Protected places named by a command are refused in a trial, too.
#[tokio::test]
async fn a_trial_opens_no_protected_place() {
    if !can_confine() {
        return;
    }
    let scene = scene();
    fs::write(scene.data.join("key"), "secret-of-artoo").unwrap();
    let command = format!("cat {}", scene.data.join("key").display());
    let call = scene.call("shell", json!({ "command": command })).await;
    assert!(!call.output.shown.contains("secret-of-artoo"), "{call:?}");
}

/// A tool that cannot be tried is not called, including foreign ones.
#[tokio::test]
async fn a_tool_that_cannot_be_tried_is_not_called() {
    struct Stranger;
    #[async_trait]
    impl Tool for Stranger {
        fn name(&self) -> ToolName {
            ToolName::new("stranger")
        }
        fn summary(&self) -> &str {
            "does anything"
        }
        fn arguments(&self) -> Value {
            json!({})
        }
        async fn call(&self, _: &Arguments, cx: &ToolContext) -> ToolReport {
            fs::write(cx.working_folder.join("done.txt"), "done").unwrap();
            ToolReport::text("done")
        }
    }
    let scene = scene();
    let toolbox = Toolbox::new().with(WriteFile).with(Stranger);
    for (tool, arguments) in
        [("write_file", json!({"path": "./done.txt", "content": "x"})), ("stranger", json!({}))]
    {
        let call = scene.call_in(&toolbox, tool, arguments).await;
        assert_eq!(call.ending, CallEnding::Refused);
        let failure = failed(&call, FailureClass::Logical);
        assert_eq!(
            failure.reason,
            format!(
                "`{tool}` was not called, for it cannot be tried: memory advises caution about this call, and nobody is there to confirm it"
            )
        );
        assert!(!scene.cx.working_folder.join("done.txt").exists());
    }
}
