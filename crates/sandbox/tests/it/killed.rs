//! No process of a command survives it.

use std::time::{Duration, Instant};

use artoo_sandbox::preview::{Preview, preview};
use artoo_sandbox::{Capture, Confinement, Ending, SandboxMode};
use rustix::process::{Pid, Signal, kill_process};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::setup::{Bench, confined_bench, line_of, lives};

/// Ways to leave a process behind. Each writes the pid of the process that must die to `pid`, as this process
/// sees it: in its namespace a command has other pids, and `/proc` shows ours.
const ESCAPES: [&str; 6] = [
    "sh -c 'read p _ < /proc/self/stat; echo $p > pid; exec sleep 300' & until test -s pid; do sleep 0.01; done",
    "nohup sh -c 'read p _ < /proc/self/stat; echo $p > pid; exec sleep 300' > /dev/null 2>&1 & until test -s pid; do sleep 0.01; done",
    "setsid sh -c 'read p _ < /proc/self/stat; echo $p > pid; exec sleep 300' & until test -s pid; do sleep 0.01; done",
    // Fork twice, so that the parent is gone, too.
    "(setsid sh -c '(sh -c \"read p _ < /proc/self/stat; echo \\$p > pid; exec sleep 300\" &)' &) ; until test -s pid; do sleep 0.01; done",
    // Ignores the polite signals.
    "setsid sh -c 'trap \"\" TERM HUP INT; read p _ < /proc/self/stat; echo $p > pid; while :; do sleep 1; done' & until test -s pid; do sleep 0.01; done",
    // Stopped, so that only SIGKILL and SIGCONT reach it.
    "sh -c 'read p _ < /proc/self/stat; echo $p > pid; kill -STOP $$; sleep 300' & until test -s pid; do sleep 0.01; done",
];

/// A process that shares no group, session, parent or variable with the command.
const NAMELESS: &str = "(env -i setsid /bin/sh -c '(/bin/sh -c \"read p _ < /proc/self/stat; echo \\$p > pid; exec /bin/sleep 300\" &)' &) ; until test -s pid; do sleep 0.01; done";

/// A bench for each of the two ways to end a process tree: by its namespace, and by its first process.
fn benches() -> impl Iterator<Item = Bench> {
    confined_bench().into_iter().chain([Bench::new(SandboxMode::FullAccess)])
}

/// Tries every escape on every bench, concurrently.
async fn each<F: Future<Output = ()> + Send + 'static>(check: impl Fn(&'static str, Bench) -> F) {
    let mut tasks = JoinSet::new();
    for escape in ESCAPES {
        for bench in benches() {
            tasks.spawn(check(escape, bench));
        }
    }
    tasks.join_all().await;
}

#[tokio::test]
async fn what_is_left_in_the_background_ends_with_the_command() {
    each(|escape, bench| async move {
        let ran = bench.sh(&format!("{escape}; echo done")).await;
        assert_eq!(ran.outcome.ending, Ending::Exited(0), "{escape}: {}", ran.err());
        assert_eq!(ran.out(), "done");
        let pid = line_of(&bench.workspace.join("pid")).await;
        assert!(!lives(&pid), "{} left {pid} of {escape}", bench.mode);
        assert_eq!(ran.outcome.survivors, 0, "{escape}");
        assert!(ran.outcome.drained, "{escape}");
    })
    .await;
}

#[tokio::test]
async fn a_daemon_without_any_mark_ends_with_its_command() {
    for bench in benches() {
        let ran = bench.sh(NAMELESS).await;
        let pid = line_of(&bench.workspace.join("pid")).await;
        assert!(!lives(&pid), "{pid} lives in {}", bench.mode);
        assert_eq!(ran.outcome.survivors, 0);
    }
}

#[tokio::test]
async fn a_time_out_kills_the_whole_tree() {
    each(|escape, mut bench| async move {
        // Long enough for the escape, even on a busy machine.
        bench.timeout = Duration::from_secs(2);
        let ran = bench.sh(&format!("trap '' TERM; {escape}; while :; do sleep 60; done")).await;
        assert_eq!(ran.outcome.ending, Ending::TimedOut, "{escape}");
        let pid = line_of(&bench.workspace.join("pid")).await;
        assert!(!lives(&pid), "{} left {pid} of {escape}", bench.mode);
        assert_eq!(ran.outcome.survivors, 0);
    })
    .await;
}

