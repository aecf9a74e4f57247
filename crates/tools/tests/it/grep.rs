//! The `grep` tool.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use artoo_types::{CallEnding, FailureClass};
use serde_json::json;

use crate::fixture::{Scene, failed, shown};

fn scene() -> Scene {
    let scene = Scene::new();
    scene.file("src/a.rs", "fn one() {}\nfn two() {}\n\n// FN three\n");
    scene.file("src/deep/b.rs", "let x = \"fn\";\r\nfn four() {}\r\n");
    scene.file("src/c.txt", "fn in a text, a.b\naxb\n");
    scene.file("src/utf16.txt", b"\xff\xfef\0n\0 \x002\0\n\0");
    scene.file("src/binary", b"fn\n\0fn");
    scene.file("src/.hidden.rs", "fn hidden");
    scene.file("src/target/x.rs", "fn built");
    scene.file("src/id_rsa", "fn key");
    scene.file("src/key.txt", "-----BEGIN PRIVATE KEY-----\nfn key");
    scene
}

#[tokio::test]
async fn lines_are_listed_by_path_with_their_sums() {
    let scene = scene();
    let call = scene.call("grep", json!({ "pattern": r"^fn \w+", "path": "src" })).await;
    assert_eq!(
        shown(&call),
        "matches: 5 lines in 4 files; files searched: 4; searched: src; for: ^fn \\w+\n\
         src/a.rs:1: fn one() {}\n\
         src/a.rs:2: fn two() {}\n\
         src/c.txt:1: fn in a text, a.b\n\
         src/deep/b.rs:2: fn four() {}\n\
         src/utf16.txt:1: fn 2\n\
         [left out, binary files: 1]\n\
         [left out, protected files: 2]\n\
         [left out: 1 hidden; hidden = true includes them]\n\
         [left out: 1 named target; a pattern with target in it searches them]\n"
    );
}

#[tokio::test]
async fn each_argument_does_what_it_says() {
    let scene = scene();
    let lines = |text: &str| -> Vec<String> {
        text.lines().skip(1).filter(|line| !line.starts_with('[')).map(str::to_owned).collect()
    };
    for (arguments, expected) in [
        (json!({ "pattern": "a.b", "literal": true }), vec!["src/c.txt:1: fn in a text, a.b"]),
        (json!({ "pattern": "FN THREE", "ignore_case": true }), vec!["src/a.rs:4: // FN three"]),
        (
            json!({ "pattern": "fn", "glob": "*.txt" }),
            vec!["src/c.txt:1: fn in a text, a.b", "src/utf16.txt:1: fn 2"],
        ),
        (json!({ "pattern": "four", "glob": "src/**/*.rs" }), vec!["src/deep/b.rs:2: fn four() {}"]),
        (json!({ "pattern": "four", "glob": "src/*.rs" }), vec![]),
        (json!({ "pattern": "four\\(\\) \\{\\}$" }), vec!["src/deep/b.rs:2: fn four() {}"]),
        (json!({ "pattern": "^fn", "files_only": true, "glob": "*.rs" }), vec!["src/a.rs", "src/deep/b.rs"]),
        (json!({ "pattern": "^fn", "count": true, "glob": "*.rs" }), vec!["src/a.rs: 2", "src/deep/b.rs: 1"]),
        (json!({ "pattern": "hidden", "hidden": true }), vec!["src/.hidden.rs:1: fn hidden"]),
        (json!({ "pattern": "built", "path": "src/target" }), vec!["src/target/x.rs:1: fn built"]),
        (
            json!({ "pattern": "two", "path": "src/a.rs", "context": 1 }),
            vec!["src/a.rs-1- fn one() {}", "src/a.rs:2: fn two() {}", "src/a.rs-3- "],
        ),
        (
            json!({ "pattern": "one|three", "path": "src/a.rs", "context": 0 }),
            vec!["src/a.rs:1: fn one() {}", "src/a.rs:4: // FN three"],
        ),
        (
            json!({ "pattern": "one|three", "path": "src/a.rs", "context": 1 }),
            vec![
                "src/a.rs:1: fn one() {}",
                "src/a.rs-2- fn two() {}",
                "src/a.rs-3- ",
                "src/a.rs:4: // FN three",
            ],
        ),
    ] {
        let call = scene.call("grep", arguments.clone()).await;
        assert_eq!(lines(shown(&call)), expected, "{arguments}: {}", call.output.shown);
    }
    scene.file("src/.gitignore", "c.txt\n");
    let call = scene.call("grep", json!({ "pattern": "axb", "gitignore": true })).await;
    assert!(shown(&call).starts_with("matches: 0 lines in 0 files; "), "{}", call.output.shown);
    assert_eq!(call.ending, CallEnding::Returned);
}

