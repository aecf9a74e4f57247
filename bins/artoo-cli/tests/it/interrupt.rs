//! Ctrl+C and SIGTERM: the run is recorded, its processes are gone, the exit code is 130.

use std::path::{Path, PathBuf};
use std::process::Child;

use artoo_llm_http::doubles::Reply;
use rustix::process::{Pid, Signal, kill_process};

use crate::model::{count_plan, model, shell};
use crate::process::{until, wait};
use crate::scene::Scene;

/// It starts a child of its own, says which in the workspace, and waits for it.
const COMMAND: &str =
    "cd ~/artoo_workspace && { sleep 3017 & echo $! > child.new; mv child.new child; wait; }";

/// It does not listen to SIGTERM.
const STUBBORN: &str = "trap '' TERM INT; cd ~/artoo_workspace && { echo $$ > child.new; mv child.new child; while :; do sleep 1; done; }";

/// Both commands are asked about otherwise, and tried where nobody else sees their files.
const GRANTED: [&str; 10] = [
    "run",
    "--yes",
    "unknown",
    "--yes",
    "deletes",
    "--yes",
    "creates",
    "--yes",
    "overwrites",
    "Wait for something",
];

fn child_file(scene: &Scene) -> PathBuf {
    scene.home().join("artoo_workspace/child")
}

/// A run whose command has started a child of its own, and waits.
fn waiting_in_a_command() -> (Scene, Child) {
    let scene = Scene::new(model(count_plan("Wait"), |_| shell(COMMAND)));
    let child = scene.artoo(&GRANTED).spawn().unwrap();
    until("the command starts", || child_file(&scene).exists());
    (scene, child)
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

fn is_gone(pid: &str) -> bool {
    !Path::new("/proc").join(pid).exists()
}

#[test]
fn the_first_signal_ends_the_run_with_all_its_processes() {
    for signal in [Signal::INT, Signal::TERM] {
        let (scene, child) = waiting_in_a_command();
        let orphan = std::fs::read_to_string(child_file(&scene)).unwrap();
        send(&child, signal);
        let said = wait(child).ended(130);
        until("the command's own child is gone", || is_gone(orphan.trim()));
        let journal = scene.journal();
        assert!(journal.contains("final_result") && journal.contains("cancelled"), "{journal}");
        assert!(said.err.contains("recorded: "), "{}", said.err);
        assert!(scene.say(&["runs", "list"]).ended(0).out.contains("interrupted"));
    }
}

#[test]
fn the_second_signal_leaves_at_once() {
    // The command wants to outlive everything; the kernel ends it with the program.
    let scene = Scene::new(model(count_plan("Wait"), |_| shell(STUBBORN)));
    let child = scene.artoo(&GRANTED).spawn().unwrap();
    until("the command starts", || child_file(&scene).exists());
    let orphan = std::fs::read_to_string(child_file(&scene)).unwrap();
    send(&child, Signal::INT);
    send(&child, Signal::INT);
    wait(child).ended(130);
    until("the command is gone", || is_gone(orphan.trim()));
}

#[test]
fn a_run_that_waits_for_its_model_ends_too() {
    let scene = Scene::new(|_| Reply::stall());
    let child = scene.artoo(&["run", "--json", "How many files?"]).spawn().unwrap();
    scene.until_asked(1);
    send(&child, Signal::INT);
    let said = wait(child).ended(130);
    assert!(said.out.lines().last().unwrap().contains("\"exit_code\":130"), "{}", said.out);
}
