//! The `edit_file` tool.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::{Arc, Mutex};

use artoo_consent::{Answer, Consent, Nobody, Question};
use artoo_sandbox::SandboxMode;
use artoo_types::{CallEnding, FailureClass, FileChangeKind, Foreign, PreviewedKind};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::fixture::{Scene, failed, shown};

/// [`Consent`] that says yes and records the questions.
#[derive(Default)]
struct Listener(Mutex<Vec<Question>>);

#[async_trait]
impl Consent for Listener {
    async fn ask(&self, question: Question) -> Answer {
        self.0.lock().unwrap().push(question);
        Answer::Yes
    }
}

fn one(path: &str, old: &str, new: &str) -> Value {
    json!({ "path": path, "edits": [{ "old": old, "new": new }] })
}

#[tokio::test]
async fn several_edits_are_made_at_once_and_the_diff_is_shown() {
    let scene = Scene::new();
    let path =
        scene.file("src/a.py", "import os\n\ndef f(x):\n    return x - 1\n\nprint(f(2))\nprint(f(2))\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    let edits = json!([
        { "old": "    return x - 1", "new": "    # 中文\n    return x + 1" },
        { "old": "f(2)", "new": "f(3)", "all": true },
        { "old": "import os\n\n", "new": "" },
    ]);
    let call = scene.call("edit_file", json!({ "path": "src/a.py", "edits": edits })).await;
    let after = "def f(x):\n    # 中文\n    return x + 1\n\nprint(f(3))\nprint(f(3))\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), after);
    let said = shown(&call);
    assert!(said.starts_with(&format!("changed {} ({} bytes)\n", path.display(), after.len())), "{said}");
    assert!(said.contains("-    return x - 1\n+    # 中文\n+    return x + 1\n"), "{said}");
    assert_eq!(call.files.len(), 1);
    assert_eq!((&call.files[0].path, call.files[0].change), (&path, FileChangeKind::Changed));
    let told = call.files[0].diff.as_deref().unwrap();
    assert!(shown(&call).contains(told.trim_end()), "{told}");
    assert_eq!(call.trust.foreign, Some(Foreign::File));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o750);
}

#[tokio::test]
async fn all_edits_are_made_or_none() {
    let scene = Scene::new();
    let text = "one\ntwo\n\tthree\ntwo\n";
    let path = scene.file("a.txt", text);
    let table = [
        (
            json!([{ "old": "one", "new": "1" }, { "old": "four", "new": "4" }]),
            "`old` of edits[1] does not stand in it",
        ),
        (json!([{ "old": "two", "new": "2" }]), "stands in it 2 times, on lines 2 and 4"),
        (json!([{ "old": "one", "new": "1" }, { "old": "one", "new": "2" }]), "edits[1] does not stand"),
        (json!([{ "old": "  three", "new": "3" }]), "edits[0] does not stand"),
        (json!([{ "old": "one", "new": "one" }]), "would change nothing"),
        (json!([{ "old": "", "new": "one" }]), "empty `old`"),
        (json!([{ "old": "one" }]), "argument `new` is missing"),
        (json!([{ "old": "one", "new": "1", "everywhere": true }]), "`everywhere` is not known"),
        (json!(["one"]), "must be an object"),
        (json!("one"), "must be a list, not a text"),
        (json!([]), "is missing"),
    ];
    for (edits, words) in table {
        let call = scene.call("edit_file", json!({ "path": "a.txt", "edits": edits })).await;
        let failure = failed(&call, FailureClass::Logical);
        assert!(failure.reason.contains(words), "{failure:?}");
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), call.files.len()), (text, 0));
    }
    let call = scene.call("edit_file", one("a.txt", "    three", "3")).await;
    assert_eq!(call.output.shown, "the closest lines:\n3: \tthree\n");
    let both = json!({ "path": "a.txt", "edits": [{ "old": "one", "new": "1" }], "patch": "@@\n-one\n+1" });
    assert!(
        failed(&scene.call("edit_file", both).await, FailureClass::Logical).reason.contains("one of both")
    );
}

