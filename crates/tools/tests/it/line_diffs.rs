//! Line diffs in the record of changed files.

use std::fs;

use artoo_types::{FileChange, FileChangeKind, ToolCall};
use serde_json::json;

use crate::fixture::{Scene, can_confine, shown};

/// With layers and without: without them, the undo snapshot provides the previous content.
fn scenes() -> Vec<Scene> {
    let mut without = Scene::new();
    without.cx.layer_stores = Vec::new();
    if can_confine() { vec![Scene::new(), without] } else { Vec::new() }
}

async fn shell(scene: &Scene, command: &str) -> ToolCall {
    scene.call("shell", json!({ "command": command })).await
}

fn told<'a>(call: &'a ToolCall, name: &str) -> &'a FileChange {
    let found = call.files.iter().find(|file| file.path.file_name().is_some_and(|one| one == name));
    found.unwrap_or_else(|| panic!("nothing of {name}: {call:?}"))
}

fn diff<'a>(call: &'a ToolCall, name: &str) -> &'a str {
    told(call, name).diff.as_deref().unwrap_or_default()
}

#[tokio::test]
async fn changes_are_told_by_their_lines_and_moves_by_where_they_came_from() {
    for scene in scenes() {
        scene.file("list.csv", "name,n\nada,1\nbob,2\n");
        scene.file("picture.bin", b"\0\x01\xff");
        scene.file("photo.bin", b"\0photo\xff");
        scene.file("note.txt", "hei\n");
        scene.file("gone.txt", "pois\n");
        let call = shell(
            &scene,
            "sed -i s/ada,1/ada,3/ list.csv; printf 1234 > picture.bin; mkdir done; mv note.txt photo.bin done/; \
             rm gone.txt; seq 10000 > long.txt; chmod 600 list.csv",
        );
        let call = call.await;
        shown(&call);
        assert_eq!(
            diff(&call, "list.csv"),
            "--- before\n+++ after\n@@ -1,3 +1,3 @@\n name,n\n-ada,1\n+ada,3\n bob,2\n"
        );
        assert_eq!(diff(&call, "picture.bin"), "[not shown: 3 bytes before, 4 bytes after]");
        assert!(diff(&call, "gone.txt").ends_with("\n-pois\n"));
        let long = diff(&call, "long.txt");
        assert!(
            long.len() < 2_100 && long.contains("\n+1\n+2\n") && long.ends_with("\n[cut here: it goes on]\n")
        );
        let came = |name: &str| {
            let is_new = |file: &&FileChange| {
                file.change == FileChangeKind::Created && file.path.file_name().is_some_and(|one| one == name)
            };
            let new = call.files.iter().find(is_new).unwrap();
            (new.moved_from.clone(), new.diff.clone())
        };
        for name in ["note.txt", "photo.bin"] {
            assert_eq!(came(name), (Some(scene.cx.working_folder.join(name)), None));
        }
        // The second change of a file: its content is known only with layers.
        let again = shell(&scene, "sed -i s/ada,3/ada,4/ list.csv").await;
        let known = if scene.cx.layer_stores.is_empty() { "" } else { "-ada,3\n+ada,4\n bob,2\n" };
        assert!(diff(&again, "list.csv").ends_with(known), "{again:?}");
        assert_eq!(told(&again, "list.csv").change, FileChangeKind::Changed);
    }
}

#[tokio::test]
async fn a_changed_mode_has_no_lines() {
    for scene in scenes() {
        scene.file("tool.sh", "echo 1\n");
        let call = shell(&scene, "chmod 700 tool.sh").await;
        assert_eq!(told(&call, "tool.sh").diff, None);
    }
}

#[tokio::test]
async fn secrets_and_keys_are_not_told() {
    let scene = Scene::new();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let call = scene
        .call("write_file", json!({ "path": "./conf.env", "content": format!("TOKEN={token}\n") }))
        .await;
    assert!(diff(&call, "conf.env").contains("[redacted"), "{call:?}");
    assert!(!diff(&call, "conf.env").contains(&token));
    let key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n";
    let call = scene.call("write_file", json!({ "path": "./key.txt", "content": key })).await;
    assert_eq!(told(&call, "key.txt").diff, None);
}

#[tokio::test]
async fn all_that_is_told_of_a_call_is_bounded() {
    for scene in scenes() {
        fs::create_dir_all(&scene.cx.workspace).unwrap();
        let call = shell(&scene, "for n in $(seq 100); do seq 1000 > file$n.txt; done").await;
        let bytes: usize = call.files.iter().filter_map(|file| file.diff.as_ref()).map(String::len).sum();
        assert_eq!(call.files.len(), 100);
        assert!((30_000..=32 * 1024).contains(&bytes), "{bytes}");
    }
}
