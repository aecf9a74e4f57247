//! The `glob` tool.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::time::Duration;

use artoo_types::{CallEnding, FailureClass};
use serde_json::{Value, json};

use crate::fixture::{Scene, failed, shown};

/// A tree with entries of every kind.
fn scene() -> Scene {
    let scene = Scene::new();
    for path in [
        "a.txt",
        "docs/b.txt",
        "docs/deep/er/c.txt",
        "docs/read me.md",
        "docs/.hidden.txt",
        ".config/d.txt",
        "文件/ملف 🦀.txt",
        "node_modules/m.txt",
        "sub/target/t.txt",
        ".git/g.txt",
    ] {
        scene.file(path, path);
    }
    scene
}

/// The paths that a pattern finds, in the order of the list.
async fn paths(scene: &Scene, arguments: Value) -> Vec<String> {
    let call = scene.call("glob", arguments).await;
    let lines = shown(&call).lines().filter(|line| !line.starts_with('['));
    lines.skip(1).map(|line| line.split(" | ").next().unwrap().to_owned()).collect()
}

/// A listing begins with its totals and the best matches: a long one shows these, and where the rest is.
#[tokio::test]
async fn a_long_listing_is_shown_from_its_beginning() {
    let scene = Scene::new();
    for number in 0..150 {
        scene.file(&format!("docs/file-{number:03}.txt"), "x");
    }
    let call = scene.call("glob", json!({ "pattern": "docs/*.txt" })).await;
    let (head, rest) = shown(&call).split_once("\n[... ").unwrap();
    assert!(head.starts_with("matches: 150 ") && head.len() > 1800, "{head}");
    let id = call.output.evidence.as_ref().unwrap().as_str();
    assert!(rest.contains(&format!("here, read_evidence id `{}` ...]\n", &id[..12])), "{rest}");
    assert!(String::from_utf8(scene.whole(&call)).unwrap().starts_with(head));
}

/// Lessons 15, 12 and the table rows of the ancestor's `glob`.
#[tokio::test]
async fn patterns_mean_what_they_say() {
    let scene = scene();
    for (pattern, expected) in [
        ("*.txt", &["a.txt"][..]),
        ("**/*.txt", &["a.txt", "docs/b.txt", "docs/deep/er/c.txt", "文件/ملف 🦀.txt"]),
        ("docs/*.txt", &["docs/b.txt"]),
        ("./docs/*.txt", &["docs/b.txt"]),
        ("docs/**", &["docs/b.txt", "docs/deep/", "docs/deep/er/", "docs/deep/er/c.txt", "docs/read me.md"]),
        ("docs", &["docs/"]),
        ("docs/", &["docs/"]),
        ("*/", &["docs/", "sub/", "文件/"]),
        ("docs/*.{md,txt}", &["docs/b.txt", "docs/read me.md"]),
        ("docs/[a-c].txt", &["docs/b.txt"]),
        ("?.txt", &["a.txt"]),
        ("docs/.*", &["docs/.hidden.txt"]),
        (".config/*", &[".config/d.txt"]),
        ("node_modules/*", &["node_modules/m.txt"]),
        ("sub/target/**", &["sub/target/t.txt"]),
        ("**/target/*.txt", &["sub/target/t.txt"]),
        ("docs/../a.txt", &["a.txt"]),
        ("文件/*", &["文件/ملف 🦀.txt"]),
        ("nothing/at/all*", &[]),
    ] {
        if pattern == "nothing/at/all*" {
            let call = scene.call("glob", json!({ "pattern": pattern })).await;
            assert!(failed(&call, FailureClass::Environmental).reason.contains("nothing/at"));
        } else {
            assert_eq!(paths(&scene, json!({ "pattern": pattern })).await, expected, "{pattern}");
        }
    }
}

#[tokio::test]
async fn options_narrow_widen_and_sort() {
    let scene = scene();
    scene.file("big.bin", vec![b'x'; 5000]);
    for (arguments, expected) in [
        (json!({ "pattern": "*.txt", "root": "docs" }), &["docs/b.txt"][..]),
        (
            json!({ "pattern": "**/*.txt", "root": "docs", "hidden": true }),
            &["docs/.hidden.txt", "docs/b.txt", "docs/deep/er/c.txt"],
        ),
        (json!({ "pattern": "docs/*", "kind": "files" }), &["docs/b.txt", "docs/read me.md"]),
        (json!({ "pattern": "docs/*", "kind": "folders" }), &["docs/deep/"]),
        (json!({ "pattern": "*", "kind": "files", "sort": "size" }), &["big.bin", "a.txt"]),
        (json!({ "pattern": "*", "kind": "files", "sort": "size", "limit": 1 }), &["big.bin"]),
        (json!({ "pattern": "*.txt", "root": null, "hidden": null }), &["a.txt"]),
    ] {
        assert_eq!(paths(&scene, arguments.clone()).await, expected, "{arguments}");
    }
}

#[tokio::test]
async fn gitignore_is_heeded_where_asked() {
    let scene = Scene::new();
    scene.file(".gitignore", "*.log\n");
    scene.file("a.log", "");
    scene.file("b.txt", "");
    assert_eq!(paths(&scene, json!({ "pattern": "*" })).await, ["a.log", "b.txt"]);
    assert_eq!(paths(&scene, json!({ "pattern": "*", "gitignore": true })).await, ["b.txt"]);
}

