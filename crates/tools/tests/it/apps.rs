//! `applescript` and `shortcuts`, with fake programs in place of those of a Mac.

use std::fs;
use std::time::Duration;

use artoo_sandbox::SandboxMode;
use artoo_tools::{AppleScript, Grants, Shortcuts, SystemProgram, ToolState, Toolbox};
use artoo_types::{CallEnding, FailureClass, ToolKind, ToolName};
use serde_json::json;

use crate::fixture::{Scene, can_confine, failed, program, shown};

/// The tools with a fake program.
fn mac(scene: &Scene, script: &str) -> Toolbox {
    let file = scene.outside.join("bin/program");
    program(&file, script);
    let program = SystemProgram::vouched_for(file);
    Toolbox::new().with(AppleScript::with(program.clone())).with(Shortcuts::with(program))
}

#[tokio::test]
async fn a_script_arrives_as_it_was_written() {
    if !can_confine() {
        return;
    }
    let scene = Scene::new();
    let toolbox = mac(&scene, "printf '<%s>' \"$@\"; printf '%s' \"$OPENAI_API_KEY\"");
    let script = "tell application \"Music\" to play -- $(touch x); 'quoted'\n-- 中文";
    let call = scene.call_in(&toolbox, "applescript", json!({ "script": script })).await;
    assert_eq!(shown(&call), format!("<-e><{script}>"));
    assert_eq!(call.ending, CallEnding::Exited { status: 0 });
}

#[tokio::test]
async fn a_shortcut_gets_its_input_from_a_file_that_is_gone_afterwards() {
    if !can_confine() {
        return;
    }
    let scene = Scene::new();
    let toolbox = mac(&scene, "printf '%s|' \"$1\" \"$2\" \"$3\"; test -n \"$4\" && cat \"$4\"");
    let call =
        scene.call_in(&toolbox, "shortcuts", json!({ "name": "Make note", "input": "buy 牛奶" })).await;
    assert_eq!(shown(&call), "run|Make note|--input-path|buy 牛奶");
    assert_eq!(fs::read_dir(&scene.cx.private_tmp).unwrap().count(), 0);
    let toolbox = mac(&scene, "printf '%s|' \"$@\"");
    let call = scene.call_in(&toolbox, "shortcuts", json!({ "name": "Make note", "input": null })).await;
    assert_eq!(shown(&call), "run|Make note|");
    for arguments in
        [json!({ "name": "--help" }), json!({ "name": " " }), json!({ "name": "a\u{0}b" }), json!({})]
    {
        failed(&scene.call_in(&toolbox, "shortcuts", arguments).await, FailureClass::Logical);
    }
}

#[tokio::test]
async fn failures_have_the_class_that_the_system_names() {
    if !can_confine() {
        return;
    }
    let mut scene = Scene::new();
    for (script, class) in [
        (
            "echo 'execution error: Not authorized to send Apple events to Mail. (-1743)' >&2; exit 1",
            FailureClass::Denied,
        ),
        (
            "echo 'execution error: Application is not running. (-600)' >&2; exit 1",
            FailureClass::Environmental,
        ),
        ("echo 'syntax error: A identifier can not go here. (-2740)' >&2; exit 1", FailureClass::Logical),
        ("exit 7", FailureClass::Unknown),
    ] {
        let toolbox = mac(&scene, script);
        let call = scene.call_in(&toolbox, "applescript", json!({ "script": "x" })).await;
        failed(&call, class);
    }
    scene.cx.limits.command_time = Duration::from_millis(50);
    let toolbox = mac(&scene, "sleep 600 & sleep 600");
    let call = scene.call_in(&toolbox, "applescript", json!({ "script": "x" })).await;
    assert_eq!(call.ending, CallEnding::TimedOut);
    failed(&call, FailureClass::Environmental);
}

#[tokio::test]
async fn a_run_that_may_change_nothing_does_not_touch_apps() {
    let mut scene = Scene::new();
    scene.cx.mode = SandboxMode::ReadOnly;
    let mark = scene.outside.join("mark");
    let toolbox = mac(&scene, &format!("touch '{}'", mark.display()));
    for (tool, arguments) in
        [("applescript", json!({ "script": "x" })), ("shortcuts", json!({ "name": "x" }))]
    {
        let call = scene.call_in(&toolbox, tool, arguments).await;
        failed(&call, FailureClass::Denied);
        assert_eq!(call.ending, CallEnding::Refused);
    }
    assert!(!mark.exists());
}

/// Missing tools are not in the toolbox, so they cannot be called. That a fake program in an open folder is missing as well is
/// `mdfind`'s test, of the one function that looks for programs.
#[tokio::test]
async fn what_is_not_there_is_not_offered() {
    let scene = Scene::new();
    for path in [&[][..], &["bin".into()], &[scene.outside.join("bin")]] {
        let probed = Toolbox::probe(path, &Grants { apps: true, ..Grants::default() });
        for name in ["applescript", "shortcuts"] {
            let status = probed.tools.iter().find(|tool| tool.name.as_str() == name).unwrap();
            assert!(matches!(status.state, ToolState::Absent { .. }), "{status:?}");
            assert!(probed.toolbox.get(&ToolName::new(name)).is_none());
        }
        let call = scene.call_in(&probed.toolbox, "applescript", json!({ "script": "x" })).await;
        assert!(failed(&call, FailureClass::Logical).reason.starts_with("there is no tool"), "{call:?}");
    }
}

/// A tool without a kind would be a stranger to everybody who decides about tools. `undo_run` is offered by the conversation.
#[test]
fn each_tool_that_is_probed_for_has_a_kind() {
    let probed = Toolbox::probe(&[], &Grants::default());
    let kinds: Vec<_> = probed.tools.iter().map(|tool| tool.name.kind()).collect();
    let others = ToolKind::ALL.into_iter().filter(|kind| *kind != ToolKind::UndoRun);
    assert_eq!(kinds, others.map(Some).collect::<Vec<_>>());
}
