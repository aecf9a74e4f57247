//! Tests of background runs: started, left, shown, answered and stopped by other processes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Child;

use artoo_llm_http::doubles::Reply;
use rustix::process::{Pid, Signal, kill_process};

use crate::fixture::Scene;
use crate::interrupt::{again, send};
use crate::mock_model::{count_plan, counting, model, shell};
use crate::process::{ended, until, wait};
use crate::screen::Screen;

const REQUEST: &str = "How many .txt files are in docs?";
/// Waits for a file, then counts.
const WAITS: &str = "until test -e go; do sleep 0.02; done; ls docs/*.txt | wc -l";

/// A scene whose run waits for [`let_go`].
fn waiting() -> Scene {
    Scene::new(model(count_plan("Count the .txt files in docs"), |_| shell(WAITS)))
}

fn let_go(scene: &Scene) {
    fs::write(scene.folder().join("go"), "").unwrap();
}

/// Starts a background run and returns its folder.
fn begun(scene: &Scene, request: &str) -> PathBuf {
    let said = scene.say(&["run", "--detach", request]).ended(0);
    let run = scene.home().join(".artoo/runs").join(said.out.trim());
    assert!(said.out.ends_with('\n') && run.is_dir(), "{said:?}");
    assert_eq!(said.err, "");
    run
}

fn state(scene: &Scene) -> String {
    scene.say(&["runs", "list", "--json"]).ended(0).out
}

fn until_finished(scene: &Scene) {
    until("the run ends", || state(scene).contains("\"state\":\"finished\""));
}

/// Starts a command at a terminal.
fn at(screen: &Screen, scene: &Scene, line: &[&str]) -> Child {
    let mut command = scene.artoo(line);
    command.env("TERM", "dumb");
    command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream()).spawn().unwrap()
}

