//! Tests of `artoo runs delete`, `artoo runs prune` and `artoo sessions delete --with-runs`.

use std::fs;

use crate::fixture::Scene;
use crate::mock_model::counting;
use crate::process::{until, wait};
use crate::screen::Screen;

const REQUEST: &str = "How many .txt files are in docs?";

fn after_two_runs() -> Scene {
    let scene = Scene::new(counting());
    scene.say(&["run", REQUEST]).ended(0);
    scene.say(&["run", "--continue", "And how many are there now?"]).ended(0);
    scene
}

fn name(scene: &Scene, at: usize) -> String {
    scene.runs()[at].file_name().unwrap().to_str().unwrap().to_owned()
}

/// The audit log, the memory and the conversation keep what they have of it, and nobody takes that for a forgery.
#[test]
fn a_deleted_run_leaves_everything_else_whole() {
    let scene = after_two_runs();
    let (first, second) = (name(&scene, 0), name(&scene, 1));
    let log = fs::read(scene.home().join(".artoo/audit.jsonl")).unwrap();
    // The first line says when it was written.
    let entries = |export: String| export.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let memory = entries(scene.say(&["memory", "export"]).ended(0).out);

    scene.say(&["runs", "delete", &first]).ended(2).explains("nobody is there to be asked", "--yes");
    let said = scene.say(&["runs", "delete", &first, "--dry-run"]).ended(0);
    assert!(said.err.contains("to be deleted: 1 run, ") && scene.runs().len() == 2, "{}", said.err);
    let said = scene.say(&["runs", "delete", &first, "--yes"]).ended(0);
    assert!(said.out.contains("deleted: 1 run, "), "{}", said.out);
    assert_eq!(name(&scene, 0), second);
    assert_eq!(scene.runs().len(), 1, "nothing else is left in the folder");

    assert_eq!(fs::read(scene.home().join(".artoo/audit.jsonl")).unwrap(), log);
    assert_eq!(entries(scene.say(&["memory", "export"]).ended(0).out), memory);
    assert!(scene.say(&["audit", "verify"]).ended(0).out.contains("the chain holds"));
    scene.say(&["audit", "report"]).ended(0);
    let session = scene.say(&["sessions", "show", "last"]).ended(0).out;
    assert!(session.contains(REQUEST) && session.contains("And how many"), "{session}");
    scene.say(&["runs", "show", &first]).ended(2).explains("there is no run", "artoo runs list");
    assert!(scene.say(&["run", "--continue", "And now?"]).ended(0).err.contains("recorded: "));
}

#[test]
fn old_runs_are_pruned_and_new_ones_stay() {
    let scene = after_two_runs();
    let said = scene.say(&["runs", "prune", "--older", "1d", "--yes"]).ended(0);
    assert!(said.err.contains("no run is to be deleted") && scene.runs().len() == 2, "{}", said.err);
    let old = scene.runs()[0].with_file_name("01900000-0000-7000-8000-0000000000aa");
    fs::rename(&scene.runs()[0], &old).unwrap();
    let said = scene.say(&["runs", "prune", "--older", "1d", "--dry-run"]).ended(0);
    assert!(said.err.contains("to be deleted: 1 run, ") && old.exists(), "{}", said.err);
    scene.say(&["runs", "prune", "--older", "1d", "--yes"]).ended(0);
    assert!(!old.exists() && scene.runs().len() == 1);
}

#[test]
fn a_run_that_works_is_not_deleted() {
    let scene = Scene::new(|_| panic!("no model is asked"));
    let command = "touch \"$TMPDIR/started\"; sleep 3023";
    let child = scene.bare(&["sandbox", command]).spawn().unwrap();
    until("the command starts", || scene.runs().iter().any(|run| run.join("tmp/started").exists()));
    for line in [&["runs", "delete", "last", "--yes"][..], &["runs", "prune", "--older", "1ms", "--yes"]] {
        let said = scene.say(line).ended(0);
        assert!(said.err.contains("is at work; end it first"), "{}", said.err);
        assert!(said.out.is_empty() && scene.runs().len() == 1);
    }
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .unwrap();
    wait(child).ended(130);
    scene.say(&["runs", "delete", "last", "--yes"]).ended(0);
    assert!(scene.runs().is_empty());
}

#[test]
fn a_conversation_goes_with_its_runs_where_that_is_said() {
    let scene = after_two_runs();
    scene
        .say(&["sessions", "delete", "last", "--with-runs"])
        .ended(2)
        .explains("nothing was deleted", "--yes");
    assert_eq!(scene.runs().len(), 2);
    scene.say(&["sessions", "delete", "last", "--with-runs", "--yes"]).ended(0);
    assert!(scene.runs().is_empty());
    assert!(scene.say(&["sessions"]).ended(0).err.contains("no sessions"));
    scene.say(&["audit", "verify"]).ended(0);

    scene.say(&["run", REQUEST]).ended(0);
    let said = scene.say(&["sessions", "delete", "last"]).ended(0);
    assert!(said.err.contains("its runs stay") && scene.runs().len() == 1, "{}", said.err);
}

#[test]
fn at_a_terminal_it_asks() {
    let scene = after_two_runs();
    for (answer, left) in [("n\n", 2), ("y\n", 1)] {
        let command = scene.bare(&["runs", "delete", "last"]);
        let (code, shown, _) = Screen::new(80).talk(command, &[("delete this for good? [y/N] > ", answer)]);
        assert_eq!((code, scene.runs().len()), (Some(0), left), "{shown}");
    }
}
