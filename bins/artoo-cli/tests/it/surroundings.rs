//! Odd surroundings: a working folder that is gone, something else in the place of a file, and tight limits.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::elsewhere::Missing;
use crate::fixture::Scene;
use crate::mock_model::counting;
use crate::process::{Said, say};

/// Runs a command line of a shell in the scene's folder; `artoo` is the program.
#[expect(clippy::disallowed_methods, reason = "a person's shell, in which the program is started")]
fn in_a_shell(scene: &Scene, line: &str) -> Said {
    let artoo = scene.artoo(&[]);
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", &format!("artoo() {{ \"$ARTOO\" \"$@\"; }}\n{line}")]).env_clear();
    for (name, value) in artoo.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.env("ARTOO", artoo.get_program()).current_dir(artoo.get_current_dir().unwrap());
    command.stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    say(&mut command)
}

fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

#[test]
fn in_a_folder_that_is_gone_what_needs_none_works() {
    let scene = Scene::new(counting());
    let there = |line: &str| in_a_shell(&scene, &format!("mkdir gone; cd gone; rmdir ../gone; {line}"));
    for line in [
        "artoo --version",
        "artoo version",
        "artoo --help",
        "artoo help undo",
        "artoo completions bash",
        "artoo man",
        "artoo runs list",
        "artoo sessions list",
        "artoo config path",
        "artoo config show",
        "artoo memory list",
        "artoo audit report",
        "artoo policy rules",
        "artoo doctor",
        "artoo model list",
        "artoo run --cwd /tmp 'How many .txt files are in docs?'",
    ] {
        there(line).ended(0);
    }
    assert!(there("artoo doctor").out.contains("no run can work here"));
    for line in
        ["artoo run 'How many files are here?'", "artoo", "artoo sandbox ls", "artoo --data-dir x runs list"]
    {
        there(line).ended(2).explains("the working folder cannot be used", "go to another folder");
    }
    // Not even a home is needed to say what there is.
    in_a_shell(&scene, "unset HOME; artoo --version && artoo completions fish && artoo man").ended(0);
}

#[test]
fn what_lies_in_the_place_of_a_file_is_never_waited_for() {
    let scene = Scene::new(counting());
    scene.say(&["run", "How many .txt files are in docs?"]).ended(0);
    let configuration = scene.home().join(".config/artoo/config.toml");
    pipe(&configuration);
    for line in [&["run", "How many files?"][..], &["runs", "list"], &["config", "show"], &["undo"]] {
        scene.say(line).ended(2).explains("it is a pipe, and no regular file", "check the file's kind");
    }
    assert!(scene.say(&["doctor"]).ended(1).out.contains("it is a pipe"));
    fs::remove_file(&configuration).unwrap();
    let with = |named: &OsStr| say(scene.artoo(&["runs", "list"]).env("ARTOO_CONFIG", named));
    with(OsStr::new("/dev/zero")).ended(2).explains("it is a device", "check the file's kind");
    with(scene.home().as_os_str()).ended(2).explains("it is a folder", "check the file's kind");
    with(OsStr::new("/dev/null")).ended(0);

    // Records: each is left out or named, and nothing hangs.
    let data = scene.home().join(".artoo");
    let run = scene.runs().pop().unwrap();
    let session = fs::read_dir(data.join("sessions")).unwrap().next().unwrap().unwrap().path();
    for path in [run.join("events.jsonl"), session, data.join("audit.jsonl")] {
        let kept = path.with_extension("kept");
        fs::rename(&path, &kept).unwrap();
        pipe(&path);
        for line in [
            &["runs", "list"][..],
            &["runs", "show", "last"],
            &["sessions", "list"],
            &["audit", "verify"],
            &["audit", "tail"],
            &["doctor"],
        ] {
            let said = scene.say(line);
            assert!([0, 1, 2].contains(&said.code), "{line:?}: {}", said.err);
        }
        fs::remove_file(&path).unwrap();
        fs::rename(&kept, &path).unwrap();
    }
}

#[test]
fn a_process_substitution_of_the_shell_is_a_configuration() {
    let scene = Scene::new(counting());
    let shown =
        in_a_shell(&scene, "ARTOO_CONFIG=<(printf '[run]\\nmax_replans = 2\\n') artoo config show").ended(0);
    assert!(shown.out.contains("run.max_replans") && shown.out.contains("= 2 "), "{}", shown.out);
    // A run reads it more than once.
    let line = "ARTOO_CONFIG=<(sleep 0.2; printf '[run]\\nmax_replans = 2\\n') artoo run 'How many .txt files are in docs?'";
    in_a_shell(&scene, line).ended(0);
    let asked = "artoo run --output-schema <(printf '{\"type\": \"string\"') x";
    in_a_shell(&scene, asked).ended(2).explains("the schema /dev/fd/", "");
}

/// Lesson: where no thread could be started the program ended with a panic, or said `free some space`.
#[test]
fn lesson_a_limit_that_is_reached_is_named() {
    let scene = Scene::new(counting());
    let run = ["run", "How many .txt files are in docs?"];
    for line in [&run[..], &["sandbox", "ls"], &[]] {
        let said = Missing::Threads.say(scene.artoo(line)).ended(1);
        assert!(!said.err.contains("panicked") && !said.err.contains("free some space"), "{}", said.err);
        said.explains("more threads are needed", "raise the limit");
    }
    // What starts no run needs none.
    Missing::Threads.say(scene.artoo(&["runs", "list"])).ended(0);
    Missing::Threads.say(scene.artoo(&["config", "show"])).ended(0);
    for (limit, named) in [("-n 7", "(ulimit -n)"), ("-n 16", "(ulimit -n)"), ("-v 400000", "(ulimit -v)")] {
        let said =
            in_a_shell(&scene, &format!("ulimit {limit}; artoo run 'How many .txt files are in docs?'"));
        said.ended(1).explains("", named);
    }
    assert_eq!((scene.server().stats().requests, scene.runs().len()), (0, 0), "nothing was begun");
}