/// Lesson N15: a child that held the pipe ran on for its own 38 seconds.
#[tokio::test]
async fn cancelling_does_not_wait_for_the_command() {
    for bench in benches() {
        let cancel = CancellationToken::new();
        let begin = Instant::now();
        let (ran, ()) = tokio::join!(
            bench.try_sh("read p _ < /proc/self/stat; echo $p > pid; sleep 300; sleep 300", &cancel),
            async {
                line_of(&bench.workspace.join("pid")).await;
                cancel.cancel();
            }
        );
        assert_eq!(ran.unwrap().outcome.ending, Ending::Cancelled);
        assert!(!lives(&line_of(&bench.workspace.join("pid")).await));
        assert!(begin.elapsed() < Duration::from_secs(100), "waited for the sleep");
    }
}

#[tokio::test]
async fn a_cancelled_token_starts_nothing() {
    for bench in benches() {
        let cancel = CancellationToken::new();
        cancel.cancel();
        let ran = bench.try_sh("echo x > ran", &cancel).await.unwrap();
        assert_eq!(ran.outcome.ending, Ending::Cancelled);
        assert!(!bench.workspace.join("ran").exists());
    }
}

#[tokio::test]
async fn a_dropped_future_kills_the_tree() {
    for bench in benches() {
        let cancel = CancellationToken::new();
        let script = "setsid sh -c 'read p _ < /proc/self/stat; echo $p > daemon; exec sleep 300' & read p _ < /proc/self/stat; echo $p > pid; sleep 300";
        let (first, daemon) = tokio::select! {
            _ = bench.try_sh(script, &cancel) => panic!("it ended"),
            pids = async { (line_of(&bench.workspace.join("pid")).await, line_of(&bench.workspace.join("daemon")).await) } => pids,
        };
        crate::setup::until(|| (!lives(&first) && !lives(&daemon)).then_some(())).await;
    }
}

#[tokio::test]
async fn two_commands_at_once_do_not_touch_each_other() {
    for (one, two) in benches().zip(benches()) {
        let long = async {
            let ran = one.sh("setsid sh -c 'read p _ < /proc/self/stat; echo $p > pid; exec sleep 300' & until test -e go; do sleep 0.02; done; cat pid").await;
            assert_eq!(ran.outcome.ending, Ending::Exited(0));
        };
        let short = async {
            let pid = line_of(&one.workspace.join("pid")).await;
            for _ in 0..3 {
                two.sh("setsid sleep 300 & sleep 300 &").await;
                assert!(lives(&pid), "another command's daemon was killed");
            }
            std::fs::write(one.workspace.join("go"), "").unwrap();
        };
        tokio::join!(long, short);
    }
}

