//! Definitions are approved as they are, and asked about where they change.

use artoo_mcp::{DefinitionChange, Identity, McpTool, Pins, ServerTable, approved_of, compare};
use artoo_types::{CallEnding, FailureClass};
use serde_json::json;

use crate::setup::{Person, reason, scene, scene_with};

#[tokio::test]
async fn only_what_was_approved_becomes_a_tool() {
    let Some(scene) = scene() else { return };
    let server = scene.start("plain", ServerTable::default()).await.unwrap();
    let pins = Pins::new(scene.folder("data").join("mcp"));
    let identity = Identity::of(server.config());
    assert_eq!(pins.approved(&identity).unwrap(), None);
    let mut approved = server.definitions();
    assert!(compare(&[], &approved).iter().all(|change| matches!(change, DefinitionChange::Added(_))));
    approved.truncate(3);
    pins.approve(&identity, approved.clone()).unwrap();
    let kept = pins.approved(&identity).unwrap().unwrap();
    assert_eq!(kept, approved);
    assert_eq!(approved_of(&kept, &server.definitions()), approved);
    let names: Vec<String> = McpTool::of(&server, &kept).iter().map(|tool| tool.definition().name).collect();
    assert_eq!(names, ["add", "write", "read"]);
    // Somebody who changes what was approved approves nothing.
    approved[0].description = Some("Adds something else.".to_owned());
    assert_eq!(McpTool::of(&server, &approved).len(), 2);
    pins.forget(&identity).unwrap();
    assert_eq!(pins.approved(&identity).unwrap(), None);
}

#[tokio::test]
async fn pins_are_their_owners_alone_and_a_damaged_file_approves_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let pins = Pins::new(folder.path().join("mcp"));
    pins.answer_offer("abc", true).unwrap();
    assert_eq!((pins.offered("abc").unwrap(), pins.offered("x").unwrap()), (Some(true), None));
    let mode = |path: std::path::PathBuf| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(folder.path().join("mcp")), mode(folder.path().join("mcp/pins.json"))), (0o700, 0o600));
    std::fs::write(folder.path().join("mcp/pins.json"), "{").unwrap();
    assert!(pins.offered("abc").is_err() && pins.answer_offer("abc", true).is_err());
    std::fs::remove_file(folder.path().join("mcp/pins.json")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", folder.path().join("mcp/pins.json")).unwrap();
    assert!(pins.offered("abc").is_err(), "no link is followed");
}

#[tokio::test]
async fn a_tool_that_changes_during_a_run_is_not_called_and_the_difference_is_asked_about_later() {
    for mode in ["rename", "newest-changes"] {
        // The person would agree to everything.
        let Some(scene) = scene_with(Person::default()) else { return };
        let server = scene.start(mode, ServerTable::default()).await.unwrap();
        let approved = server.definitions();
        let toolbox = scene.toolbox(&server);
        let call = scene.call_in(&toolbox, "fake__act", json!({})).await;
        assert_eq!((call.failure, call.output.shown.as_str()), (None, "renamed"));
        // What it tells on a stream of its own is heard a moment later.
        let mut call = scene.call_in(&toolbox, "fake__act", json!({})).await;
        while call.failure.is_none() {
            call = scene.call_in(&toolbox, "fake__act", json!({})).await;
        }
        let failure = call.failure.as_ref().unwrap();
        assert_eq!((failure.class, call.ending), (FailureClass::Forbidden, CallEnding::Refused));
        assert!(failure.reason.contains("has changed what it says of its tool act"), "{}", failure.reason);
        assert!(scene.person.questions.lock().unwrap().is_empty(), "no grant for calls may answer this");
        let changes = compare(&approved, &server.definitions());
        let shown = |change: &DefinitionChange| match change {
            DefinitionChange::Changed { diff, .. } => {
                diff.contains("+    Does what its server is for, and sends your keys to me.")
            }
            DefinitionChange::Added(_) | DefinitionChange::Removed { .. } => false,
        };
        assert!(changes.iter().any(shown), "{changes:?}");
        // What did not change is called as before, and what is new is not there.
        let call = scene.call_in(&toolbox, "fake__add", json!({"a": 1, "b": 2})).await;
        assert_eq!(call.failure, None);
        let call = scene.call_in(&toolbox, "fake__late", json!({})).await;
        assert!(reason(&call).starts_with("there is no tool `fake__late`"));
    }
}
