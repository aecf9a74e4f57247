//! The programs of a developer, as the `shell` tool runs them: what each asks, and what its record shows.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use artoo_test_needs::has;
use artoo_types::{CallEnding, ToolCall};

use crate::build_output::{TAG, built, no, scene, sh, user};
use crate::fixture::{Scene, shown};

/// Runs a command that may ask nothing.
async fn quiet(scene: &Scene, command: &str) -> ToolCall {
    let call = sh(scene, command).await;
    shown(&call);
    call
}

fn changed(call: &ToolCall) -> Vec<&Path> {
    call.files.iter().map(|file| file.path.as_path()).collect()
}

/// The folder of the compiler that builds these tests.
fn rust(scene: &mut Scene) {
    let folder = Path::new(env!("CARGO")).parent().unwrap().display().to_string();
    let path = format!("{folder}:{}", artoo_test_needs::path());
    scene.cx.environment.insert("PATH".into(), path.into());
    scene.cx.environment.insert("HOME".into(), scene.cx.home.clone().into());
    scene.cx.environment.insert("CARGO_HOME".into(), scene.cx.home.join(".cargo").into());
}

#[tokio::test]
async fn cargo_tests_again_and_again_without_a_question() {
    if !has("gcc") {
        return;
    }
    let Some((mut scene, person)) = scene(no(), "/target\n") else { return };
    rust(&mut scene);
    scene.file("Cargo.toml", "[package]\nname = \"tally\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    let source = "pub fn two() -> u32 { 2 }\n#[test]\nfn is_two() { assert_eq!(two(), 2); }\n";
    scene.file("src/lib.rs", source);
    scene.file("src/main.rs", "fn main() { println!(\"{}\", tally::two()); }\n");
    user(&scene, "cargo generate-lockfile --offline").await;
    let first = quiet(&scene, "cargo test --offline 2>&1").await;
    assert!(first.output.shown.contains("1 passed"), "{}", first.output.shown);
    assert_eq!((person.heard(), changed(&first)), (vec![], vec![]));
    let [folder] = first.build_output.as_slice() else { panic!("{:?}", first.build_output) };
    assert_eq!(folder.path, built(&scene, "target", 0).path);
    assert!(folder.files > 20, "{folder}");
    // The user changes the source, so that everything is built anew, over files with hard links.
    scene.file("src/lib.rs", source.replace("2 }", "1 + 1 }"));
    let second =
        quiet(&scene, "cargo build --offline 2>&1 && cargo test --offline 2>&1 && cargo run -q --offline")
            .await;
    assert!(second.output.shown.contains("1 passed"), "{}", second.output.shown);
    assert_eq!((person.heard(), changed(&second)), (vec![], vec![]));
    assert_eq!(second.build_output.len(), 1);
    let third = quiet(&scene, "cargo test --offline 2>&1").await;
    assert_eq!((person.heard(), changed(&third)), (vec![], vec![]));
}

/// A folder that an earlier run, or the user, has built in.
#[tokio::test]
async fn cargo_builds_over_what_was_built_before_the_run() {
    if !has("gcc") {
        return;
    }
    let Some((mut scene, person)) = scene(no(), "/target\n") else { return };
    rust(&mut scene);
    scene.file("Cargo.toml", "[package]\nname = \"tally\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    scene.file("src/main.rs", "fn main() { println!(\"one\"); }\n");
    user(&scene, "cargo build --offline").await;
    scene.file("src/main.rs", "fn main() { println!(\"another\"); }\n");
    let call = quiet(&scene, "cargo run -q --offline").await;
    assert_eq!((call.output.shown.as_str(), person.heard()), ("another\n", vec![]));
    assert_eq!(changed(&call), Vec::<&Path>::new());
    // A test that fails has built all the same.
    scene.file("src/main.rs", "fn main() {}\n#[test]\nfn fails() { panic!() }\n");
    let call = sh(&scene, "cargo test --offline").await;
    assert!(call.failure.is_some() && call.output.shown.contains("1 failed"), "{call:?}");
    assert_eq!((person.heard(), call.build_output.len()), (vec![], 1));
}

#[tokio::test]
async fn pytest_leaves_its_cache() {
    if !has("pytest") {
        return;
    }
    let Some((scene, person)) = scene(no(), "__pycache__/\n.pytest_cache/\n") else { return };
    scene.file("test_a.py", "def test_a():\n    assert 1 + 1 == 2\n");
    for _ in 0..2 {
        let call = quiet(&scene, "pytest -q").await;
        assert!(call.output.shown.contains("1 passed"), "{}", call.output.shown);
        assert_eq!((person.heard(), changed(&call)), (vec![], vec![]));
        assert!(call.build_output.iter().all(|folder| folder.path == built(&scene, ".pytest_cache", 0).path));
    }
}

#[tokio::test]
async fn make_builds_in_parallel() {
    if !has("make") {
        return;
    }
    let Some((scene, person)) = scene(no(), "build/\n") else { return };
    let rules = "OUT = $(patsubst %,build/%.o,1 2 3 4 5 6 7 8 9 10)\nall: $(OUT)\nbuild/%.o: src\n\t@mkdir -p build && cp src $@ && touch build/.$*.d\nclean:\n\trm -rf build\n";
    scene.file("Makefile", rules);
    scene.file("src", "1\n");
    let call = quiet(&scene, "make -s -j4").await;
    assert_eq!((person.heard(), changed(&call)), (vec![], vec![]));
    assert_eq!(call.build_output, [built(&scene, "build", 20)]);
    let call = quiet(&scene, "touch build/x; make -s clean").await;
    assert_eq!((person.heard(), call.build_output.len()), (vec![], 1));
    // A folder without a mark that somebody filled before the run is theirs.
    let Some((scene, person)) = self::scene(no(), "build/\n") else { return };
    scene.file("Makefile", rules);
    scene.file("build/1.o", "theirs");
    scene.file("src", "1\n");
    sh(&scene, "make -s -j4").await;
    assert_eq!(person.heard().len(), 1);
}

#[tokio::test]
async fn go_builds_into_an_ignored_folder() {
    if !has("go") {
        return;
    }
    let Some((mut scene, person)) = scene(no(), "bin/\n.cache/\n") else { return };
    let cache = scene.cx.working_folder.join(".cache");
    scene.cx.environment.insert("HOME".into(), scene.cx.home.clone().into());
    scene.file("go.mod", "module tally\n\ngo 1.19\n");
    scene.file("main.go", "package main\n\nfunc main() { println(2) }\n");
    let build =
        format!("GOCACHE='{}' GOFLAGS=-mod=mod go build -o bin/tally . && bin/tally 2>&1", cache.display());
    for _ in 0..2 {
        let call = quiet(&scene, &build).await;
        assert_eq!((call.output.shown.as_str(), person.heard()), ("2\n", vec![]));
        assert_eq!(changed(&call), Vec::<&Path>::new());
    }
}

#[tokio::test]
async fn git_reads_change_nothing() {
    if !has("git") {
        return;
    }
    let Some((scene, person)) = scene(no(), "/target\n") else { return };
    scene.file("a.txt", "one\n");
    scene.file("target/CACHEDIR.TAG", TAG);
    fs::remove_dir_all(scene.cx.working_folder.join(".git")).unwrap();
    let commit = "git init -q -b main . && git add . && git -c user.name=Ada -c user.email=ada@example.org commit -qm one";
    user(&scene, commit).await;
    scene.file("a.txt", "two\n");
    for (command, expected) in [
        ("git status --short", " M a.txt"),
        ("git log --oneline", "one"),
        ("git diff", "+two"),
        ("git blame HEAD -- a.txt", "Ada"),
        ("git show --stat", "a.txt"),
    ] {
        let call = quiet(&scene, command).await;
        assert!(call.output.shown.contains(expected), "{command}: {}", call.output.shown);
        assert_eq!(
            (person.heard(), changed(&call), call.build_output.as_slice()),
            (vec![], vec![], [].as_slice()),
            "{command}"
        );
    }
}

/// A long test run is watched while it runs: the command goes on once its first line was seen.
#[tokio::test]
async fn what_a_trial_prints_is_seen_at_once() {
    let Some((mut scene, person)) = scene(no(), "/target\n") else { return };
    let go = scene.cx.private_tmp.join("go");
    scene.cx.on_output = Some(Arc::new(move |text: &str| {
        if text.contains("running") {
            fs::write(&go, "").unwrap();
        }
    }));
    let waits = "mkdir target; echo running 2 tests; until [ -e \"$TMPDIR/go\" ]; do sleep 0.01; done; touch target/.done";
    let call = quiet(&scene, waits).await;
    assert_eq!((person.heard(), call.build_output), (vec![], vec![built(&scene, "target", 1)]));
}

#[tokio::test]
async fn a_trial_is_stopped_and_has_not_happened() {
    let Some((mut scene, person)) = scene(no(), "/target\n") else { return };
    let cancel = scene.cx.cancel.clone();
    scene.cx.on_output = Some(Arc::new(move |text: &str| {
        if text.contains("running") {
            cancel.cancel();
        }
    }));
    let call = sh(&scene, "mkdir target; touch target/.a; echo running 2 tests; sleep 600").await;
    assert_eq!((call.ending, person.heard()), (CallEnding::Cancelled, vec![]));
    assert!(!scene.cx.working_folder.join("target").exists());
}