#[tokio::test]
async fn the_list_counts_sizes_times_and_what_was_left_out() {
    let scene = scene();
    let file = fs::File::open(scene.cx.working_folder.join("a.txt")).unwrap();
    let moment = chrono::DateTime::parse_from_rfc3339("2026-01-02T03:04:05+02:00").unwrap();
    file.set_modified(moment.into()).unwrap();
    let call = scene.call("glob", json!({ "pattern": "*.txt" })).await;
    let text = shown(&call);
    let first = format!(
        "matches: 1 (files: 1, bytes in them: 5, folders: 0, others: 0); searched: {}; for: *.txt; entries seen: ",
        scene.cx.working_folder.display()
    );
    assert!(text.starts_with(&first), "{text}");
    assert!(text.contains("\na.txt | 5 bytes | 2026-01-02 03:04:05\n"), "{text}");
    assert!(text.contains("[left out: 1 named .git; a pattern with .git in it searches them]"), "{text}");
    assert!(text.contains("[left out: 1 named node_modules;"), "{text}");
    assert!(text.contains("[left out: 1 hidden; hidden = true includes them]"), "{text}");
    assert_eq!(scene.whole(&call), text.as_bytes());
}

#[tokio::test]
async fn the_cap_bounds_the_list_and_not_the_count() {
    let mut scene = Scene::new();
    scene.cx.limits.listed = 10;
    for n in 0..2_500 {
        scene.file(&format!("{n:04}"), "x");
    }
    let call = scene.call("glob", json!({ "pattern": "*" })).await;
    let text = String::from_utf8(scene.whole(&call)).unwrap();
    assert!(text.starts_with("matches: 2500 "), "{text}");
    assert!(
        text.contains("\n0000 | ") && text.contains("\n0009 | ") && !text.contains("\n0010 | "),
        "{text}"
    );
    assert!(text.contains("[not listed: 2490 more matches]"), "{text}");
}

#[tokio::test]
async fn home_is_expanded_and_said() {
    let scene = Scene::new();
    fs::create_dir_all(scene.cx.home.join("notes")).unwrap();
    fs::write(scene.cx.home.join("notes/n.md"), "x").unwrap();
    let expected = scene.cx.home.join("notes/n.md").to_str().unwrap().to_owned();
    for arguments in [
        json!({ "pattern": "~/notes/*.md" }),
        json!({ "pattern": "*.md", "root": "~/notes" }),
        json!({ "pattern": format!("{}/notes/*.md", scene.cx.home.display()) }),
        json!({ "pattern": "~/**/*.md", "root": "/nonexistent" }),
    ] {
        assert_eq!(paths(&scene, arguments.clone()).await, [expected.as_str()], "{arguments}");
    }
    let call = scene.call("glob", json!({ "pattern": "~" })).await;
    assert!(shown(&call).contains("notes/ | folder"), "{call:?}");
}

#[tokio::test]
async fn strange_entries_are_shown_on_one_line() {
    let scene = Scene::new();
    fs::write(scene.cx.working_folder.join("two\nlines | 9 bytes"), "x").unwrap();
    fs::write(scene.cx.working_folder.join(OsStr::from_bytes(b"bad\xff")), "x").unwrap();
    symlink("/etc", scene.cx.working_folder.join("link")).unwrap();
    symlink(&scene.cx.working_folder, scene.cx.working_folder.join("loop")).unwrap();
    let call = scene.call("glob", json!({ "pattern": "**" })).await;
    let text = shown(&call);
    assert!(text.contains("\ntwo\\nlines | 9 bytes | 1 bytes | "), "{text}");
    assert!(text.contains("\nbad\\xff | 1 bytes | "), "{text}");
    assert!(text.contains("\nlink | link to /etc | "), "{text}");
    assert!(text.starts_with("matches: 4 "), "a link was followed: {text}");
}

#[tokio::test]
async fn protected_folders_are_not_listed() {
    let scene = Scene::new();
    fs::create_dir(scene.cx.home.join(".ssh")).unwrap();
    fs::write(scene.cx.home.join(".ssh/known_hosts"), "x").unwrap();
    symlink(&scene.cx.home, scene.cx.working_folder.join("door")).unwrap();
    for pattern in ["~/.ssh/*", "door/.ssh/*"] {
        failed(&scene.call("glob", json!({ "pattern": pattern })).await, FailureClass::Forbidden);
    }
    for pattern in ["~/**/known_hosts", "door/**"] {
        let call = scene.call("glob", json!({ "pattern": pattern, "hidden": true })).await;
        assert!(shown(&call).contains("[left out: 1 protected]"), "{call:?}");
        assert!(!call.output.shown.contains("known_hosts | "), "{call:?}");
    }
}

#[tokio::test]
async fn a_walk_without_time_fails_with_what_it_has() {
    let mut scene = scene();
    scene.cx.limits.walk_time = Duration::ZERO;
    let call = scene.call("glob", json!({ "pattern": "**" })).await;
    assert_eq!(call.ending, CallEnding::TimedOut);
    failed(&call, FailureClass::Environmental);
    assert!(call.output.shown.contains("there may be more"), "{call:?}");
}

#[tokio::test]
async fn a_wrong_pattern_is_named() {
    let scene = scene();
    for arguments in
        [json!({ "pattern": "a[" }), json!({ "pattern": "{a" }), json!({ "pattern": "x", "sort": "age" })]
    {
        let call = scene.call("glob", arguments).await;
        assert!(failed(&call, FailureClass::Logical).reason.starts_with("argument `"), "{call:?}");
    }
}
