//! The `write_file` tool.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;

use artoo_consent::Nobody;
use artoo_sandbox::SandboxMode;
use artoo_tools::ProtectedPlaces;
use artoo_types::{CallEnding, FailureClass, FileChange, FileChangeKind};
use serde_json::json;

use crate::fixture::{Scene, failed, shown};

#[tokio::test]
async fn a_file_goes_where_its_path_says() {
    let scene = Scene::new();
    let (folder, workspace) = (&scene.cx.working_folder, &scene.cx.workspace);
    let absolute = folder.join("absolute.txt");
    for (path, lands) in [
        ("bare.txt", folder.join("bare.txt")),
        ("./dotted.txt", folder.join("dotted.txt")),
        ("new/deep/er.txt", folder.join("new/deep/er.txt")),
        ("~/artoo_workspace/home.txt", workspace.join("home.txt")),
        ("$WORKSPACE/named.txt", workspace.join("named.txt")),
        (absolute.to_str().unwrap(), absolute.clone()),
        ("new/../up.txt", folder.join("up.txt")),
        ("بحث 中文 🦀.md", folder.join("بحث 中文 🦀.md")),
        ("with space/a b.txt", folder.join("with space/a b.txt")),
    ] {
        let call = scene.call("write_file", json!({ "path": path, "content": "hé\n" })).await;
        assert_eq!(shown(&call), format!("created {} (4 bytes)\n", lands.display()));
        let created = FileChange::new(&lands, FileChangeKind::Created);
        assert_eq!(call.files, [FileChange { diff: call.files[0].diff.clone(), ..created }]);
        assert!(call.files[0].diff.as_deref().unwrap().starts_with("--- nothing\n+++ after\n@@ "));
        assert_eq!(fs::read_to_string(&lands).unwrap(), "hé\n");
    }
    let left: Vec<_> = fs::read_dir(workspace).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".part")), "{left:?}");
}

/// Issue 15, part 8: the requested file ended up among left-over scripts; and `CHANGELOG.md`, which the request calls a
/// changelog, in the workspace. Where a file goes depends on its path alone.
#[tokio::test]
async fn lesson_2_10_a_relative_path_means_where_the_person_is() {
    let mut scene = Scene::new();
    scene.cx.request =
        "Start a changelog for this project, and kokoa luvut tiedostoon yhteenveto.csv:hen".into();
    for (path, lands) in [
        ("yhteenveto.csv", scene.cx.working_folder.join("yhteenveto.csv")),
        ("CHANGELOG.md", scene.cx.working_folder.join("CHANGELOG.md")),
        ("$WORKSPACE/skripti.py", scene.cx.workspace.join("skripti.py")),
    ] {
        let call = scene.call("write_file", json!({ "path": path, "content": "x" })).await;
        assert_eq!(shown(&call), format!("created {} (1 bytes)\n", lands.display()));
    }
}

#[tokio::test]
async fn what_existed_before_is_not_touched_without_a_yes() {
    let mut scene = Scene::new();
    scene.cx.consent = Arc::new(Nobody);
    scene.file("old.txt", "old");
    scene.file("target.txt", "old");
    symlink("target.txt", scene.cx.working_folder.join("link.txt")).unwrap();
    symlink("nowhere", scene.cx.working_folder.join("dangling.txt")).unwrap();
    fs::create_dir_all(&scene.cx.workspace).unwrap();
    fs::write(scene.cx.workspace.join("report.md"), "old").unwrap();
    // A bare name of an existing file refers to that file.
    for path in ["./old.txt", "old.txt", "./link.txt", "link.txt", "$WORKSPACE/report.md"] {
        let call = scene.call("write_file", json!({ "path": path, "content": "new" })).await;
        failed(&call, FailureClass::Denied);
        assert_eq!(call.files, []);
    }
    assert_eq!(fs::read_to_string(scene.cx.working_folder.join("old.txt")).unwrap(), "old");
    assert!(!scene.cx.workspace.join("old.txt").exists());
    assert_eq!(fs::read_to_string(scene.cx.working_folder.join("target.txt")).unwrap(), "old");
    assert_eq!(fs::read_to_string(scene.cx.workspace.join("report.md")).unwrap(), "old");
    // The target of a link that leads nowhere is a new file.
    shown(&scene.call("write_file", json!({ "path": "dangling.txt", "content": "new" })).await);
    assert_eq!(fs::read_to_string(scene.cx.working_folder.join("nowhere")).unwrap(), "new");
    assert!(scene.cx.working_folder.join("dangling.txt").is_symlink());
}

#[tokio::test]
async fn what_the_run_created_it_may_change() {
    let scene = Scene::new();
    for (content, change) in [("#!/bin/sh\n", FileChangeKind::Created), ("second", FileChangeKind::Changed)] {
        let call = scene.call("write_file", json!({ "path": "$WORKSPACE/script", "content": content })).await;
        assert_eq!(call.files.first().unwrap().change, change);
        let path = scene.cx.workspace.join("script");
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
        if change == FileChangeKind::Created {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        } else {
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
        }
    }
    // A link in its place is not its file.
    let path = scene.cx.workspace.join("script");
    fs::remove_file(&path).unwrap();
    let victim = scene.outside.join("victim");
    fs::write(&victim, "old").unwrap();
    symlink(&victim, &path).unwrap();
    failed(
        &scene.call("write_file", json!({ "path": "$WORKSPACE/script", "content": "x" })).await,
        FailureClass::Logical,
    );
    assert_eq!(fs::read_to_string(victim).unwrap(), "old");
}

