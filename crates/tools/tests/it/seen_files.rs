//! What somebody else changed since the run read it is not written over.

use std::fs;

use artoo_test_needs::{Ability, skip};
use artoo_types::FailureClass;
use serde_json::{Value, json};

use crate::fixture::{Scene, can_confine, failed, shown};

const THEIRS: &str = "alpha\nbeta\na line of the owner\n";

fn read(scene: &Scene) -> impl Future<Output = artoo_types::ToolCall> {
    scene.call("read_file", json!({ "path": "notes.txt" }))
}

fn writes() -> [(&'static str, Value); 2] {
    [
        ("write_file", json!({ "path": "notes.txt", "content": "ALPHA\nbeta\n" })),
        ("edit_file", json!({ "path": "notes.txt", "edits": [{ "old": "alpha", "new": "ALPHA" }] })),
    ]
}

#[tokio::test]
async fn a_write_is_refused_until_the_file_is_read_again() {
    for (tool, arguments) in writes() {
        for seen_by in [
            ("read_file", json!({ "path": "notes.txt", "last_line": 1 })),
            ("grep", json!({ "pattern": "alpha" })),
            ("write_file", json!({ "path": "notes.txt", "content": "alpha\nbeta\n " })),
        ] {
            let scene = Scene::new();
            let path = scene.file("notes.txt", "alpha\nbeta\n");
            shown(&scene.call(seen_by.0, seen_by.1.clone()).await);
            fs::write(&path, THEIRS).unwrap();
            for _ in 0..2 {
                let call = scene.call(tool, arguments.clone()).await;
                let failure = failed(&call, FailureClass::Environmental);
                assert_eq!(failure.reason, "notes.txt changed since this run read it; it was left as it is");
                assert_eq!(fs::read_to_string(&path).unwrap(), THEIRS);
            }
            assert!(scene.cx.seen.have_news(), "a call that was made before is another question now");
            assert!(shown(&read(&scene).await).contains("a line of the owner"));
            shown(&scene.call(tool, arguments.clone()).await);
            // What the run wrote itself is no change of others.
            shown(&scene.call("write_file", json!({ "path": "notes.txt", "content": "x" })).await);
        }
    }
}

#[tokio::test]
async fn a_file_that_was_never_read_is_a_matter_of_consent() {
    for (tool, arguments) in writes() {
        let scene = Scene::new();
        let path = scene.file("notes.txt", "alpha\n");
        fs::write(&path, "alpha\nbeta\n").unwrap();
        shown(&scene.call(tool, arguments).await);
        fs::remove_file(&path).unwrap();
        shown(&scene.call("write_file", json!({ "path": "notes.txt", "content": "anew" })).await);
    }
}

#[tokio::test]
async fn a_command_is_refused_once_and_changes_of_the_run_are_its_own() {
    if !can_confine() || !artoo_tools::can_try(&Scene::new().cx) {
        return skip(Ability::Overlays, "nothing can be tried");
    }
    let commands = [
        "echo ALPHA > notes.txt",
        "sed -i s/alpha/ALPHA/ notes.txt",
        "echo ALPHA > new.txt; mv new.txt notes.txt",
        "rm notes.txt",
        // Its words do not name the file.
        "n=notes; printf x > $n.txt",
    ];
    for command in commands {
        for seen_by in
            [("read_file", json!({ "path": "notes.txt" })), ("shell", json!({ "command": "cat notes.txt" }))]
        {
            let scene = Scene::new();
            let path = scene.file("notes.txt", "alpha\nbeta\n");
            shown(&scene.call(seen_by.0, seen_by.1.clone()).await);
            fs::write(&path, THEIRS).unwrap();
            let call = scene.call("shell", json!({ "command": command })).await;
            let failure = failed(&call, FailureClass::Environmental);
            assert!(failure.reason.contains("changed since this run read it"), "{command}: {failure:?}");
            assert_eq!(fs::read_to_string(&path).unwrap(), THEIRS, "{command}");
            let again = scene.call("shell", json!({ "command": command })).await;
            assert!(again.succeeded(), "{command}: {again:?}");
            assert_ne!(fs::read_to_string(&path).unwrap_or_default(), THEIRS, "{command}");
        }
        let scene = Scene::new();
        scene.file("notes.txt", "alpha\nbeta\n");
        shown(&read(&scene).await);
        assert!(scene.call("shell", json!({ "command": "echo more >> notes.txt" })).await.succeeded());
        let call = scene.call("shell", json!({ "command": command })).await;
        assert!(call.succeeded(), "{command}: {call:?}");
    }
}
