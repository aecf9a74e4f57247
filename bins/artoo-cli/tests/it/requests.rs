//! Tests of requests from every source: arguments, standard input, other folders.

use std::process::Stdio;

use crate::model::{counting, shown};
use crate::process::{say, say_with_input};
use crate::scene::Scene;

#[test]
fn a_request_may_come_from_standard_input() {
    for line in [&["run"][..], &["run", "-"], &["-"]] {
        let scene = Scene::new(counting());
        let said =
            say_with_input(&mut scene.artoo(line), "How many .txt files are in docs?\n".as_bytes()).ended(0);
        assert_eq!(said.out, "3\n", "{line:?}");
    }
}

#[test]
fn the_short_form_runs_it() {
    assert_eq!(Scene::new(counting()).say(&["How many .txt files are in docs?"]).ended(0).out, "3\n");
}

#[test]
fn every_script_comes_through_unchanged() {
    for request in
        ["数一数 docs 里有多少个 .txt 文件", "كم عدد ملفات txt في المجلد docs؟", "📁 docs → how many 📄?"]
    {
        let scene = Scene::new(counting());
        let said = scene.say(&["run", request]).ended(0);
        assert!(said.err.contains(request), "{}", said.err);
        let calls = scene.server().calls();
        assert!(
            calls.iter().any(|call| shown(call).contains(request)),
            "the model is shown the request as it is"
        );
    }
}

#[test]
fn an_empty_request_is_refused_before_anything_else() {
    let scene = Scene::new(counting());
    for line in [&["run", ""][..], &["run", " \n\t"], &["run"]] {
        scene.say(line).ended(2).explains("empty", "artoo run \"");
    }
    assert_eq!((scene.server().stats().requests, scene.runs().len()), (0, 0));
}

#[test]
fn a_megabyte_ends_with_an_answer_or_a_reason() {
    let scene = Scene::new(counting());
    let request = "Count the .txt files in docs. ".repeat(35_000);
    let said = say_with_input(&mut scene.artoo(&["run"]), request.as_bytes());
    assert!([0, 2].contains(&said.code), "{} {}", said.code, said.err);
    assert_eq!(scene.runs().len(), 1, "it is recorded");
}

#[test]
fn without_any_stream_it_still_works() {
    let scene = Scene::new(counting());
    let mut command = scene.artoo(&["run", "How many .txt files are in docs?"]);
    say(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())).ended(0);
}

#[test]
fn another_folder_may_be_named() {
    let scene = Scene::new(counting());
    let elsewhere = scene.home().join("elsewhere");
    std::fs::create_dir_all(elsewhere.join("docs")).unwrap();
    std::fs::write(elsewhere.join("docs/one.txt"), "").unwrap();
    let said = scene
        .say(&["run", "--cwd", elsewhere.to_str().unwrap(), "How many .txt files are in docs?"])
        .ended(0);
    assert_eq!(said.out, "1\n");
    scene.say(&["run", "--cwd", "nowhere", "How many?"]).ended(2).explains("nowhere", "exists");
}

#[test]
fn a_workspace_that_cannot_be_written_is_refused_with_a_remedy() {
    let scene = Scene::new(counting());
    std::fs::write(scene.home().join("a_file"), "").unwrap();
    let said =
        scene.say(&["run", "--workspace", "~/a_file/below", "How many .txt files are in docs?"]).ended(2);
    said.explains("a_file/below", "--workspace DIR");
    let said =
        scene.say(&["run", "--data-dir", "~/a_file/below", "How many .txt files are in docs?"]).ended(2);
    said.explains("a_file/below", "--data-dir");
}
