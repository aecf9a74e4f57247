//! Changes made by tools are recorded, and can be undone.

use std::fs;
use std::path::PathBuf;

use artoo_sandbox::SandboxMode;
use artoo_snapshot::{Present, Snapshot, SnapshotLimits, Uncovered, Undo, UndoError, Undoable, undoable};
use artoo_types::{CallEnding, FileChange, FileChangeKind, ToolCall};
use serde_json::json;

use crate::fixture::{Scene, can_confine, shown};

fn scene() -> Option<Scene> {
    let scene = Scene::new();
    fs::create_dir_all(&scene.cx.workspace).unwrap();
    can_confine().then_some(scene)
}

fn in_workspace(scene: &Scene, name: &str) -> PathBuf {
    scene.cx.workspace.join(name)
}

async fn shell(scene: &Scene, command: &str) -> ToolCall {
    let command = format!("cd '{}' && {command}", scene.cx.workspace.display());
    scene.call("shell", json!({ "command": command })).await
}

fn take_back(scene: &Scene) {
    let snapshot = scene.cx.snapshot.as_ref().unwrap();
    snapshot.close().unwrap();
    let roots = [scene.cx.workspace.canonicalize().unwrap(), scene.cx.working_folder.clone()];
    // The thread of a call whose future was dropped may still hold the record.
    let undo = loop {
        match Undo::prepare(&scene.data.join("undo"), &roots, Present::AsRecorded) {
            Err(UndoError::Busy) => std::thread::yield_now(),
            prepared => break prepared.unwrap(),
        }
    };
    undo.apply().unwrap();
}

#[tokio::test]
async fn a_commands_changes_are_in_its_record_and_can_be_taken_back() {
    let Some(scene) = scene() else { return };
    for name in ["old", "gone", "same"] {
        fs::write(in_workspace(&scene, name), name).unwrap();
    }
    let call = shell(&scene, "echo 1 > old; rm gone; mkdir -p a/b; echo 2 > a/数据; cat same").await;
    assert_eq!(shown(&call), "same");
    let change = |name: &str, change, diff: &str| FileChange {
        diff: (!diff.is_empty()).then(|| diff.to_owned()),
        ..FileChange::new(in_workspace(&scene, name), change)
    };
    let gone = "--- before\n+++ after\n@@ -1 +0,0 @@\n-gone\n\\ No newline at end of file\n";
    let old = "--- before\n+++ after\n@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+1\n";
    let expected = [
        change("a/b/", FileChangeKind::Created, ""),
        change("a/数据", FileChangeKind::Created, "--- nothing\n+++ after\n@@ -0,0 +1 @@\n+2\n"),
        change("gone", FileChangeKind::Deleted, gone),
        change("old", FileChangeKind::Changed, old),
    ];
    assert_eq!(call.files, expected);
    assert!(call.files[0].path.as_os_str().to_str().unwrap().ends_with('/'), "a folder");
    assert_eq!(shell(&scene, "cat old").await.files, [], "reading changes nothing");
    take_back(&scene);
    for name in ["old", "gone", "same"] {
        assert_eq!(fs::read_to_string(in_workspace(&scene, name)).unwrap(), name);
    }
    assert_eq!(fs::read_dir(&scene.cx.workspace).unwrap().count(), 3);
}

#[tokio::test]
async fn tools_and_commands_have_one_record() {
    let Some(scene) = scene() else { return };
    let note = json!({ "path": "./new/note.txt", "content": "1" });
    let wrote = scene.call("write_file", note).await;
    assert_eq!(wrote.files.len(), 1, "{wrote:?}");
    scene.call("write_file", json!({ "path": "$WORKSPACE/bare.txt", "content": "1" })).await;
    shell(&scene, "mv bare.txt moved.txt").await;
    scene.call("write_file", json!({ "path": "$WORKSPACE/bare.txt", "content": "2" })).await;
    assert!(scene.cx.working_folder.join("new/note.txt").exists());
    take_back(&scene);
    assert!(!scene.cx.working_folder.join("new").exists());
    assert_eq!(fs::read_dir(&scene.cx.workspace).unwrap().count(), 0);
}

#[tokio::test]
async fn what_a_stopped_command_did_is_known_too() {
    let Some(scene) = scene() else { return };
    let call = {
        let command = format!("echo 1 > '{}/new'; sleep 600", scene.cx.workspace.display());
        scene.call("shell", json!({ "command": command, "timeout_seconds": 1 })).await
    };
    assert_eq!(call.ending, CallEnding::TimedOut);
    assert_eq!(call.files.len(), 1, "{call:?}");
    // Cancelled from outside: the future is dropped, and nothing was made real.
    let command = "echo 1 > $WORKSPACE/other; touch $TMPDIR/begun; sleep 600";
    let (begun, other) = (scene.cx.private_tmp.join("begun"), in_workspace(&scene, "other"));
    {
        let call = scene.call("shell", json!({ "command": command }));
        tokio::pin!(call);
        while !begun.exists() {
            tokio::select! {
                _ = &mut call => panic!("it sleeps"),
                () = tokio::task::yield_now() => {}
            }
        }
    }
    take_back(&scene);
    assert!(!other.exists() && !in_workspace(&scene, "new").exists());
}

#[tokio::test]
async fn a_command_that_may_write_nowhere_leaves_no_record() {
    let Some(mut scene) = scene() else { return };
    scene.cx.mode = SandboxMode::ReadOnly;
    shown(&shell(&scene, "echo 1").await);
    assert!(!scene.data.join("undo").exists());
}

#[tokio::test]
async fn with_full_access_the_working_folder_is_looked_at_and_the_rest_is_named() {
    let mut scene = Scene::new();
    scene.cx.mode = SandboxMode::FullAccess;
    let old = scene.file("old", "1");
    let call = scene.call("shell", json!({ "command": "rm old; echo 1 > new" })).await;
    assert_eq!(call.files.len(), 2, "{call:?}");
    assert_eq!(
        scene.cx.snapshot.as_ref().unwrap().not_covered(),
        [],
        "it was tried, and all that it changes is known"
    );
    // What it cannot do in a trial, it does after a yes.
    let elsewhere = format!("rm new; echo 1 > '{}'", scene.outside.join("new").display());
    shown(&scene.call("shell", json!({ "command": elsewhere })).await);
    assert!(scene.outside.join("new").exists());
    let not_covered = scene.cx.snapshot.as_ref().unwrap().not_covered();
    assert_eq!(not_covered.len(), 1);
    assert_eq!(not_covered[0].why, Uncovered::Elsewhere);
    take_back(&scene);
    assert!(old.exists() && !scene.cx.working_folder.join("new").exists());
}

#[tokio::test]
async fn a_call_whose_changes_cannot_be_kept_is_not_made() {
    let Some(mut scene) = scene() else { return };
    let blocked = scene.data.join("blocked");
    fs::write(&blocked, "a file where a folder must be").unwrap();
    scene.cx.snapshot = Some(Snapshot::new(blocked.join("undo"), Vec::new(), SnapshotLimits::default()));
    let call = shell(&scene, "echo 1 > new").await;
    assert!(call.failure.unwrap().reason.contains("keep for undo"), "{:?}", call.ending);
    let call = scene.call("write_file", json!({ "path": "$WORKSPACE/new", "content": "1" })).await;
    assert!(call.failure.is_some());
    assert!(!in_workspace(&scene, "new").exists());
    assert_eq!(undoable(&blocked), Undoable::Nothing);
}
