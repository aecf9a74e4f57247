//! A file whose content a tool changes stays what it is besides: owner, rights, names, links, encoding, line endings.

use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::{Arc, Mutex};

use artoo_consent::{Answer, Consent, Question};
use artoo_snapshot::{Present, Undo};
use artoo_types::FailureClass;
use async_trait::async_trait;
use rustix::fs::{Gid, Uid, XattrFlags};
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

fn undo(scene: &Scene) {
    scene.cx.snapshot.as_ref().unwrap().close().unwrap();
    let roots =
        [&scene.cx.working_folder, &scene.cx.workspace].map(|path| path.canonicalize().unwrap_or_default());
    let undo = Undo::prepare(&scene.data.join("undo"), &roots, Present::AsRecorded).unwrap();
    assert_eq!(undo.apply().unwrap(), []);
}

/// Both the way by a second file and the one into the file itself.
#[tokio::test]
async fn what_a_file_is_besides_its_content_stays() {
    for has_second_name in [false, true] {
        let scene = Scene::new();
        let path = scene.file("a.txt", "x\n");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let is_root = rustix::process::geteuid().is_root();
        if is_root {
            rustix::fs::chown(&path, Some(Uid::from_raw(1234)), Some(Gid::from_raw(1235))).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o4755)).unwrap();
        }
        let has_attributes = rustix::fs::setxattr(&path, "user.tag", b"keep", XattrFlags::empty()).is_ok();
        let other = path.with_file_name("b.txt");
        if has_second_name {
            fs::hard_link(&path, &other).unwrap();
        }
        let before = fs::metadata(&path).unwrap();
        for (tool, arguments, content) in [
            ("edit_file", one("a.txt", "x", "y"), "y\n"),
            (
                "write_file",
                json!({ "path": "a.txt", "content": "longer than before\n" }),
                "longer than before\n",
            ),
            ("write_file", json!({ "path": "a.txt", "content": "short" }), "short"),
        ] {
            shown(&scene.call(tool, arguments).await);
            let after = fs::metadata(&path).unwrap();
            let facts = |found: &fs::Metadata| (found.mode(), found.uid(), found.gid(), found.nlink());
            assert_eq!(facts(&after), facts(&before), "{tool}");
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
            if has_second_name {
                assert_eq!(
                    (after.ino(), fs::read_to_string(&other).unwrap().as_str()),
                    (before.ino(), content)
                );
            }
            let mut value = [0; 8];
            let length = rustix::fs::getxattr(&path, "user.tag", &mut value);
            assert_eq!(length.ok(), has_attributes.then_some(4), "{tool}");
        }
        let names: Vec<_> =
            fs::read_dir(&scene.cx.working_folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names.len(), 1 + usize::from(has_second_name), "{names:?}");
        undo(&scene);
        let after = fs::metadata(&path).unwrap();
        assert_eq!((after.mode(), after.uid(), after.nlink()), (before.mode(), before.uid(), before.nlink()));
        assert_eq!(fs::read_to_string(&path).unwrap(), "x\n");
        if has_second_name {
            assert_eq!(fs::read_to_string(&other).unwrap(), "x\n");
        }
    }
}

#[tokio::test]
async fn a_question_tells_of_other_names() {
    let mut scene = Scene::new();
    let listener = Arc::new(Listener::default());
    scene.cx.consent = Arc::clone(&listener) as _;
    let path = scene.file("a.txt", "x\n");
    fs::hard_link(&path, scene.outside.join("b.txt")).unwrap();
    shown(&scene.call("edit_file", one("a.txt", "x", "y")).await);
    let asked = listener.0.lock().unwrap();
    assert!(asked[0].effects[0].why.ends_with("has another name"), "{:?}", asked[0].effects);
}

#[tokio::test]
async fn a_link_stays_and_its_target_is_asked_about_and_written() {
    let mut scene = Scene::new();
    let listener = Arc::new(Listener::default());
    scene.cx.consent = Arc::clone(&listener) as _;
    let target = scene.file("dotfiles/rc.txt", "one\n");
    let folder = scene.cx.working_folder.clone();
    symlink("dotfiles/rc.txt", folder.join("rc.txt")).unwrap();
    symlink("rc.txt", folder.join("again.txt")).unwrap();
    symlink("loop.txt", folder.join("loop.txt")).unwrap();
    for (path, content) in [("rc.txt", "two\n"), ("again.txt", "three\n")] {
        shown(&scene.call("write_file", json!({ "path": path, "content": content })).await);
        assert_eq!(fs::read_to_string(&target).unwrap(), content);
        assert!(folder.join(path).is_symlink());
    }
    let asked = std::mem::take(&mut *listener.0.lock().unwrap());
    assert_eq!(asked[0].effects[0].what, target.display().to_string());
    assert_eq!(asked[0].command, "write_file rc.txt -> dotfiles/rc.txt");
    assert_eq!(asked[0].changes[0].diff.as_deref().map(|diff| diff.contains("-one\n+two\n")), Some(true));
    // What leads out of the folder is outside, whatever is there.
    fs::write(scene.outside.join("x"), "theirs").unwrap();
    for (name, target) in [("out", scene.outside.join("x")), ("new", scene.outside.join("new"))] {
        symlink(&target, folder.join(name)).unwrap();
        let call = scene.call("write_file", json!({ "path": name, "content": "x" })).await;
        let reason = &failed(&call, FailureClass::Logical).reason;
        assert!(reason.starts_with(&format!("{name} -> {} is outside", target.display())), "{reason}");
    }
    failed(
        &scene.call("write_file", json!({ "path": "loop.txt", "content": "x" })).await,
        FailureClass::Environmental,
    );
    assert_eq!(fs::read_to_string(scene.outside.join("x")).unwrap(), "theirs");
    assert!(!scene.outside.join("new").exists() && listener.0.lock().unwrap().is_empty());
}

