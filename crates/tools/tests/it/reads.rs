//! `read_file`.

use std::fs;
use std::os::unix::fs::symlink;

use artoo_types::FailureClass;
use serde_json::json;

use crate::scene::{Scene, failed, shown};

#[tokio::test]
async fn texts_of_all_encodings_are_read() {
    let scene = Scene::new();
    for (name, bytes, expected) in [
        ("plain", &b"one\ntwo"[..], "one\ntwo"),
        ("empty", b"", ""),
        ("中文 ملف 🦀", "Grüße 中文".as_bytes(), "Grüße 中文"),
        ("marked", b"\xef\xbb\xbfhi", "hi"),
        ("little", b"\xff\xfeh\0i\0", "hi"),
        ("big", b"\xfe\xff\0h\0i", "hi"),
        ("latin", b"caf\xe9\n", "café\n[not valid UTF-8: read as Latin-1]\n"),
    ] {
        scene.file(name, bytes);
        assert_eq!(shown(&scene.call("read_file", json!({ "path": name })).await), expected, "{name}");
    }
}

#[tokio::test]
async fn ranges_and_caps_say_where_to_go_on() {
    let mut scene = Scene::new();
    scene.cx.limits.read = 40;
    scene.file("long", (1..=100).map(|n| format!("line {n}\n")).collect::<String>());
    let call = scene.call("read_file", json!({ "path": "long", "first_line": 99 })).await;
    assert_eq!(shown(&call), "line 99\nline 100\n");
    let call = scene.call("read_file", json!({ "path": "long", "first_line": 2, "last_line": 3 })).await;
    assert_eq!(shown(&call), "line 2\nline 3\n");
    let call = scene.call("read_file", json!({ "path": "long" })).await;
    let expected = "line 1\nline 2\nline 3\nline 4\nline 5\nline \n\
                    [long has 792 bytes; this ends within line 6 (from line 1): go on with first_line 6]\n";
    assert_eq!(shown(&call), expected);
    let call = scene.call("read_file", json!({ "path": "long", "first_line": 101 })).await;
    assert!(failed(&call, FailureClass::Logical).reason.contains("has 100 lines"), "{call:?}");
    let call = scene.call("read_file", json!({ "path": "long", "first_line": 3, "last_line": 2 })).await;
    assert!(failed(&call, FailureClass::Logical).reason.contains("`last_line`"), "{call:?}");
}

#[tokio::test]
async fn what_is_no_text_file_is_refused_with_advice() {
    let scene = Scene::new();
    fs::create_dir(scene.cx.working_folder.join("folder")).unwrap();
    scene.file("binary", b"\x7fELF\0\0");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        scene.cx.working_folder.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    for (path, class, words) in [
        ("folder", FailureClass::Logical, "is a folder"),
        ("binary", FailureClass::Logical, "is a binary file of 6 bytes"),
        ("pipe", FailureClass::Logical, "is a pipe"),
        ("/dev/zero", FailureClass::Logical, "is a device"),
        ("/dev/stdin", FailureClass::Logical, "is a"),
        ("nowhere/at/all", FailureClass::Environmental, "cannot read nowhere/at/all: "),
        ("folder/", FailureClass::Logical, "is a folder"),
        ("evidence:ffff", FailureClass::Logical, "names no earlier output"),
    ] {
        if path == "/dev/stdin" {
            continue; // whatever the tests were started with
        }
        let call = scene.call("read_file", json!({ "path": path })).await;
        let failure = failed(&call, class);
        assert!(failure.reason.contains(words), "{failure:?}");
        assert!(failure.hint.is_some() || path.starts_with("evidence"), "{failure:?}");
    }
}

#[tokio::test]
async fn home_is_expanded() {
    let scene = Scene::new();
    fs::write(scene.cx.home.join("note.md"), "mine").unwrap();
    assert_eq!(shown(&scene.call("read_file", json!({ "path": "~/note.md" })).await), "mine");
    // Only the first part is special.
    scene.file("~x", "literal");
    assert_eq!(shown(&scene.call("read_file", json!({ "path": "~x" })).await), "literal");
}

#[tokio::test]
async fn protected_files_are_denied_by_every_way() {
    let scene = Scene::new();
    fs::create_dir_all(scene.cx.home.join(".ssh")).unwrap();
    fs::write(scene.cx.home.join(".ssh/config"), "secret").unwrap();
    fs::write(scene.cx.home.join(".netrc"), "secret").unwrap();
    fs::write(scene.data.join("audit.jsonl"), "secret").unwrap();
    symlink(scene.cx.home.join(".ssh"), scene.cx.working_folder.join("innocent")).unwrap();
    scene.file("id_ed25519", "secret");
    scene.file("renamed.txt", "-----BEGIN OPENSSH PRIVATE KEY-----\nsecret");
    let data = format!("{}/audit.jsonl", scene.data.display());
    for path in [
        "~/.ssh/config",
        "~/.netrc",
        "innocent/config",
        "../home/.ssh/config",
        data.as_str(),
        "id_ed25519",
        "renamed.txt",
        "/proc/self/environ",
        "/proc/thread-self/environ",
    ] {
        let call = scene.call("read_file", json!({ "path": path })).await;
        let failure = failed(&call, FailureClass::Denied);
        assert!(failure.reason.ends_with("is protected"), "{path}: {failure:?}");
        assert_eq!(call.output.bytes, 0);
    }
}
