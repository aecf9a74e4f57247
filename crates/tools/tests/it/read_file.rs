//! The `read_file` tool.

use std::fs;
use std::os::unix::fs::symlink;

use artoo_types::FailureClass;
use serde_json::json;

use crate::fixture::{Scene, can_confine, failed, shown};

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
        ("latin", b"caf\xe9\n", "café\n[not valid UTF-8: read as Windows-1252]\n"),
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
    assert_eq!(shown(&call), "line 99\nline 100\n[lines 99 to 100 of 100]\n");
    let call = scene.call("read_file", json!({ "path": "long", "first_line": 2, "last_line": 3 })).await;
    assert_eq!(shown(&call), "line 2\nline 3\n[lines 2 to 3 of 100]\n");
    let call = scene.call("read_file", json!({ "path": "long" })).await;
    let expected = "line 1\nline 2\nline 3\nline 4\nline 5\nline \n\
                    [lines 1 to 6 of 100 in long, the last in part: go on with first_line 6]\n";
    assert_eq!(shown(&call), expected);
    let call = scene.call("read_file", json!({ "path": "long", "first_line": 101 })).await;
    assert!(failed(&call, FailureClass::Logical).reason.contains("has 100 lines"), "{call:?}");
    let call = scene.call("read_file", json!({ "path": "long", "first_line": 3, "last_line": 2 })).await;
    assert!(failed(&call, FailureClass::Logical).reason.contains("`last_line`"), "{call:?}");
}

#[tokio::test]
async fn an_earlier_output_is_read_by_its_id() {
    let scene = Scene::new();
    let id = scene.cx.evidence.put(b"a\nb\xff\0\nc\n").unwrap();
    let part = &id.as_str()[..12];
    let call = scene.call("read_evidence", json!({ "id": part, "first_line": 3 })).await;
    assert_eq!(shown(&call), "c\n[lines 3 to 3 of 3]\n");
    shown(&scene.call("read_evidence", json!({ "id": id.as_str() })).await);
    for id in ["ffff", "", "../a", "evidence:", "中"] {
        let call = scene.call("read_evidence", json!({ "id": id })).await;
        assert!(failed(&call, FailureClass::Logical).reason.contains("`id`"), "{call:?}");
    }
}

#[tokio::test]
async fn a_picture_is_given_to_a_model_that_sees_it() {
    let mut scene = Scene::new();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x01";
    scene.file("a.png", png);
    let read = || scene.call("read_file", json!({ "path": "a.png" }));
    assert!(failed(&read().await, FailureClass::Logical).reason.contains("is a binary file of 18 bytes"));
    scene.cx.images = true;
    let call = scene.call("read_file", json!({ "path": "a.png" })).await;
    assert_eq!(shown(&call), "[a picture: image/png, 18 bytes]\n");
    assert_eq!((call.output.media_type.as_deref(), call.output.bytes), (Some("image/png"), 18));
    assert_eq!(scene.whole(&call), png);
    scene.file("large.png", [&png[..], &vec![0; 5 * 1024 * 1024]].concat());
    let call = scene.call("read_file", json!({ "path": "large.png" })).await;
    assert!(failed(&call, FailureClass::Logical).reason.contains("at most 5242880"), "{call:?}");
    scene.file("program", b"\x7fELF\0");
    failed(&scene.call("read_file", json!({ "path": "program" })).await, FailureClass::Logical);
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
    ] {
        if path == "/dev/stdin" {
            continue; // whatever the tests were started with
        }
        let call = scene.call("read_file", json!({ "path": path })).await;
        let failure = failed(&call, class);
        assert!(failure.reason.contains(words), "{failure:?}");
        assert!(failure.hint.is_some(), "{failure:?}");
    }
}

#[tokio::test]
async fn home_is_expanded() {
    let scene = Scene::new();
    fs::write(scene.cx.home.join("note.md"), "mine").unwrap();
    assert_eq!(shown(&scene.call("read_file", json!({ "path": "~/note.md" })).await), "mine");
    // Only the first component is special.
    scene.file("~x", "literal");
    assert_eq!(shown(&scene.call("read_file", json!({ "path": "~x" })).await), "literal");
}

/// A hard link is the file itself: nothing of it enters a prompt, a question or a record of a change, by any tool.
#[tokio::test]
async fn another_name_of_a_protected_file_is_as_closed_as_its_own() {
    let scene = Scene::new();
    let secrets = [
        scene.cx.home.join(".netrc"),
        scene.cx.home.join(".ssh/config"),
        scene.cx.home.join(".gnupg/private-keys/deep/one"),
        scene.data.join("audit.jsonl"),
    ];
    let name = |number: usize| format!("notes-{number}.txt");
    for (number, secret) in secrets.iter().enumerate() {
        fs::create_dir_all(secret.parent().unwrap()).unwrap();
        fs::write(secret, "plover\n").unwrap();
        fs::hard_link(secret, scene.cx.working_folder.join(name(number))).unwrap();
    }
    for (number, secret) in secrets.iter().enumerate() {
        let name = name(number);
        let edit = json!([{ "old": "plover", "new": "dove" }]);
        for (tool, arguments) in [
            ("read_file", json!({ "path": name })),
            ("grep", json!({ "pattern": "plo", "path": name })),
            ("edit_file", json!({ "path": name, "edits": edit })),
            ("write_file", json!({ "path": name, "content": "dove" })),
        ] {
            let call = scene.call(tool, arguments).await;
            let failure = failed(&call, FailureClass::Forbidden);
            assert!(failure.reason.ends_with("is protected"), "{tool} {}: {failure:?}", secret.display());
            assert_eq!(call.output.bytes, 0, "{tool}");
        }
        assert_eq!(fs::read_to_string(secret).unwrap(), "plover\n");
    }
    let all = scene.call("grep", json!({ "pattern": "plover" })).await;
    assert!(shown(&all).contains("matches: 0"), "{all:?}");
    // Two names of a file that is nobody's secret are two names.
    let plain = scene.file("plain.txt", "plain words\n");
    fs::hard_link(&plain, scene.cx.working_folder.join("twin.txt")).unwrap();
    assert_eq!(shown(&scene.call("read_file", json!({ "path": "twin.txt" })).await), "plain words\n");
    // A command that moves or removes the name tells nothing of what the file holds.
    if can_confine() {
        for command in ["mv notes-0.txt moved.txt", "rm notes-1.txt"] {
            let call = scene.call("shell", json!({ "command": command })).await;
            assert!(call.failure.is_none() && !call.files.is_empty(), "{call:?}");
            assert!(!format!("{:?}", call.files).contains("plover"), "{:?}", call.files);
        }
    }
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
        let failure = failed(&call, FailureClass::Forbidden);
        assert!(failure.reason.ends_with("is protected"), "{path}: {failure:?}");
        assert_eq!(call.output.bytes, 0);
    }
}
