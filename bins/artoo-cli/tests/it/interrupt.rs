//! Tests of signals: the run is recorded, its processes are gone, and the exit code names the signal.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use artoo_llm_http::doubles::Reply;
use rustix::process::{Pid, Signal, kill_process};

use crate::model::{count_plan, model, shell};
use crate::process::{ended, until, wait};
use crate::scene::Scene;

/// Starts a child process, writes its id to the private folder (files elsewhere only become visible when the
/// command ends), and waits for it.
const COMMAND: &str = "cd $TMPDIR && { sleep 3017 & echo $! > child.new; mv child.new child; wait; }";

/// Ignores SIGTERM.
const STUBBORN: &str =
    "trap '' TERM INT; cd $TMPDIR && { echo $$ > child.new; mv child.new child; while :; do sleep 1; done; }";

const RUN: [&str; 2] = ["run", "Wait for something"];

/// The file in which the newest run's command stores its child's id.
fn child_file(scene: &Scene) -> PathBuf {
    scene.runs().pop().unwrap_or_default().join("tmp/child")
}

/// A run whose command has started a child process and waits for it.
fn waiting_in_a_command() -> (Scene, Child) {
    let scene = Scene::new(model(count_plan("Wait"), |_| shell(COMMAND)));
    let child = scene.artoo(&RUN).spawn().unwrap();
    until("the command starts", || child_file(&scene).exists());
    (scene, child)
}

pub(crate) fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// The same command line as an argument of another program, in the same folder.
#[expect(
    clippy::disallowed_methods,
    reason = "the sandbox crate starts commands of runs; here the program itself is under test"
)]
pub(crate) fn again(command: &Command, program: &str, words: &[&str]) -> Command {
    let mut outer = Command::new(program);
    outer.args(words).arg(command.get_program()).args(command.get_args()).env_clear();
    outer.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    outer.current_dir(command.get_current_dir().unwrap()).stdin(std::process::Stdio::null());
    outer
}

fn is_gone(pid: &str) -> bool {
    !Path::new("/proc").join(pid).exists()
}

/// The signals that end a run, their exit codes, and their names in the list of runs.
const SIGNALS: [(Signal, i32, &str); 4] = [
    (Signal::HUP, 129, "hung up"),
    (Signal::INT, 130, "interrupted"),
    (Signal::QUIT, 131, "quit"),
    (Signal::TERM, 143, "terminated"),
];

#[test]
fn the_first_signal_ends_the_run_with_all_its_processes() {
    for (signal, code, word) in SIGNALS {
        let (scene, child) = waiting_in_a_command();
        let orphan = std::fs::read_to_string(child_file(&scene)).unwrap();
        send(&child, signal);
        let said = wait(child).ended(code);
        until("the command's own child is gone", || is_gone(orphan.trim()));
        let journal = scene.journal();
        assert_eq!(journal.matches("\"kind\":\"final_result\"").count(), 1, "{journal}");
        assert!(journal.contains("cancelled"), "{journal}");
        assert!(said.err.contains("recorded: "), "{}", said.err);
        let listed = scene.say(&["runs", "list", "--json"]).ended(0).out;
        assert!(listed.contains(&format!("\"exit_code\":{code}")), "{listed}");
        assert!(listed.contains("\"state\":\"finished\""), "{listed}");
        assert!(scene.say(&["runs", "list"]).ended(0).out.contains(word));
        scene.say(&["audit", "verify"]).ended(0);
    }
}

#[test]
fn each_signal_is_the_end_of_the_lines_for_programs() {
    for (signal, code, _) in SIGNALS {
        let scene = Scene::new(|_| Reply::stall());
        let child = scene.artoo(&["run", "--json", "How many files?"]).spawn().unwrap();
        scene.until_asked(1);
        send(&child, signal);
        let said = wait(child).ended(code);
        let last = said.out.lines().last().unwrap();
        assert!(last.contains("\"type\":\"run.finished\""), "{last}");
        assert!(last.contains(&format!("\"exit_code\":{code}")), "{last}");
    }
}

