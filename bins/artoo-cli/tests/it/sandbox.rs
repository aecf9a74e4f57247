//! Tests of `artoo sandbox`: a single command of the user, without a model.

use std::fs;
use std::path::PathBuf;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::fixture::Scene;
use crate::process::{Said, say, until, wait};
use crate::screen::Screen;

/// Whether commands can be tried on this machine; prints the reason if not.
pub(crate) fn can_try() -> bool {
    let store = tempfile::tempdir().unwrap();
    let supported = artoo_sandbox::preview::Preview::supported(store.path());
    if let Err(reason) = &supported {
        artoo_test_needs::skip(artoo_test_needs::Ability::Overlays, reason);
    }
    supported.is_ok()
}

fn scene() -> Scene {
    Scene::new(|_| panic!("no model is asked"))
}

fn sandbox(scene: &Scene, options: &[&str]) -> Said {
    say(&mut scene.bare(&[&["sandbox"], options].concat()))
}

fn file(scene: &Scene, name: &str) -> PathBuf {
    scene.folder().join("docs").join(name)
}

#[test]
fn a_command_says_what_it_says_and_ends_as_it_ends() {
    let scene = scene();
    let said = sandbox(&scene, &["ls docs | wc -l"]).ended(0);
    assert_eq!((said.out.trim(), said.err.as_str()), ("3", ""));
    let said = sandbox(&scene, &["printf 'left '; echo wrong >&2; exit 3"]).ended(3);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("left ", "wrong\n"));
    sandbox(&scene, &["kill -9 $$"]).ended(137);
    sandbox(&scene, &["--timeout", "300ms", "sleep 3019"])
        .ended(124)
        .explains("longer than 0.3 s", "runs show");
    sandbox(&scene, &["--cwd", "docs", "cat 数据.txt"]).ended(0);
    sandbox(&scene, &["--cwd", "nowhere", "ls"]).ended(2).explains("--cwd", "folder that exists");
    sandbox(&scene, &[]).ended(2);
    assert_eq!(scene.server().stats().requests, 0, "no model is asked");
}

/// The first process tries the machine and says so for the next one, which believes nothing else than what it would have written.
#[test]
fn a_trial_is_on_record_for_the_next_process() {
    if !can_try() {
        return;
    }
    let scene = scene();
    sandbox(&scene, &["true"]).ended(0);
    let run = scene.runs().pop().unwrap();
    let record = run.parent().unwrap().with_file_name("preview-trial");
    let written = fs::read_to_string(&record).unwrap();
    let number = || record.metadata().map(|found| std::os::unix::fs::MetadataExt::ino(&found)).unwrap();
    let first = number();
    sandbox(&scene, &["true"]).ended(0);
    assert_eq!((fs::read_to_string(&record).unwrap(), number()), (written.clone(), first), "no second trial");
    fs::write(&record, written.replacen('1', "2", 1)).unwrap();
    sandbox(&scene, &["rm docs/a.txt"]).ended(5);
    assert_eq!(fs::read_to_string(&record).unwrap(), written, "another record is none, and a trial was made");
    assert!(file(&scene, "a.txt").exists());
}

/// Binary output passes through a pipe unchanged.
#[test]
fn bytes_pass_through_a_pipe() {
    let scene = scene();
    let mut command = scene.bare(&["sandbox", "printf '\\000\\377\\033[2J'"]);
    let output = command.output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"\x00\xff\x1b[2J"[..]));
}

