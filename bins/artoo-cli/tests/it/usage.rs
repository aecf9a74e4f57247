//! Tests of usage errors, help and version.

use crate::fixture::Scene;
use crate::mock_model::counting;

#[test]
fn a_mistyped_option_or_command_is_no_request() {
    let scene = Scene::new(counting());
    let said = scene.say(&["run", "--jsno", "x"]).ended(2);
    assert!(said.err.contains("--json"), "{}", said.err);
    scene.say(&["docter"]).ended(2).explains("docter", "did you mean `artoo doctor`?");
    scene.say(&["how", "many", "files"]).ended(2).explains("many", "quotes");
    let said = scene.say(&["-c", "brain.modle=x", "config", "show"]).ended(2);
    said.explains("modle", "did you mean `brain.model`?");
    assert_eq!((scene.server().stats().requests, scene.runs().len()), (0, 0));
}

/// Lesson: `artoo undo` was a request, which cost money, and `runs undo last` then meant that run.
#[test]
fn lesson_a_single_word_is_no_request() {
    let scene = Scene::new(counting());
    for word in ["list", "status", "update", "hello", "do-it", "42"] {
        for line in [&[word][..], &[word, "--json"], &["--yes", "creates", word], &["--", word]] {
            scene.say(line).ended(2).explains(&format!("`{word}`"), &format!("artoo run \"{word}\""));
        }
    }
    scene.say(&["undo"]).ended(2).explains("no runs are recorded", "artoo run");
    for line in [&["version"][..], &["help"], &["help", "runs", "undo"]] {
        assert!(!scene.say(line).ended(0).out.is_empty());
    }
    assert_eq!((scene.server().stats().requests, scene.runs().len()), (0, 0));
    // Said outright it is one, and so is a sentence in a script without blanks.
    scene.say(&["run", "undo"]).ended(0);
    scene.say(&["数一数文件"]).ended(0);
    assert_eq!(scene.runs().len(), 2);
}

#[test]
fn alone_it_says_what_to_try() {
    let said = Scene::new(counting()).say(&[]).ended(2);
    assert!(said.out.is_empty() && said.err.contains("artoo setup"), "{}", said.err);
}

#[test]
fn help_and_version_are_data() {
    let scene = Scene::new(counting());
    for line in [&["--help"][..], &["run", "--help"], &["--version"]] {
        let said = scene.say(line).ended(0);
        assert!(!said.out.is_empty() && said.err.is_empty());
    }
}

#[test]
fn a_full_disk_behind_standard_output_is_said() {
    let scene = Scene::new(counting());
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let said =
        crate::process::say(scene.artoo(&["run", "How many .txt files are in docs?"]).stdout(full)).ended(1);
    assert!(said.err.contains("error: cannot write to standard output"), "{}", said.err);
}

#[test]
fn a_command_that_is_checked_is_not_run() {
    let scene = Scene::new(counting());
    let said = scene.say(&["policy", "check", "--json", "touch ran; rm docs/a.txt"]).ended(0);
    let page: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert!(["try", "ask"].contains(&page["begins"].as_str().unwrap()), "{page:#}");
    assert_eq!(page["effects"]["deletes"].as_array().unwrap().len(), 1, "{page:#}");
    assert!(scene.folder().join("docs/a.txt").exists() && !scene.folder().join("ran").exists());
    assert_eq!((scene.server().stats().requests, scene.runs().len()), (0, 0));
}

/// The record of a run is text: such a folder is named before anything begins.
#[test]
fn a_folder_whose_path_is_no_text_is_named() {
    use std::os::unix::ffi::OsStrExt as _;
    let scene = Scene::new(counting());
    let folder = scene.folder().join(std::ffi::OsStr::from_bytes(b"d\xe9"));
    std::fs::create_dir(&folder).unwrap();
    for line in [&["run", "How many files?"][..], &["sandbox", "ls"]] {
        let said = crate::process::say(scene.artoo(line).current_dir(&folder)).ended(2);
        assert!(said.err.contains(r"d\xE9") && said.err.contains("working folder"), "{}", said.err);
        let said = crate::process::say(scene.artoo(line).env("HOME", &folder)).ended(2);
        assert!(said.err.contains(r"d\xE9") && said.err.contains("home folder"), "{}", said.err);
    }
    assert_eq!(scene.runs().len(), 0);
}