/// Background processes that must die with artoo: a child, a daemon without any mark, and one that ignores
/// signals.
const DAEMONS: &str = "
    note() { read p _ < /proc/self/stat; echo $p > \"$to/$1\"; }
    (env -i to=\"$to\" setsid /bin/sh -c '(/bin/sh -c \"read p _ < /proc/self/stat; echo \\$p > $to/daemon; exec /bin/sleep 300\" &)' &)
    to=\"$to\" setsid sh -c 'trap \"\" TERM HUP INT QUIT; read p _ < /proc/self/stat; echo $p > $to/deaf; while :; do sleep 1; done' &
    until test -s \"$to/daemon\" && test -s \"$to/deaf\"; do sleep 0.01; done
    note first; exec sleep 300";

/// The folder to which the commands write their pids.
const NOTES: &str = "notes";

/// Not a test by itself: the program that the next test kills.
#[tokio::test]
#[ignore = "started by when_artoo_dies_every_process_of_its_commands_does"]
async fn unconfined_artoo_to_be_killed() {
    let folder = std::env::current_dir().unwrap().join(NOTES);
    Bench::new(SandboxMode::FullAccess).sh(&format!("to={}; {DAEMONS}", folder.display())).await;
}

/// The same with a confined command.
#[tokio::test]
#[ignore = "started by when_artoo_dies_every_process_of_its_commands_does"]
async fn confined_artoo_to_be_killed() {
    let mut bench = Bench::new(SandboxMode::WorkspaceWrite);
    bench.workspace = std::env::current_dir().unwrap().join(NOTES);
    bench.sh(&format!("to={}; {DAEMONS}", bench.workspace.display())).await;
}

/// The same with a preview.
#[tokio::test]
#[ignore = "started by when_artoo_dies_every_process_of_its_commands_does"]
async fn previewing_artoo_to_be_killed() {
    let bench = Bench::new(SandboxMode::WorkspaceWrite);
    // What is written there is not part of the preview.
    let tmp = std::env::current_dir().unwrap().join(NOTES);
    let confinement = Confinement { private_tmp: tmp, ..bench.confinement() };
    let roots = [bench.workspace.clone()];
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
    let invocation = bench.invocation(&format!("to=$TMPDIR; {DAEMONS}"));
    let store = bench.outside.join("store");
    let cancel = CancellationToken::new();
    preview(&invocation, &confinement, &roots, &store, capture, &cancel).await.unwrap();
}

/// The same with a program that is talked to.
#[tokio::test]
#[ignore = "started by when_artoo_dies_every_process_of_its_commands_does"]
async fn talking_artoo_to_be_killed() {
    let mut bench = Bench::new(SandboxMode::WorkspaceWrite);
    bench.workspace = std::env::current_dir().unwrap().join(NOTES);
    let invocation = bench.invocation(&format!("to={}; {DAEMONS}", bench.workspace.display()));
    let cancel = CancellationToken::new();
    let mut server = artoo_sandbox::start(&invocation, &bench.confinement(), &cancel).await.unwrap();
    server.process.ended().await.unwrap();
}

/// Every signal that ends a program without a handler, and SIGKILL.
const DEADLY: [Signal; 5] = [Signal::KILL, Signal::HUP, Signal::QUIT, Signal::TERM, Signal::ABORT];

#[tokio::test]
async fn when_artoo_dies_every_process_of_its_commands_does() {
    let mut artoos = vec!["unconfined_artoo_to_be_killed"];
    if confined_bench().is_some() {
        artoos.extend(["confined_artoo_to_be_killed", "talking_artoo_to_be_killed"]);
    }
    let place = tempfile::tempdir().unwrap();
    match Preview::supported(place.path()) {
        Ok(()) => artoos.push("previewing_artoo_to_be_killed"),
        Err(reason) => {
            artoo_test_needs::skip(artoo_test_needs::Ability::Overlays, reason);
        }
    }
    let mut tasks = JoinSet::new();
    for artoo in artoos {
        for signal in DEADLY {
            tasks.spawn(when_it_dies_its_command_does(artoo, signal));
        }
    }
    tasks.join_all().await;
}

async fn when_it_dies_its_command_does(name: &'static str, signal: Signal) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let notes = path.join(NOTES);
    std::fs::create_dir(&notes).unwrap();
    #[expect(clippy::disallowed_methods, reason = "a second artoo")]
    let mut artoo = std::process::Command::new("env")
        // The test runner may ignore signals, and its children inherit that.
        .arg("--default-signal")
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", &format!("killed::{name}")])
        .current_dir(&path)
        .env("TMPDIR", &path) // it cannot clean up after itself
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    line_of(&notes.join("first")).await;
    let mut pids = Vec::new();
    for name in ["first", "daemon", "deaf"] {
        pids.push(line_of(&notes.join(name)).await);
    }
    let dead: Vec<&String> = pids.iter().filter(|pid| !lives(pid)).collect();
    assert!(dead.is_empty(), "{name}: {dead:?} of {pids:?} were dead before it was");
    kill_process(Pid::from_child(&artoo), signal).unwrap();
    tokio::task::spawn_blocking(move || artoo.wait().unwrap()).await.unwrap();
    crate::setup::until(|| (!pids.iter().any(|pid| lives(pid))).then_some(())).await;
}