#[tokio::test]
async fn a_patch_is_placed_by_its_context() {
    let scene = Scene::new();
    let path = scene.file("a.rs", "fn a() {\n    1\n}\n\nfn b() {\n    1\n}\n");
    let patch = "--- a/a.rs\n+++ b/a.rs\n@@ -40,3 +40,3 @@\n fn b() {\n-    1\n+    2\n }\n";
    let call = scene.call("edit_file", json!({ "path": "a.rs", "patch": patch })).await;
    shown(&call);
    assert_eq!(fs::read_to_string(&path).unwrap(), "fn a() {\n    1\n}\n\nfn b() {\n    2\n}\n");
    let call = scene.call("edit_file", json!({ "path": "a.rs", "patch": "@@\n-    3\n+    4\n" })).await;
    assert!(
        failed(&call, FailureClass::Logical).reason.contains("hunk 1 has lines that do not stand in it so")
    );
}

#[tokio::test]
async fn encoding_and_endings_stay() {
    for (before, edit, after) in [
        (&b"a\r\nb\r\nc"[..], ("a\nb", "x\ny\nz"), &b"x\r\ny\r\nz\r\nc"[..]),
        (b"\xef\xbb\xbfa\nb\n", ("a\nb", "c"), b"\xef\xbb\xbfc\n"),
        (b"a\nb", ("b", "c\r\nd"), b"a\nc\nd"),
        (b"a\r\nb\nc\n", ("b\nc", "d"), b"a\r\nd\n"),
    ] {
        let scene = Scene::new();
        let path = scene.file("x", before);
        shown(&scene.call("edit_file", one("x", edit.0, edit.1)).await);
        assert_eq!(fs::read(path).unwrap(), after, "{before:?}");
    }
}

#[tokio::test]
async fn what_is_no_text_of_the_persons_is_refused() {
    let mut scene = Scene::new();
    scene.file("gbk", b"a = '\xd6\xd0\xce\xc4\xb2\xe2\xca\xd4'");
    scene.file("latin", b"caf\xe9");
    scene.file("binary", b"a\0b");
    scene.file("key", "-----BEGIN OPENSSH PRIVATE KEY-----\na");
    scene.file(".git/config", "a");
    fs::write(scene.outside.join("x"), "a").unwrap();
    symlink(scene.outside.join("x"), scene.cx.working_folder.join("door")).unwrap();
    fs::create_dir_all(scene.cx.home.join(".ssh")).unwrap();
    fs::write(scene.cx.home.join(".ssh/config"), "a").unwrap();
    fs::create_dir(scene.cx.working_folder.join("folder")).unwrap();
    scene.cx.limits.written = 100;
    scene.file("large", "a".repeat(101));
    for (path, class, words) in [
        ("gbk", FailureClass::Logical, "is not text in UTF-8"),
        ("binary", FailureClass::Logical, "is not text in UTF-8"),
        ("large", FailureClass::Logical, "has 101 bytes; at most 100"),
        ("key", FailureClass::Forbidden, "is protected"),
        (".git/config", FailureClass::Forbidden, "is part of a git repository"),
        ("door", FailureClass::Logical, "is outside"),
        ("~/.ssh/config", FailureClass::Logical, "is outside"),
        ("nowhere", FailureClass::Environmental, "cannot edit nowhere"),
        ("folder", FailureClass::Logical, "is a folder"),
    ] {
        let call = scene.call("edit_file", one(path, "a", "b")).await;
        let failure = failed(&call, class);
        assert!(failure.reason.contains(words), "{failure:?}");
        assert_eq!(call.files, []);
    }
    let call = scene.call("edit_file", one("latin", "a", "中")).await;
    let failure = failed(&call, FailureClass::Logical);
    assert_eq!(failure.reason, "latin is in Windows-1252, which has no `中`");
    assert_eq!(fs::read(scene.cx.working_folder.join("latin")).unwrap(), b"caf\xe9");
    assert_eq!(fs::read_to_string(scene.outside.join("x")).unwrap(), "a");
    scene.file("plain", "a");
    scene.cx.mode = SandboxMode::ReadOnly;
    failed(&scene.call("edit_file", one("plain", "a", "b")).await, FailureClass::Denied);
}

