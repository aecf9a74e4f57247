//! Servers that behave: what they are told, and what they tell.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use artoo_consent::Nobody;
use artoo_mcp::{ServerState, ServerTable};
use artoo_tools::ServerReach;
use artoo_types::{CallEnding, Foreign};
use serde_json::json;

use crate::setup::{reason, scene, until};

#[tokio::test]
async fn a_server_is_talked_to_in_the_version_that_it_knows() {
    let Some(scene) = scene() else { return };
    for (mode, version) in [
        ("plain", "2025-11-25"),
        ("newest", "2026-07-28"),
        ("older", "2025-06-18"),
        ("silent", "2025-11-25"),
        ("dies-at-discover", "2025-11-25"),
    ] {
        let server = scene.start(mode, ServerTable::default()).await.unwrap();
        match server.state() {
            ServerState::Running { protocol, .. } => assert_eq!(protocol, version, "{mode}"),
            ServerState::Ended { reason } => panic!("{mode}: {reason}"),
        }
        assert_eq!(server.definitions().len(), 8, "{mode}");
        let call = scene.call(&server, "fake__add", json!({"a": 2, "b": 3})).await;
        assert_eq!((call.failure, call.output.shown.as_str()), (None, "5\n{\"total\":5}"), "{mode}");
        server.close().await;
        assert!(matches!(server.state(), ServerState::Ended { .. }));
    }
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_server_that_can_change_nothing_is_not_asked_about() {
    let Some(scene) = scene() else { return };
    let server = scene.start("plain", ServerTable::default()).await.unwrap();
    assert_eq!(server.reach(), ServerReach::Nothing);
    let call = scene.call(&server, "fake__add", json!({"a": 1, "b": 1})).await;
    assert_eq!(call.ending, CallEnding::Returned);
    assert_eq!(call.trust.foreign, Some(Foreign::Server));
    assert_eq!(call.output.origin.as_deref(), Some("the server fake"));
    assert_eq!((call.untried, scene.person.questions.lock().unwrap().len()), (None, 0));
    // The kernel holds it to that: not even its own working folder.
    let path = scene.cx.working_folder.join("a.txt");
    let call = scene.call(&server, "fake__write", json!({"path": path, "text": "x"})).await;
    assert_eq!(reason(&call), "the server fake says that the call failed");
    assert!(
        call.output.shown.contains("denied") || call.output.shown.contains("Read-only"),
        "{}",
        call.output.shown
    );
    assert!(!path.exists());
}

#[tokio::test]
async fn it_reads_no_protected_place_and_gets_the_variables_that_it_was_given() {
    let Some(scene) = scene() else { return };
    std::fs::create_dir_all(scene.start.home.join(".ssh")).unwrap();
    let key = scene.start.home.join(".ssh/id");
    std::fs::write(&key, "hush").unwrap();
    let env = BTreeMap::from([("GIVEN_TOKEN".to_owned(), "${HUB_TOKEN}".to_owned())]);
    let server = scene.start("plain", ServerTable { env, ..ServerTable::default() }).await.unwrap();
    let call = scene.call(&server, "fake__read", json!({"path": key})).await;
    assert!(call.failure.is_some() && !call.output.shown.contains("hush"), "{call:?}");
    for (name, value) in
        [("GIVEN_TOKEN", "t-secret-of-the-hub"), ("OTHER_TOKEN", "not there"), ("HUB_TOKEN", "not there")]
    {
        let call = scene.call(&server, "fake__variable", json!({"name": name})).await;
        assert_eq!(call.output.shown, value, "{name}");
    }
}

#[tokio::test]
async fn progress_is_shown_and_a_cancelled_call_ends_at_once() {
    let Some(mut scene) = scene() else { return };
    let server = scene.start("plain", ServerTable::default()).await.unwrap();
    let shown = Arc::new(Mutex::new(String::new()));
    let to = Arc::clone(&shown);
    scene.cx.on_output = Some(Arc::new(move |text: &str| to.lock().unwrap().push_str(text)));
    let cancel = scene.cx.cancel.clone();
    let (call, ()) = tokio::join!(scene.call(&server, "fake__slow", json!({})), async {
        until(|| (!shown.lock().unwrap().is_empty()).then_some(())).await;
        cancel.cancel();
    });
    assert_eq!(shown.lock().unwrap().as_str(), "1 of 3: on my way\n");
    assert_eq!(call.ending, CallEnding::Cancelled);
    // And the server was told.
    let tmp = scene.cx.private_tmp.clone();
    until(|| {
        let mut own = std::fs::read_dir(&tmp).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        own.find(|folder| folder.join("cancelled").exists())
    })
    .await;
    server.close().await;
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_call_that_fails_or_does_not_fit_says_so() {
    let Some(scene) = scene() else { return };
    let server =
        scene.start("plain", ServerTable { call_timeout: Some(1), ..ServerTable::default() }).await.unwrap();
    let call = scene.call(&server, "fake__fail", json!({})).await;
    assert_eq!(
        (reason(&call), call.output.shown.as_str()),
        ("the server fake says that the call failed", "it went wrong")
    );
    let call = scene.call(&server, "fake__add", json!({"a": "one", "b": 1})).await;
    assert_eq!(call.ending, CallEnding::Refused);
    assert!(
        reason(&call).starts_with("the arguments do not fit add of the server fake: "),
        "{}",
        reason(&call)
    );
    let call = scene.call(&server, "fake__slow", json!({})).await;
    assert_eq!(
        (call.ending.clone(), reason(&call)),
        (CallEnding::TimedOut, "the server fake did not call a tool within 1 seconds")
    );
}

#[tokio::test]
async fn resources_and_prompts_are_texts() {
    let Some(scene) = scene() else { return };
    let server = scene.start("plain", ServerTable::default()).await.unwrap();
    let resources = server.resources().await.unwrap();
    assert_eq!((resources.len(), resources[0].uri.as_str()), (1, "note://1"));
    assert_eq!(server.read_resource("note://1").await.unwrap(), "the first note");
    let prompts = server.prompts().await.unwrap();
    assert_eq!(prompts[0].arguments, [("who".to_owned(), true)]);
    let arguments = BTreeMap::from([("who".to_owned(), "Ada".to_owned())]);
    assert_eq!(server.prompt("greet", &arguments, Arc::new(Nobody)).await.unwrap(), "Greet Ada");
}

#[tokio::test]
async fn many_tools_are_behind_a_search() {
    let Some(scene) = scene() else { return };
    let server = scene.start("many", ServerTable::default()).await.unwrap();
    let tools = artoo_mcp::ServerTools::new(artoo_mcp::McpTool::of(&server, &server.definitions()));
    assert_eq!(tools.all().len(), 68);
    let offered = tools.offered(40);
    let names: Vec<String> = offered.iter().map(|tool| tool.name().to_string()).collect();
    assert_eq!(names, ["mcp_search", "mcp_call"]);
    assert!(offered[0].in_this_run().unwrap().contains("fake__number-59"));
    let toolbox = offered.into_iter().fold(artoo_tools::Toolbox::new(), artoo_tools::Toolbox::with_shared);
    let call = scene.call_in(&toolbox, "mcp_search", json!({"query": "says 42"})).await;
    assert!(call.output.shown.starts_with("fake__number-42: "), "{}", call.output.shown);
    let call = scene.call_in(&toolbox, "mcp_call", json!({"name": "fake__number-42"})).await;
    assert_eq!((call.failure, call.output.shown.as_str()), (None, "number-42 was called"));
    let call = scene.call_in(&toolbox, "mcp_call", json!({"name": "shell", "arguments": {}})).await;
    assert_eq!(reason(&call), "argument `name` is none of the tools that mcp_search finds");
}

#[tokio::test]
async fn a_list_of_several_pages_is_read_whole() {
    let Some(scene) = scene() else { return };
    let server = scene.start("pages", ServerTable::default()).await.unwrap();
    assert_eq!(server.definitions().len(), 8);
}