#[test]
fn a_run_in_the_background_says_its_id_and_ends_by_itself() {
    let scene = waiting();
    let run = begun(&scene, REQUEST);
    assert!(state(&scene).contains("\"state\":\"running\""));
    let_go(&scene);
    until_finished(&scene);
    until("the result is in its file", || fs::read_to_string(run.join("stdout")).unwrap() == "3\n");
    for name in ["stdout", "stderr"] {
        let mode = run.join(name).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    until("the socket goes with the process", || !run.join("control").exists());
    let said = scene.say(&["runs", "attach", "last"]).ended(0);
    assert_eq!(said.out, "3\n");
    assert!(said.err.contains(&format!("» {REQUEST}")), "{}", said.err);
    let said = scene.say(&["runs", "stop", "last"]).ended(0);
    assert!(said.err.contains("this run has ended already"), "{}", said.err);
}

#[test]
fn what_keeps_a_run_from_beginning_is_told_with_its_exit_code() {
    let scene = Scene::new(counting());
    let said = scene.say(&["run", "--detach", "--cwd", "nowhere", REQUEST]).ended(2);
    said.explains("--cwd", "name a folder that exists");
    assert_eq!((said.out.as_str(), scene.runs().len()), ("", 0));
    scene.say(&["run", "--detach", "--json", REQUEST]).ended(2);
    scene.say(&["runs", "attach", "last"]).ended(2);
}

#[test]
fn the_request_may_come_from_a_pipe() {
    let scene = Scene::new(counting());
    let said = crate::process::say_with_input(&mut scene.artoo(&["run", "--detach"]), REQUEST.as_bytes());
    let said = said.ended(0);
    until_finished(&scene);
    let shown = scene.say(&["runs", "show", said.out.trim()]).ended(0).out;
    assert!(shown.contains(REQUEST), "{shown}");
}

/// The terminal is closed while the run works.
#[test]
fn a_closed_terminal_does_not_end_it() {
    let scene = waiting();
    let (master, slave) = artoo_pseudo_terminal::ends().unwrap();
    let mut command = again(&scene.artoo(&["run", "--detach", REQUEST]), "setsid", &["--ctty"]);
    command.env("TERM", "xterm");
    let stream = || std::process::Stdio::from(slave.try_clone().unwrap());
    let mut child = command.stdin(stream()).stdout(stream()).stderr(stream()).spawn().unwrap();
    drop((command, slave));
    assert_eq!(ended(&mut child).code(), Some(0));
    drop(master);
    let_go(&scene);
    until_finished(&scene);
    assert!(state(&scene).contains("\"exit_code\":0"));
}

/// The question waits, is listed, and is answered by the attached user.
#[test]
fn a_question_waits_for_somebody_who_attaches() {
    let scene = Scene::new(model(count_plan("Remove the notes and count the rest"), |_| {
        shell("rm ~/artoo_workspace/notes.txt\necho 0")
    }));
    let notes = scene.home().join("artoo_workspace/notes.txt");
    fs::create_dir_all(notes.parent().unwrap()).unwrap();
    fs::write(&notes, "a year's work\n").unwrap();
    let run = begun(&scene, "How many files are left?");
    until("the question is seen", || scene.say(&["runs", "list"]).ended(0).out.contains("asks you"));
    assert!(state(&scene).contains("\"asking\":true"));
    let said = fs::read_to_string(run.join("stderr")).unwrap();
    assert!(said.contains("this waits for an answer"), "{said}");
    // Without a terminal the question is shown and stays open.
    let mut shown = scene.artoo(&["runs", "attach", "last"]).spawn().unwrap();
    let line = ["runs", "attach", "last"];
    let (code, screen, _) =
        Screen::new(160).talk(scene.artoo(&line), &[("or say what to do instead > ", "y\n")]);
    assert_eq!((code, notes.exists()), (Some(0), false), "{screen}");
    for part in
        ["notes.txt? (14 B)", "$ rm ~/artoo_workspace/notes.txt", "allowed once: the person agreed", "✓ Done"]
    {
        assert!(screen.contains(part), "no `{part}` in\n{screen}");
    }
    assert_eq!(ended(&mut shown).code(), Some(0));
}

#[test]
fn who_leaves_by_ctrl_c_ends_nothing_and_stop_does() {
    let scene = waiting();
    begun(&scene, REQUEST);
    let screen = Screen::new(120);
    let mut attached = at(&screen, &scene, &["runs", "attach", "last"]);
    screen.until_shown("plan: ");
    send(&attached, Signal::INT);
    assert_eq!(ended(&mut attached).code(), Some(0));
    let (shown, _) = screen.end();
    assert!(shown.contains("detached: the run goes on"), "{shown}");
    assert!(state(&scene).contains("\"state\":\"running\""));
    let second = scene.artoo(&["runs", "attach", "last"]).spawn().unwrap();
    let said = scene.say(&["runs", "stop", "last"]).ended(0);
    assert!(said.err.contains("stopped, and recorded"), "{}", said.err);
    let listed = state(&scene);
    assert!(listed.contains("\"state\":\"finished\"") && listed.contains("\"exit_code\":130"), "{listed}");
    wait(second).ended(130);
}

#[test]
fn a_run_of_the_foreground_is_shown_and_can_be_stopped() {
    let scene = waiting();
    let first = scene.artoo(&["run", REQUEST]).spawn().unwrap();
    until("the run begins", || scene.runs().pop().is_some_and(|run| run.join("control").exists()));
    let screen = Screen::new(120);
    let mut attached = at(&screen, &scene, &["runs", "attach", "last"]);
    screen.until_shown("the questions of this run are answered where it was started");
    scene.say(&["runs", "stop", "last"]).ended(0);
    wait(first).ended(130);
    assert_eq!(ended(&mut attached).code(), Some(130));
    drop(screen.end());
}

#[test]
fn a_run_that_is_killed_leaves_nobody_waiting() {
    let scene = Scene::new(|_| Reply::stall());
    let mut first = scene.artoo(&["run", "--json", REQUEST]).spawn().unwrap();
    scene.until_asked(1);
    let attached = scene.artoo(&["runs", "attach", "last"]).spawn().unwrap();
    kill_process(Pid::from_child(&first), Signal::KILL).unwrap();
    ended(&mut first);
    wait(attached).ended(1).explains("this run was killed", "artoo runs show");
    let said = scene.say(&["runs", "stop", "last"]).ended(0);
    assert!(said.err.contains("this run was killed"), "{}", said.err);
}

/// The run is killed during its second step: the result of the first step is
/// kept, and only the second step is repeated.
#[test]
fn a_run_that_was_killed_is_begun_again_with_what_it_had_done() {
    let steps = ["Count the .txt files", "Wait and count them again"];
    let mut plan = count_plan(steps[0]);
    let mut second = count_plan(steps[1])["subtasks"][0].clone();
    second["sequence"] = 2.into();
    plan["subtasks"].as_array_mut().unwrap().push(second);
    // The current step is the last one named in the prompt.
    let scene = Scene::new(model(plan, move |shown| {
        let [first, second] = steps.map(|step| shown.rfind(step));
        if first > second {
            shell("ls docs/*.txt | wc -l")
        } else {
            shell("cd $TMPDIR && touch begun && until test -e ~/go; do sleep 0.02; done; echo 3")
        }
    }));
    let mut first = scene.artoo(&["run", "--json", "How many .txt files are in docs?"]).spawn().unwrap();
    let begun = || scene.runs().pop().is_some_and(|run| run.join("tmp/begun").exists());
    until("the second step works", begun);
    kill_process(Pid::from_child(&first), Signal::KILL).unwrap();
    ended(&mut first);
    assert!(state(&scene).contains("\"state\":\"killed\""));
    fs::write(scene.home().join("go"), "").unwrap();
    let said = scene.say(&["runs", "resume", "last"]).ended(0);
    for part in ["kept: Count the .txt files", "plan: Wait and count them again, 1 step kept"] {
        assert!(said.err.contains(part), "no `{part}` in\n{}", said.err);
    }
    assert_eq!(scene.runs().len(), 2);
    // The resumed run belongs to the session of the killed run.
    let sessions = scene.say(&["sessions", "list", "--json"]).ended(0).out;
    assert_eq!(sessions.lines().count(), 1, "{sessions}");
    let page = scene.say(&["sessions", "show", "last"]).ended(0).out;
    assert_eq!(page.matches("How many .txt files are in docs?").count(), 2, "{page}");
    // A finished run cannot be resumed.
    scene.say(&["runs", "resume", "last"]).ended(2).explains("was not cut off", "artoo run");
}