/// The model may go on with something else.
#[tokio::test]
async fn what_is_no_file_is_said_to_be_none() {
    let scene = Scene::new();
    let pipe = scene.cx.working_folder.join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
        .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(scene.cx.working_folder.join("socket")).unwrap();
    symlink("pipe", scene.cx.working_folder.join("link")).unwrap();
    for (path, kind) in [("pipe", "a pipe"), ("link", "a pipe"), ("socket", "a socket")] {
        let call = scene.call("write_file", json!({ "path": path, "content": "x" })).await;
        let reason = &failed(&call, FailureClass::Logical).reason;
        assert!(reason.ends_with(&format!("is {kind}, not a file")), "{reason}");
    }
    for path in ["/proc/self/environ", "/dev/null"] {
        let call = scene.call("write_file", json!({ "path": path, "content": "x" })).await;
        failed(&call, FailureClass::Logical);
    }
}

#[tokio::test]
async fn text_keeps_its_encoding_its_mark_and_its_line_endings() {
    let patch =
        |old: &str, new: &str| json!({ "path": "a.txt", "patch": format!("@@\n one\n-{old}\n+{new}\n") });
    let utf16 = |text: &str, little: bool| -> Vec<u8> {
        let bytes = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    let table: [(Vec<u8>, &str, Vec<u8>); 7] = [
        (b"one\r\ntwo\r\nthree\r\nfour\n".to_vec(), "TWO", b"one\r\nTWO\r\nthree\r\nfour\n".to_vec()),
        (b"one\ntwo\nthree\r\nfour\n".to_vec(), "TWO", b"one\nTWO\nthree\r\nfour\n".to_vec()),
        (b"one\rtwo\rthree".to_vec(), "TWO", b"one\rTWO\rthree".to_vec()),
        (b"\xef\xbb\xbfone\ntwo\n".to_vec(), "中", "\u{feff}one\n中\n".as_bytes().to_vec()),
        (b"one\ntwo\ncaf\xe9 \x80\n".to_vec(), "d\u{e9}j\u{e0}", b"one\nd\xe9j\xe0\ncaf\xe9 \x80\n".to_vec()),
        (utf16("one\r\ntwo\r\né", true), "😀", utf16("one\r\n😀\r\né", true)),
        (utf16("one\ntwo\né", false), "😀", utf16("one\n😀\né", false)),
    ];
    for (before, new, after) in table {
        let edits = one("a.txt", "one\ntwo", &format!("one\n{new}"));
        let with_returns = one("a.txt", "one\r\ntwo", &format!("one\r\n{new}"));
        for arguments in [edits, with_returns, patch("two", new)] {
            let scene = Scene::new();
            let path = scene.file("a.txt", &before);
            shown(&scene.call("edit_file", arguments.clone()).await);
            assert_eq!(fs::read(&path).unwrap(), after, "{arguments}");
        }
    }
    let scene = Scene::new();
    let path = scene.file("a.txt", b"caf\xe9\r\n");
    let call = scene.call("write_file", json!({ "path": "a.txt", "content": "thé\nnoir\n" })).await;
    assert!(shown(&call).ends_with("[kept: Windows-1252, CRLF line endings]\n"), "{call:?}");
    assert_eq!(fs::read(&path).unwrap(), b"th\xe9\r\nnoir\r\n");
    let call = scene.call("write_file", json!({ "path": "a.txt", "content": "中\n" })).await;
    assert!(failed(&call, FailureClass::Logical).reason.contains("is in Windows-1252, which has no `中`"));
}

/// Such names are listed in a form in which they can be given back.
#[tokio::test]
async fn a_name_that_is_no_text_is_listed_so_that_it_can_be_opened() {
    let scene = Scene::new();
    let names: [(&[u8], &str); 3] = [
        (b"caf\xe9.txt", r"caf\xe9.txt"),
        (b"two\nlines.txt", r"two\nlines.txt"),
        (br"a\xe9.txt", r"a\xe9.txt"),
    ];
    for (name, shown_as) in names {
        let path = scene.cx.working_folder.join(Path::new(std::ffi::OsStr::from_bytes(name)));
        fs::write(&path, "one\n").unwrap();
        let listed = scene.call("glob", json!({ "pattern": "*.txt" })).await;
        assert!(shown(&listed).lines().any(|line| line.starts_with(&format!("{shown_as} | "))), "{listed:?}");
        let found = scene.call("grep", json!({ "pattern": "one", "path": shown_as })).await;
        assert!(shown(&found).contains(&format!("{shown_as}:1: one")), "{found:?}");
        assert_eq!(shown(&scene.call("read_file", json!({ "path": shown_as })).await), "one\n");
        shown(&scene.call("edit_file", one(shown_as, "one", "two")).await);
        shown(&scene.call("edit_file", one(shown_as, "two", "three")).await);
        assert_eq!(fs::read_to_string(&path).unwrap(), "three\n");
        fs::remove_file(&path).unwrap();
    }
}