#[tokio::test]
async fn what_cannot_be_searched_is_said() {
    let scene = scene();
    fs::create_dir_all(scene.cx.home.join(".ssh")).unwrap();
    fs::write(scene.cx.home.join(".ssh/config"), "fn").unwrap();
    symlink(scene.cx.home.join(".ssh"), scene.cx.working_folder.join("door")).unwrap();
    for (arguments, class, words) in [
        (json!({ "pattern": "(" }), FailureClass::Logical, "`pattern` cannot be searched"),
        (json!({ "pattern": "a\\nb" }), FailureClass::Logical, "`pattern` cannot be searched"),
        (json!({ "pattern": "(a{1000}){1000}" }), FailureClass::Logical, "`pattern` cannot be searched"),
        (json!({ "pattern": "" }), FailureClass::Logical, "is missing"),
        (json!({ "pattern": "a", "glob": "[" }), FailureClass::Logical, "`glob`"),
        (json!({ "pattern": "a", "path": "nowhere" }), FailureClass::Environmental, "cannot search nowhere"),
        (
            json!({ "pattern": "a", "path": "src/binary" }),
            FailureClass::Logical,
            "is a binary file of 6 bytes",
        ),
        (json!({ "pattern": "a", "path": "src/key.txt" }), FailureClass::Forbidden, "is protected"),
        (json!({ "pattern": "a", "path": "src/id_rsa" }), FailureClass::Forbidden, "is protected"),
        (json!({ "pattern": "a", "path": "~/.ssh" }), FailureClass::Forbidden, "is protected"),
        (json!({ "pattern": "a", "path": "door" }), FailureClass::Forbidden, "is protected"),
        (json!({ "pattern": "a", "path": "door/config" }), FailureClass::Forbidden, "is protected"),
    ] {
        let call = scene.call("grep", arguments).await;
        let failure = failed(&call, class);
        assert!(failure.reason.contains(words), "{failure:?}");
    }
    // A link to a folder is not followed by a search of its parent.
    let call = scene.call("grep", json!({ "pattern": "^fn$" })).await;
    assert!(!shown(&call).contains("config"), "{}", call.output.shown);
}

#[tokio::test]
async fn lists_and_lines_are_bounded_and_say_so() {
    let mut scene = Scene::new();
    scene.cx.limits.listed = 3;
    scene.file("a", format!("x{}\n", "y".repeat(1_000)));
    scene.file("b", "x\n".repeat(10));
    scene.file("c", "x\n");
    let call = scene.call("grep", json!({ "pattern": "x" })).await;
    let text = shown(&call);
    assert!(text.starts_with("matches: 12 lines in 3 files; files searched: 3; "), "{text}");
    assert!(
        text.contains(&format!(
            "a:1: x{} [... 601 bytes more]\nb:1: x\nb:2: x\n[not listed, more matches: 9]\n[long lines in part: ",
            "y".repeat(399)
        )),
        "{text}"
    );
    let call = scene.call("grep", json!({ "pattern": "x", "files_only": true })).await;
    assert!(shown(&call).ends_with("\na\nb\nc\n"), "{}", call.output.shown);
}

/// A minified file has one line, in which most of what is looked for is far from its beginning.
#[tokio::test]
async fn a_match_in_a_long_line_is_shown_and_read_on_from() {
    let scene = Scene::new();
    let line = format!("{}\"secret_total\":42,{}", "x".repeat(200_000), "y".repeat(200_000));
    scene.file("min.json", &line);
    let call = scene.call("grep", json!({ "pattern": "secret_total" })).await;
    let text = shown(&call);
    assert!(
        text.contains("min.json:1: [... 199801 bytes ...] xxx") && text.contains("\"secret_total\":42,yyy"),
        "{text}"
    );
    let call = scene.call("read_file", json!({ "path": "min.json", "first_column": 199_999 })).await;
    assert!(shown(&call).starts_with("xx\"secret_total\":42,yyy"), "{call:?}");
    let call = scene.call("read_file", json!({ "path": "min.json" })).await;
    assert!(
        shown(&call).ends_with("[line 1 is long: first_line 1, first_column 1801 reads on inside it]\n"),
        "{call:?}"
    );
    let call = scene.call("read_file", json!({ "path": "min.json", "first_column": 1801 })).await;
    assert!(shown(&call).ends_with("first_column 3601 reads on inside it]\n"), "{call:?}");
    let call = scene.call("read_file", json!({ "path": "min.json", "first_column": 500_000 })).await;
    assert!(failed(&call, FailureClass::Logical).reason.contains("beyond the end of line 1"), "{call:?}");
}

/// The search holds whole lines in memory, so that there is a longest one.
#[tokio::test]
async fn a_line_longer_than_the_memory_is_searched_in_pieces() {
    let scene = Scene::new();
    let line =
        format!("first\n{}needle {}needle\nlast needle\n", "x ".repeat(18_000_000), "y".repeat(40_000_000));
    scene.file("long", line);
    let call = scene.call("grep", json!({ "pattern": "needle", "path": "long" })).await;
    let text = shown(&call);
    assert!(text.starts_with("matches: 2 lines in 1 files"), "{text}");
    assert!(
        text.contains("long:2: [... 35999800 bytes ...] ") && text.contains("long:3: last needle\n"),
        "{text}"
    );
    assert!(text.contains("[searched in pieces, files with very long lines: 1]"), "{text}");
}

#[tokio::test]
async fn a_search_that_runs_out_of_time_says_what_it_has() {
    let mut scene = scene();
    scene.cx.limits.walk_time = Duration::ZERO;
    let call = scene.call("grep", json!({ "pattern": "fn" })).await;
    assert_eq!(call.ending, CallEnding::TimedOut);
    failed(&call, FailureClass::Environmental);
    assert!(call.output.shown.contains("the time was up"), "{}", call.output.shown);
    scene.cx.cancel.cancel();
    assert_eq!(scene.call("grep", json!({ "pattern": "fn" })).await.ending, CallEnding::Cancelled);
}