#[tokio::test]
async fn what_was_there_is_changed_with_a_yes_to_the_very_change() {
    let mut scene = Scene::new();
    let path = scene.file("a.txt", "one\n  two\nthree\n");
    scene.cx.consent = Arc::new(Nobody);
    let call = scene.call("edit_file", one("a.txt", "  two", "    two")).await;
    assert_eq!(call.ending, CallEnding::Refused);
    failed(&call, FailureClass::Denied);
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\n  two\nthree\n");
    let listener = Arc::new(Listener::default());
    scene.cx.consent = Arc::clone(&listener) as Arc<dyn Consent>;
    shown(&scene.call("edit_file", one("a.txt", "  two", "    two")).await);
    let [question] = std::mem::take(&mut *listener.0.lock().unwrap()).try_into().unwrap();
    assert_eq!((question.tool.as_str(), question.command.as_str()), ("edit_file", "edit_file a.txt"));
    let [change] = question.changes.try_into().unwrap();
    assert_eq!(
        (change.change, change.bytes_before, change.bytes_after),
        (PreviewedKind::Changed, Some(16), Some(18))
    );
    assert!(change.diff.unwrap().contains("-  two\n+    two\n"));
    // A second change of the same file is a separate question.
    shown(&scene.call("edit_file", one("a.txt", "three", "3")).await);
    assert_eq!(listener.0.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn what_the_run_made_is_edited_freely_where_it_lies() {
    let mut scene = Scene::new();
    scene.cx.consent = Arc::new(Nobody);
    scene.call("write_file", json!({ "path": "$WORKSPACE/notes.md", "content": "one\n" })).await;
    for (old, new) in [("one", "two"), ("two", "three")] {
        shown(&scene.call("edit_file", one("$WORKSPACE/notes.md", old, new)).await);
    }
    assert_eq!(fs::read_to_string(scene.cx.workspace.join("notes.md")).unwrap(), "three\n");
    assert_eq!(shown(&scene.call("read_file", json!({ "path": "$WORKSPACE/notes.md" })).await), "three\n");
}

/// The file changes while the person is asked.
#[tokio::test]
async fn a_file_that_changed_meanwhile_is_not_touched() {
    struct Meanwhile(std::path::PathBuf);
    #[async_trait]
    impl Consent for Meanwhile {
        async fn ask(&self, _: Question) -> Answer {
            fs::write(&self.0, "one, and a person's words").unwrap();
            Answer::Yes
        }
    }
    let mut scene = Scene::new();
    let path = scene.file("a.txt", "one");
    scene.cx.consent = Arc::new(Meanwhile(path.clone()));
    let call = scene.call("edit_file", one("a.txt", "one", "two")).await;
    assert!(failed(&call, FailureClass::Environmental).reason.contains("was changed meanwhile"), "{call:?}");
    assert_eq!(fs::read_to_string(path).unwrap(), "one, and a person's words");
}

/// Calls of one turn run concurrently: each edit is applied, or reported as not applied.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_edit_undoes_another() {
    let scene = Scene::new();
    let path = scene.file("a.txt", (0..8).map(|n| format!("<{n}>\n")).collect::<String>());
    let calls = (0..8).map(|n| scene.call("edit_file", one("a.txt", &format!("<{n}>"), &format!("[{n}]"))));
    let calls = futures_util::future::join_all(calls).await;
    let text = fs::read_to_string(path).unwrap();
    for (n, call) in calls.iter().enumerate() {
        assert_eq!(text.contains(&format!("[{n}]")), call.succeeded(), "{n}: {call:?}\n{text}");
    }
    assert!(calls.iter().any(|call| call.succeeded()));
}

#[tokio::test]
async fn undo_knows_what_was_there() {
    let scene = Scene::new();
    scene.file("a.txt", "one");
    shown(&scene.call("edit_file", one("a.txt", "one", "two")).await);
    let snapshot = scene.cx.snapshot.as_ref().unwrap();
    snapshot.close().unwrap();
    let undo = artoo_snapshot::Undo::prepare(
        &scene.data.join("undo"),
        std::slice::from_ref(&scene.cx.working_folder),
        artoo_snapshot::Present::AsRecorded,
    );
    undo.unwrap().apply().unwrap();
    assert_eq!(fs::read_to_string(scene.cx.working_folder.join("a.txt")).unwrap(), "one");
}