#[test]
fn what_nobody_allows_is_not_done() {
    let scene = scene();
    let said = sandbox(&scene, &["rm docs/a.txt"]).ended(5);
    assert!(said.err.contains("a.txt") && said.out.is_empty(), "{}", said.err);
    said.explains("nobody is there to be asked", "`--yes deletes`");
    assert!(file(&scene, "a.txt").exists());
    let page = sandbox(&scene, &["--json", "rm docs/a.txt"]).ended(5).out;
    let page: Value = serde_json::from_str(&page).unwrap();
    assert_eq!((&page["exit_code"], &page["ending"]["kind"]), (&5.into(), &"refused".into()), "{page:#}");
    assert_eq!(page["failure"]["class"], "denied");
    assert!(file(&scene, "a.txt").exists());
    let read_only = sandbox(&scene, &["--sandbox", "read-only", "echo 1 > docs/new.txt"]);
    assert!(read_only.code != 0 && !file(&scene, "new.txt").exists(), "{}", read_only.err);
}

/// It is listed as a command, and can be undone like any run.
#[test]
fn what_it_did_is_recorded_and_can_be_undone() {
    let scene = scene();
    let command = "rm docs/a.txt; echo 1 > docs/new.txt";
    let said = sandbox(&scene, &["--yes", "deletes", command]).ended(0);
    for part in ["deleted ", "created ", "to take it back: artoo undo "] {
        assert!(said.err.contains(part), "no `{part}` in\n{}", said.err);
    }
    let listed = scene.say(&["runs", "list"]).ended(0).out;
    assert!(listed.contains("exit 0") && listed.contains("$ rm docs/a.txt"), "{listed}");
    assert!(listed.contains("UNDO") && listed.contains("possible"), "{listed}");
    let listed = scene.say(&["runs", "list", "--json"]).ended(0).out;
    assert!(listed.contains("\"errand\":\"command\""), "{listed}");
    let shown = scene.say(&["runs", "show", "last"]).ended(0).out;
    assert!(shown.contains("The command ended with status 0.") && !shown.contains("accept"), "{shown}");
    scene.say(&["runs", "explain", "last"]).ended(2).explains("nothing was planned", "artoo runs show");
    scene.say(&["runs", "undo", "last"]).ended(0);
    assert!(file(&scene, "a.txt").exists() && !file(&scene, "new.txt").exists());
    scene.say(&["audit", "verify"]).ended(0);
}

#[test]
fn programs_get_one_object() {
    let scene = scene();
    let said = sandbox(&scene, &["--json", "echo 你好; echo no >&2; echo 1 > docs/new.txt"]).ended(0);
    let page: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(
        (&page["stdout"], &page["stderr"], &page["exit_code"]),
        (&"你好\n".into(), &"no\n".into(), &0.into()),
        "{page:#}"
    );
    assert_eq!(page["files"][0]["change"], "created", "{page:#}");
    assert_eq!(said.err, "");
}

/// The same question and answers as in a run.
#[test]
fn a_person_is_asked_and_answers() {
    if !can_try() {
        return;
    }
    for (answer, code, is_left) in [("y\n", Some(0), false), ("n\n", Some(5), true)] {
        let scene = scene();
        let screen = Screen::new(120);
        let command = scene.bare(&["sandbox", "rm docs/a.txt; echo 完成"]);
        let (ended, shown, _) = screen.talk(command, &[("or say what to do instead > ", answer)]);
        assert_eq!((ended, file(&scene, "a.txt").exists()), (code, is_left), "{shown}");
        assert_eq!(shown.contains("\n完成"), !is_left, "{shown}");
        assert!(shown.contains("Delete docs/a.txt? ("), "{shown}");
    }
}

#[test]
fn a_signal_ends_it_with_all_its_processes() {
    let scene = scene();
    let command = "cd $TMPDIR && { sleep 3017 & echo $! > child.new; mv child.new child; wait; }";
    let child = scene.bare(&["sandbox", command]).spawn().unwrap();
    let place = || scene.runs().pop().unwrap_or_default().join("tmp/child");
    until("the command starts", || place().exists());
    let orphan = fs::read_to_string(place()).unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    wait(child).ended(130);
    let process = PathBuf::from("/proc").join(orphan.trim());
    until("the command's own child is gone", || !process.exists());
    assert!(scene.say(&["runs", "list"]).ended(0).out.contains("interrupted"));
}
