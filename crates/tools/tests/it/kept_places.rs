//! Places that the user wants to stay as they are: no tool changes them, whoever says yes.

use std::fs;
use std::sync::Arc;

use artoo_consent::{Answer, Consent};
use artoo_sandbox::SandboxMode;
use artoo_types::{CallEnding, FailureClass};
use serde_json::json;

use crate::consents::person;
use crate::fixture::{Scene, can_confine, failed, shown};

/// A scene in which everything is agreed to, and the photos and a folder that does not exist stay as they are.
fn scene() -> Option<Scene> {
    let mut scene = Scene::new();
    scene.cx.consent = Arc::new(person(Answer::Yes)) as Arc<dyn Consent>;
    scene.file("photos/a.jpg", "a photo");
    scene.file("photos/b.tmp", "in photos");
    scene.file("drafts/c.tmp", "in drafts");
    let places = ["photos", "albums"].map(|name| scene.cx.working_folder.join(name));
    scene.cx.read_only = places.to_vec().into();
    can_confine().then_some(scene)
}

fn assert_kept(scene: &Scene, what: &str) {
    let photos = scene.cx.working_folder.join("photos");
    assert_eq!(fs::read_to_string(photos.join("a.jpg")).unwrap(), "a photo", "{what}");
    assert_eq!(fs::read_to_string(photos.join("b.tmp")).unwrap(), "in photos", "{what}");
    assert_eq!(fs::read_dir(&photos).unwrap().count(), 2, "{what}");
    assert!(!scene.cx.working_folder.join("albums").exists(), "{what}");
}

#[tokio::test]
async fn no_command_changes_them_in_any_mode() {
    for mode in [SandboxMode::WorkspaceWrite, SandboxMode::ReadOnly, SandboxMode::FullAccess] {
        for with_trials in [true, false] {
            for command in [
                "rm photos/a.jpg",
                "rm -rf photos",
                "find . -name '*.tmp' -delete",
                "echo x > photos/new.jpg",
                "echo x >> photos/a.jpg",
                "mv photos elsewhere",
                "mkdir albums && touch albums/new",
                "cp drafts/c.tmp photos/b.tmp",
                "python3 -c \"open('photos/a.jpg', 'w').write('x')\"",
            ] {
                // Without the kernel's rules a command's words decide, where a person agrees to it; and what
                // does not exist is kept from being made by trials alone.
                let is_plain = !command.contains("find") && !command.contains("python3");
                if (mode == SandboxMode::FullAccess && !is_plain)
                    || (!with_trials && command.contains("albums"))
                {
                    continue;
                }
                let Some(mut scene) = scene() else { return };
                scene.cx.mode = mode;
                if !with_trials {
                    scene.cx.layer_stores.clear();
                }
                let call = scene.call("shell", json!({ "command": command })).await;
                assert!(call.failure.is_some(), "{mode}, {with_trials}: {command}");
                assert_kept(&scene, command);
            }
        }
    }
}

#[tokio::test]
async fn what_lies_beside_them_changes_after_a_yes() {
    let Some(scene) = scene() else { return };
    shown(
        &scene.call("shell", json!({ "command": "find drafts -name '*.tmp' -delete; cat photos/*" })).await,
    );
    assert!(!scene.cx.working_folder.join("drafts/c.tmp").exists());
    assert_kept(&scene, "a deletion beside them");
}

#[tokio::test]
async fn no_file_is_written_or_edited_there() {
    let Some(scene) = scene() else { return };
    let photo = scene.cx.working_folder.join("photos/a.jpg");
    for (tool, arguments) in [
        ("write_file", json!({ "path": "photos/a.jpg", "content": "x" })),
        ("write_file", json!({ "path": "./photos/new.jpg", "content": "x" })),
        ("write_file", json!({ "path": "./albums/new.jpg", "content": "x" })),
        ("write_file", json!({ "path": "drafts/../photos/new.jpg", "content": "x" })),
        ("edit_file", json!({ "path": "photos/a.jpg", "edits": [{ "old": "photo", "new": "x" }] })),
    ] {
        let call = scene.call(tool, arguments.clone()).await;
        assert_eq!(call.ending, CallEnding::Refused, "{arguments}: {call:?}");
        let failure = failed(&call, FailureClass::Forbidden);
        assert!(failure.reason.contains("stays as it is, as the user said"), "{failure:?}");
        assert_kept(&scene, &arguments.to_string());
    }
    shown(&scene.call("read_file", json!({ "path": photo })).await);
}

/// A scene in which everything is agreed to, and the request applies to one folder.
fn scoped() -> Option<Scene> {
    let mut scene = scene()?;
    scene.cx.read_only = Vec::new().into();
    scene.cx.scope = Some(scene.cx.working_folder.join("drafts").canonicalize().unwrap());
    Some(scene)
}

#[tokio::test]
async fn a_scope_leaves_what_lies_in_it_and_opens_nothing() {
    let Some(scene) = scoped() else { return };
    for path in ["./photos/new.jpg", "new.txt", "$WORKSPACE/new.txt", "drafts/../photos/new.jpg"] {
        let call = scene.call("write_file", json!({ "path": path, "content": "x" })).await;
        assert_eq!(call.ending, CallEnding::Refused, "{path}: {call:?}");
        let failure = call.failure.unwrap();
        assert!(
            failure.reason.contains("drafts: the user said that nothing else may be changed"),
            "{failure:?}"
        );
    }
    for command in
        ["rm photos/a.jpg", "echo x > new.txt", "echo x > $WORKSPACE/new.txt", "rm -rf photos drafts"]
    {
        let call = scene.call("shell", json!({ "command": command })).await;
        assert!(call.failure.is_some(), "{command}: {call:?}");
        assert_kept(&scene, command);
        assert!(!scene.cx.working_folder.join("new.txt").exists(), "{command}");
        assert!(!scene.cx.workspace.join("new.txt").exists(), "{command}");
    }
    shown(&scene.call("write_file", json!({ "path": "drafts/new.txt", "content": "x" })).await);
    shown(&scene.call("shell", json!({ "command": "cat photos/a.jpg > drafts/copy.txt" })).await);
    assert_eq!(fs::read_to_string(scene.cx.working_folder.join("drafts/copy.txt")).unwrap(), "a photo");

    let mut scene = scoped().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    scene.cx.scope = Some(elsewhere.path().canonicalize().unwrap());
    let path = elsewhere.path().join("new.txt");
    let call = scene.call("write_file", json!({ "path": path, "content": "x" })).await;
    assert_eq!(call.ending, CallEnding::Refused, "a scope grants nothing: {call:?}");
    assert!(!path.exists());
}