/// Scratch is written and read by tools as by commands, goes with the run, and is no change of the person's files.
#[tokio::test]
async fn scratch_is_free_and_no_change() {
    let mut scene = Scene::new();
    scene.cx.consent = Arc::new(Nobody);
    let data = scene.data.clone();
    scene.cx.private_tmp = data.join("tmp");
    scene.cx.protected = ProtectedPlaces::from(vec![data.clone()]).without(scene.cx.private_tmp.clone());
    for content in ["one\n", "two\n"] {
        let call =
            scene.call("write_file", json!({ "path": "$TMPDIR/.x/list.txt", "content": content })).await;
        assert!(call.succeeded() && call.files.is_empty(), "{call:?}");
        let read = scene.call("read_file", json!({ "path": "$TMPDIR/.x/list.txt" })).await;
        assert_eq!(shown(&read), content);
    }
    fs::write(scene.cx.private_tmp.join("made-by-a-command"), "1").unwrap();
    let edits = json!([{ "old": "1", "new": "2" }]);
    let call = scene.call("edit_file", json!({ "path": "$TMPDIR/made-by-a-command", "edits": edits })).await;
    assert!(call.succeeded() && call.files.is_empty(), "{call:?}");
    scene.call("read_file", json!({ "path": "$TMPDIR/made-by-a-command" })).await;
    for (old, new) in [("2", "3"), ("3", "4")] {
        let edits = json!([{ "old": old, "new": new }]);
        let call =
            scene.call("edit_file", json!({ "path": "$TMPDIR/made-by-a-command", "edits": edits })).await;
        assert!(call.succeeded(), "one reading is enough for several edits: {call:?}");
    }
    let found = scene.call("glob", json!({ "pattern": "$TMPDIR/made-*" })).await;
    assert!(shown(&found).contains("made-by-a-command"), "{found:?}");
    fs::write(data.join("journal"), "1").unwrap();
    symlink(&data, scene.cx.private_tmp.join("door")).unwrap();
    for path in [format!("{}/journal", data.display()), "$TMPDIR/door/journal".to_owned()] {
        let call = scene.call("read_file", json!({ "path": path })).await;
        failed(&call, FailureClass::Forbidden);
    }
}

#[tokio::test]
async fn nothing_is_written_elsewhere() {
    let scene = Scene::new();
    symlink(&scene.outside, scene.cx.working_folder.join("door")).unwrap();
    scene.file("plain", "x");
    let outside = format!("{}/x", scene.outside.display());
    for (path, class) in [
        (outside.as_str(), FailureClass::Logical),
        ("door/x", FailureClass::Logical),
        ("door/new/x", FailureClass::Logical),
        ("../outside/x", FailureClass::Logical),
        ("new/../../outside/x", FailureClass::Environmental), // there is no `new` to go up from
        ("~/x", FailureClass::Logical),
        ("/x", FailureClass::Logical),
        (".git/hooks/pre-commit", FailureClass::Forbidden),
        ("./.git", FailureClass::Forbidden),
        ("./", FailureClass::Logical),
        ("..", FailureClass::Logical),
        ("~", FailureClass::Logical),
        ("/", FailureClass::Logical),
        ("plain/x", FailureClass::Environmental),
        ("", FailureClass::Logical),
        ("a\0b", FailureClass::Logical),
    ] {
        let call = scene.call("write_file", json!({ "path": path, "content": "x" })).await;
        failed(&call, class);
        assert_eq!(call.files, [], "{path}");
        assert_eq!(fs::read_dir(&scene.outside).unwrap().count(), 0, "{path}");
        assert!(!scene.cx.home.join("x").exists());
    }
}

#[tokio::test]
async fn read_only_and_too_much_are_refused() {
    let mut scene = Scene::new();
    scene.cx.limits.written = 3;
    let call = scene.call("write_file", json!({ "path": "x", "content": "four" })).await;
    assert!(failed(&call, FailureClass::Logical).reason.contains("`content` has 4 bytes"), "{call:?}");
    scene.cx.mode = SandboxMode::ReadOnly;
    let call = scene.call("write_file", json!({ "path": "x", "content": "x" })).await;
    assert_eq!(call.ending, CallEnding::Refused);
    assert!(failed(&call, FailureClass::Denied).hint.as_ref().unwrap().contains("read-only"));
    assert!(!scene.cx.workspace.join("x").exists());
}

/// Many tasks write one name; one wins, and its content is complete.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_race_has_one_winner() {
    let mut scene = Scene::new();
    scene.cx.consent = Arc::new(Nobody);
    let mut contexts = Vec::new();
    for _ in 0..16 {
        let mut cx = scene.cx.clone();
        cx.created = artoo_tools::CreatedPaths::default();
        contexts.push(cx);
    }
    let calls = contexts.iter().enumerate().map(|(n, cx)| {
        let arguments = json!({ "path": "$WORKSPACE/one", "content": n.to_string().repeat(50_000) });
        let toolbox = artoo_tools::Toolbox::standard();
        async move {
            let id = artoo_types::CallId::new(uuid::Uuid::nil());
            let name = artoo_types::ToolName::new("write_file");
            toolbox.call(id, &name, arguments.as_object().unwrap().clone(), cx).await
        }
    });
    let calls = futures_util::future::join_all(calls).await;
    assert_eq!(calls.iter().filter(|call| call.succeeded()).count(), 1);
    let winner = calls.iter().find(|call| call.succeeded()).unwrap();
    let content = fs::read_to_string(scene.cx.workspace.join("one")).unwrap();
    assert_eq!(Some(content.as_str()), winner.arguments["content"].as_str());
}
