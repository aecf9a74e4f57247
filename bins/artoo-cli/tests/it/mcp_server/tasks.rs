//! Tasks of the newest protocol, which begins without `initialize`.

use serde_json::{Value, json};

use super::call;
use crate::fixture::{REQUEST, Scene, deleting, notes};
use crate::json_rpc::Peer;
use crate::mock_model::counting;
use crate::process::until;

const VERSION: &str = "2026-07-28";

/// What each request says about its client.
fn with_meta(mut parameters: Value) -> Value {
    parameters["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {
            "elicitation": {"form": {}},
            "extensions": {"io.modelcontextprotocol/tasks": {}},
        },
    });
    parameters
}

fn begin(client: &mut Peer, scene: &Scene, request: &str) -> String {
    let task = call("run_task", &json!({"request": request, "folder": scene.folder()}));
    let made = client.ask("tools/call", &with_meta(task));
    assert_eq!(made["result"]["resultType"], "task", "{made}");
    made["result"]["taskId"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
}

fn state(client: &mut Peer, task: &str) -> Value {
    client.ask("tasks/get", &with_meta(json!({"taskId": task})))["result"].clone()
}

fn settled(client: &mut Peer, task: &str) -> Value {
    let mut last = Value::Null;
    until("the end of the task", || {
        last = state(client, task);
        last["status"] != "working" && last["status"] != "input_required"
    });
    last
}

#[test]
fn a_client_with_tasks_gets_a_task_and_looks_when_it_likes() {
    let scene = Scene::new(counting());
    let mut client = Peer::start(&mut scene.artoo(&["mcp", "serve"]));
    let told = client.ask("server/discover", &with_meta(json!({})));
    assert!(told["result"]["supportedVersions"].to_string().contains(VERSION), "{told}");
    let task = begin(&mut client, &scene, "How many .txt files are in docs?");
    let done = settled(&mut client, &task);
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(done["result"]["structuredContent"]["status"], "confirmed", "{done}");
}

#[test]
fn a_question_is_an_input_that_the_task_requires() {
    let scene = deleting();
    let mut client = Peer::start(&mut scene.artoo(&["mcp", "serve"]));
    let task = begin(&mut client, &scene, REQUEST);
    let mut asked = Value::Null;
    until("the question", || {
        asked = state(&mut client, &task);
        asked["status"] == "input_required"
    });
    let (key, request) = asked["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert!(request["params"]["message"].as_str().unwrap().contains("notes.txt"), "{asked}");
    assert!(notes(&scene).exists());
    let answer =
        json!({"taskId": task, "inputResponses": {key: {"action": "accept", "content": {"answer": "yes"}}}});
    let taken = client.ask("tasks/update", &with_meta(answer));
    assert!(taken.get("result").is_some(), "{taken}");
    let done = settled(&mut client, &task);
    assert_eq!(done["status"], "completed", "{done}");
    assert!(!notes(&scene).exists());
}

#[test]
fn a_cancelled_task_ends_its_run() {
    let scene = deleting();
    let mut client = Peer::start(&mut scene.artoo(&["mcp", "serve"]));
    let task = begin(&mut client, &scene, REQUEST);
    until("the question", || state(&mut client, &task)["status"] == "input_required");
    let cancelled = client.ask("tasks/cancel", &with_meta(json!({"taskId": task})));
    assert!(cancelled.get("result").is_some(), "{cancelled}");
    let done = settled(&mut client, &task);
    assert_eq!(done["status"], "cancelled", "{done}");
    assert!(notes(&scene).exists());
    let journal = scene.journal();
    assert!(journal.lines().last().unwrap().contains("final_result"));
}
