//! Servers that misbehave: a clear error that names the server, and nothing is left of them.

use artoo_mcp::{McpError, ServerState, ServerTable};
use artoo_types::{CallEnding, FailureClass};
use serde_json::json;

use crate::setup::{Scene, processes, reason, scene, soon};

async fn refused(scene: &Scene, mode: &str, table: ServerTable) -> McpError {
    let error = scene.start(mode, table).await.unwrap_err();
    assert!(error.to_string().contains("the server fake"), "{error}");
    scene.nothing_is_left().await;
    error
}

#[tokio::test]
async fn one_that_does_not_start_says_why() {
    let Some(scene) = scene() else { return };
    let error = refused(&scene, "no-start", soon()).await.to_string();
    assert!(error.contains("exit status 3") && error.contains("cannot find my configuration"), "{error}");
    let mut config = scene.config("plain", soon());
    if let artoo_mcp::Transport::Stdio(stdio) = &mut config.transport {
        stdio.command = "no-such-program".parse().unwrap();
    }
    let error = artoo_mcp::Connection::start(config, &scene.start).await.unwrap_err();
    assert!(matches!(error, McpError::Start { .. }), "{error}");
}

#[tokio::test]
async fn one_that_does_not_start_keeps_no_other_from_starting() {
    let Some(scene) = scene() else { return };
    let configs = vec![scene.config("no-start", soon()), scene.config("plain", soon())];
    let started = artoo_mcp::start_all(configs, &scene.start).await;
    assert!(started[0].1.is_err() && started[1].1.is_ok());
}

#[tokio::test]
async fn one_that_hangs_is_given_up_in_time() {
    let Some(scene) = scene() else { return };
    let table = ServerTable { start_timeout: Some(1), ..ServerTable::default() };
    let error = refused(&scene, "hangs", table).await.to_string();
    assert!(error.contains("within 1 seconds") && error.contains("waiting for a database"), "{error}");
}

#[tokio::test]
async fn one_that_dies_during_a_call_fails_it_and_all_later_ones() {
    let Some(scene) = scene() else { return };
    let server = scene.start("dies", ServerTable::default()).await.unwrap();
    for _ in 0..2 {
        let call = scene.call(&server, "fake__act", json!({})).await;
        let reason = reason(&call);
        assert!(
            reason.starts_with("the server fake has ended: its program ended with exit status 7"),
            "{reason}"
        );
        assert!(reason.contains("out of luck") && !reason.contains("a1B2"), "{reason}");
        assert_eq!(call.failure.as_ref().map(|failure| failure.class), Some(FailureClass::Environmental));
    }
    assert!(matches!(server.state(), ServerState::Ended { reason } if reason.contains("exit status 7")));
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_gigabyte_in_one_line_ends_the_connection() {
    let Some(scene) = scene() else { return };
    let server = scene.start("long-line", ServerTable::default()).await.unwrap();
    let call = scene.call(&server, "fake__act", json!({})).await;
    assert_eq!(reason(&call), "the server fake has ended: it sent a message of more than 16 MiB in one line");
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_flood_of_notifications_or_requests_ends_the_connection() {
    for (mode, most) in [("flood", 100_000), ("flood-requests", 10_000)] {
        let Some(scene) = scene() else { return };
        let server = scene.start(mode, ServerTable::default()).await.unwrap();
        let call = scene.call(&server, "fake__act", json!({})).await;
        let why = format!("the server fake has ended: it sent {most} messages of its own and no answer");
        assert_eq!(reason(&call), why);
        scene.nothing_is_left().await;
    }
}

#[tokio::test]
async fn a_schema_that_is_none_leaves_out_its_tool_alone() {
    let Some(scene) = scene() else { return };
    let server = scene.start("invalid-schema", ServerTable::default()).await.unwrap();
    assert_eq!(server.definitions().len(), 8);
    let unusable = server.unusable();
    let names: Vec<&str> = unusable.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["broken", "none", "text", "far", "add"], "{unusable:?}");
    let call = scene.call(&server, "fake__add", json!({"a": 1, "b": 2})).await;
    assert_eq!(call.failure, None);
}

#[tokio::test]
async fn a_child_that_left_its_server_ends_with_it() {
    let Some(scene) = scene() else { return };
    let server = scene.start("forks", ServerTable::default()).await.unwrap();
    assert!(processes(&scene.mark).len() >= 2, "it has a daemon");
    server.close().await;
    assert_eq!(processes(&scene.mark), [""; 0], "gone when it was closed");
    // And where nobody closes it.
    drop(scene.start("forks", ServerTable::default()).await.unwrap());
    scene.nothing_is_left().await;
    // And where the run is cancelled.
    let server = scene.start("forks", ServerTable::default()).await.unwrap();
    scene.start.cancel.cancel();
    scene.nothing_is_left().await;
    drop(server);
}

#[tokio::test]
async fn a_request_for_the_model_is_refused() {
    let Some(scene) = scene() else { return };
    let server = scene.start("sampling", ServerTable::default()).await.unwrap();
    let call = scene.call(&server, "fake__act", json!({})).await;
    assert!(call.output.shown.contains("-32601") && call.failure.is_none(), "{call:?}");
}

#[tokio::test]
async fn a_tool_with_one_of_our_names_is_called_by_another() {
    let Some(scene) = scene() else { return };
    let server = scene.start("plain", ServerTable::default()).await.unwrap();
    let toolbox = scene.toolbox(&server);
    let shells: Vec<String> =
        toolbox.tools().map(|tool| tool.name().to_string()).filter(|name| name.contains("shell")).collect();
    assert_eq!(shells, ["shell", "fake__shell"]);
    let call = scene.call(&server, "fake__shell", json!({})).await;
    assert_eq!(call.output.shown, "shell was called");
}

#[tokio::test]
async fn lists_without_an_end_are_not_read() {
    let Some(scene) = scene() else { return };
    for mode in ["endless-list", "list-in-a-circle"] {
        let error = refused(&scene, mode, ServerTable::default()).await;
        assert!(matches!(error, McpError::TooMuch { .. }), "{error}");
    }
}

#[tokio::test]
async fn what_means_nothing_is_skipped_and_an_answer_that_is_none_is_told() {
    let Some(scene) = scene() else { return };
    let server = scene.start("garbage", ServerTable::default()).await.unwrap();
    let call = scene.call(&server, "fake__act", json!({})).await;
    assert_eq!((call.failure, call.output.shown.as_str()), (None, "still here"));
    let server = scene.start("no-answer", ServerTable::default()).await.unwrap();
    let call = scene.call(&server, "fake__act", json!({})).await;
    assert_eq!(reason(&call), "the server fake gave no answer that means anything to: call a tool");
    assert_eq!(call.ending, CallEnding::Returned);
}