/// The terminal is closed: the kernel sends SIGHUP, and every later write to the terminal fails.
#[test]
fn a_closed_terminal_ends_the_run_with_its_record() {
    let scene = Scene::new(model(count_plan("Wait"), |_| shell(COMMAND)));
    let (master, slave) = artoo_pseudo_terminal::ends().unwrap();
    let inner = scene.artoo(&RUN);
    let mut command = again(&inner, "setsid", &["--ctty"]);
    command.env("TERM", "xterm");
    let stream = || std::process::Stdio::from(slave.try_clone().unwrap());
    let mut child = command.stdin(stream()).stdout(stream()).stderr(stream()).spawn().unwrap();
    drop((command, slave));
    until("the command starts", || child_file(&scene).exists());
    let orphan = std::fs::read_to_string(child_file(&scene)).unwrap();
    drop(master);
    assert_eq!(ended(&mut child).code(), Some(129));
    until("the command's own child is gone", || is_gone(orphan.trim()));
    let journal = scene.journal();
    assert!(journal.contains("\"kind\":\"final_result\"") && journal.contains("hung_up"), "{journal}");
    assert!(scene.say(&["runs", "list"]).ended(0).out.contains("hung up"));
}

/// Under `nohup` a closed terminal does not end the run.
#[test]
fn an_ignored_hangup_stays_ignored() {
    let scene = Scene::new(|_| Reply::stall());
    let mut command = again(&scene.artoo(&["run", "--json", "How many files?"]), "nohup", &[]);
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn();
    let child = child.unwrap();
    scene.until_asked(1);
    send(&child, Signal::HUP);
    send(&child, Signal::TERM);
    wait(child).ended(143);
}

/// Without a handler, a write beyond the file size limit would kill the process with SIGXFSZ.
#[test]
fn a_limit_of_file_sizes_ends_the_run_by_an_error() {
    let scene = Scene::new(|_| Reply::stall());
    let request = "How many .txt files are in docs? ".repeat(200);
    let run = scene.artoo(&["run", "--json", &request]);
    // In blocks of 512 bytes: enough to create the journal, but not for the request.
    let mut command = again(&run, "sh", &["-c", "ulimit -f 8; exec \"$@\"", "sh"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let said = wait(command.spawn().unwrap()).ended(1);
    said.explains("the limit of file sizes is reached: ", "ulimit -f");
    assert!(said.err.contains("events.jsonl"), "{}", said.err);
    let last = said.out.lines().last().unwrap();
    assert!(last.contains("run.finished") && last.contains("\"kind\":\"storage\""), "{last}");
    assert!(scene.say(&["runs", "list"]).ended(0).out.contains("unrecorded"));
}

/// SIGKILL cannot be caught; the next artoo detects it by the lock that was released with the process.
#[test]
fn a_run_that_was_killed_is_listed_as_such() {
    let scene = Scene::new(|_| Reply::stall());
    let mut child = scene.artoo(&["run", "--json", "How many files?"]).spawn().unwrap();
    scene.until_asked(1);
    let shown = |word: &str, sentence: &str| {
        assert!(scene.say(&["runs", "list"]).ended(0).out.contains(word));
        let state = format!("\"state\":\"{word}\"");
        assert!(scene.say(&["runs", "list", "--json"]).ended(0).out.contains(&state));
        assert!(scene.say(&["runs", "show", "last"]).ended(0).out.contains(sentence));
        let lines = scene.say(&["runs", "show", "last", "--json"]).ended(0).out;
        let last = lines.lines().last().unwrap();
        assert!(last.contains("\"type\":\"run.unfinished\"") && last.contains(&state), "{last}");
        assert!(scene.say(&["runs", "explain", "last"]).ended(0).out.contains(sentence));
        assert!(scene.say(&["runs", "explain", "last", "--json"]).ended(0).out.contains(&state));
    };
    shown("running", "this run is at work");
    send(&child, Signal::KILL);
    ended(&mut child);
    shown("killed", "this run was killed: its process ended without recording an end");
}

#[test]
fn the_second_signal_leaves_at_once() {
    // The command ignores signals; the kernel kills it together with the program.
    let scene = Scene::new(model(count_plan("Wait"), |_| shell(STUBBORN)));
    let child = scene.artoo(&RUN).spawn().unwrap();
    until("the command starts", || child_file(&scene).exists());
    let orphan = std::fs::read_to_string(child_file(&scene)).unwrap();
    send(&child, Signal::INT);
    send(&child, Signal::INT);
    wait(child).ended(130);
    until("the command is gone", || is_gone(orphan.trim()));
}
