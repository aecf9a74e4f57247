//! The toolbox: every outcome becomes a record.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use artoo_tools::{Tool, ToolContext, ToolReport, Toolbox};
use artoo_types::{Arguments, CallEnding, CallId, FailureClass, ToolCall, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::fixture::{Scene, failed, shown};

/// A tool that misbehaves in every way.
struct Rogue;

#[async_trait]
impl Tool for Rogue {
    fn name(&self) -> ToolName {
        ToolName::new("rogue")
    }

    fn summary(&self) -> &str {
        "misbehaves"
    }

    fn arguments(&self) -> Value {
        json!({ "type": "object" })
    }

    async fn call(&self, arguments: &Arguments, _: &ToolContext) -> ToolReport {
        match arguments["vice"].as_str().unwrap() {
            "panic" => panic!("out of cheese"),
            "hang" => std::future::pending().await,
            _ => ToolReport::text("behaved"),
        }
    }
}

async fn rogue(vice: &str, cx: &ToolContext) -> ToolCall {
    let toolbox = Toolbox::standard().with(Rogue);
    let arguments = json!({ "vice": vice }).as_object().unwrap().clone();
    toolbox.call(CallId::new(uuid::Uuid::nil()), &ToolName::new("rogue"), arguments, cx).await
}

#[tokio::test]
async fn a_rogue_tool_is_contained() {
    let mut scene = Scene::new();
    assert_eq!(shown(&rogue("none", &scene.cx).await), "behaved");
    let call = rogue("panic", &scene.cx).await;
    assert!(failed(&call, FailureClass::Unknown).reason.contains("out of cheese"), "{call:?}");
    scene.cx.limits.call_time = Duration::from_millis(20);
    let call = rogue("hang", &scene.cx).await;
    failed(&call, FailureClass::Environmental);
    assert_eq!(call.ending, CallEnding::TimedOut);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_ignores_the_cancellation_is_abandoned() {
    let scene = Scene::new();
    let cancel = scene.cx.cancel.clone();
    let (call, ()) = tokio::join!(rogue("hang", &scene.cx), async {
        tokio::task::yield_now().await;
        cancel.cancel();
    });
    assert_eq!(call.ending, CallEnding::Cancelled);
    assert_eq!(failed(&call, FailureClass::Unknown).reason, "the run was cancelled");
}

#[tokio::test]
async fn wrong_calls_name_what_is_wrong() {
    let scene = Scene::new();
    for (tool, arguments, reason) in [
        (
            "shel",
            json!({}),
            "there is no tool `shel`; the tools are glob, grep, read_file, read_evidence, write_file, edit_file, shell, job",
        ),
        ("shell", json!({}), "argument `command` is missing"),
        ("shell", json!({ "command": " " }), "argument `command` is empty"),
        ("shell", json!({ "command": 1.5 }), "argument `command` must be a text, not a number"),
        ("shell", json!({ "command": "true", "timeout_seconds": 0 }), "must lie between 1 and 600, not 0"),
        (
            "shell",
            json!({ "command": "true", "timeout_seconds": 601 }),
            "must lie between 1 and 600, not 601",
        ),
        (
            "shell",
            json!({ "command": "true", "timeout_seconds": "soon" }),
            "must be a whole number, not a text",
        ),
        ("shell", json!({ "cmd": "true" }), "argument `cmd` is not known (did you mean `command`?)"),
        (
            "glob",
            json!({ "pattern": "*", "kind": "file" }),
            "must be one of `all`, `files`, `folders`, not `file`",
        ),
        (
            "glob",
            json!({ "pattern": "*", "hidden": "yes" }),
            "argument `hidden` must be true or false, not a text",
        ),
        ("read_file", json!({ "path": ["a", "b"] }), "argument `path` must be a text, not a list"),
        ("write_file", json!({ "path": "a" }), "argument `content` is missing"),
    ] {
        let call = scene.call(tool, arguments).await;
        assert_eq!(call.ending, CallEnding::Refused, "{call:?}");
        let failure = failed(&call, FailureClass::Logical);
        assert!(failure.reason.contains(reason), "{failure:?}");
    }
}

#[tokio::test]
async fn a_record_is_complete() {
    let scene = Scene::new();
    scene.file("a", "text");
    let call = scene.call("read_file", json!({ "path": "a" })).await;
    assert_eq!(call.started_at.to_rfc3339(), "2026-11-21T23:00:00+02:00");
    assert_eq!((call.tool.as_str(), call.target().as_str()), ("read_file", "a"));
    assert_eq!(scene.whole(&call), b"text");
    assert_eq!((call.output.bytes, call.stderr.evidence), (4, None));
}

/// An output that is not stored proves nothing.
#[tokio::test]
async fn an_output_that_cannot_be_kept_fails_the_call() {
    let scene = Scene::new();
    scene.file("a", "text");
    // Permissions do not stop root, a missing folder does.
    fs::set_permissions(scene.cx.evidence.folder(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::remove_dir(scene.cx.evidence.folder()).unwrap();
    let call = scene.call("read_file", json!({ "path": "a" })).await;
    assert!(
        failed(&call, FailureClass::Environmental).reason.starts_with("the output could not be kept in ")
    );
    assert_eq!(
        (call.output.shown.as_str(), call.output.dropped_bytes, call.output.evidence),
        ("text", 4, None)
    );
}

/// A tool's published schema and the arguments that it accepts are the same.
#[test]
fn schemas_are_closed_and_described() {
    for tool in Toolbox::standard().tools() {
        let schema = tool.arguments();
        jsonschema::meta::validate(&schema).unwrap();
        assert_eq!(schema["additionalProperties"], false);
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{}.{name}", tool.name());
        }
        assert!(!tool.summary().contains('\n') && !tool.description().contains('\n'));
    }
}

#[tokio::test]
async fn each_published_argument_is_known() {
    let scene = Scene::new();
    for tool in Toolbox::standard().tools() {
        for name in tool.arguments()["properties"].as_object().unwrap().keys() {
            // A wrong type on purpose: known, but refused.
            let call = scene.call(tool.name().as_str(), json!({ name: { "wrong": "type" } })).await;
            assert!(!failed(&call, FailureClass::Logical).reason.contains("is not known"), "{call:?}");
        }
    }
}

/// Issue 15: every prompt of the executor contains them, at the beginning, where they are cached. Issue 39 gave each argument
/// a description that says what it does. The size of each stands in a snapshot of the executor.
#[test]
fn all_tools_together_are_small_in_a_prompt() {
    let toolbox = Toolbox::standard();
    let tools = toolbox.tools().map(|tool| {
        json!({ "name": tool.name().as_str(), "description": tool.description(), "parameters": tool.arguments() })
    });
    let tokens = artoo_llm_client::estimate_tokens(&serde_json::Value::from_iter(tools).to_string());
    assert!(tokens <= 1_500, "{tokens} tokens");
}
