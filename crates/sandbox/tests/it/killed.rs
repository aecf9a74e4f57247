//! That nothing of a command survives it.

use std::time::{Duration, Instant};

use artoo_sandbox::preview::{Preview, preview};
use artoo_sandbox::{Capture, Confinement, Ending, SandboxMode};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::bench::{Bench, confined_bench, line_of, lives};

/// Ways to leave a process behind. Each writes the number of the process that must die to `pid`.
const ESCAPES: [&str; 6] = [
    "sleep 300 & echo $! > pid",
    "nohup sleep 300 > /dev/null 2>&1 & echo $! > pid",
    "setsid sh -c 'echo $$ > pid; exec sleep 300' & until test -s pid; do sleep 0.01; done",
    // Fork twice, so that the parent is gone as well.
    "(setsid sh -c '(sh -c \"echo \\$\\$ > pid; exec sleep 300\" &)' &) ; until test -s pid; do sleep 0.01; done",
    // Deaf to the polite signal.
    "setsid sh -c 'trap \"\" TERM HUP INT; echo $$ > pid; while :; do sleep 1; done' & until test -s pid; do sleep 0.01; done",
    // Stopped, so that no signal but SIGKILL and SIGCONT reaches it.
    "sh -c 'echo $$ > pid; kill -STOP $$; sleep 300' & until test -s pid; do sleep 0.01; done",
];

/// Only its domain gives this one away: no group, session, parent or variable of the command.
const NAMELESS: &str = "(env -i setsid /bin/sh -c '(/bin/sh -c \"echo \\$\\$ > pid; exec /bin/sleep 300\" &)' &) ; until test -s pid; do sleep 0.01; done";

/// A bench for each of the two ways to recognise a tree: by its domain, and by its marks.
fn benches() -> impl Iterator<Item = Bench> {
    confined_bench().into_iter().chain([Bench::new(SandboxMode::FullAccess)])
}

/// Tries every escape on every bench at once.
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
        assert!(ran.outcome.leftovers >= 1, "{escape}");
        assert_eq!(ran.outcome.survivors, 0, "{escape}");
        assert!(ran.outcome.drained, "{escape}");
    })
    .await;
}

#[tokio::test]
async fn a_daemon_without_any_mark_cannot_leave_the_domain() {
    let Some(bench) = confined_bench() else { return };
    let ran = bench.sh(NAMELESS).await;
    let pid = line_of(&bench.workspace.join("pid")).await;
    assert!(!lives(&pid), "{pid} lives");
    assert_eq!((ran.outcome.leftovers >= 1, ran.outcome.survivors), (true, 0));
}

#[tokio::test]
async fn a_time_out_kills_the_whole_tree() {
    each(|escape, mut bench| async move {
        // Long enough for the escape, on a busy machine too.
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
        let (ran, ()) = tokio::join!(bench.try_sh("echo $$ > pid; sleep 300; sleep 300", &cancel), async {
            line_of(&bench.workspace.join("pid")).await;
            cancel.cancel();
        });
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
        let script = "setsid sh -c 'echo $$ > daemon; exec sleep 300' & echo $$ > pid; sleep 300";
        let (first, daemon) = tokio::select! {
            _ = bench.try_sh(script, &cancel) => panic!("it ended"),
            pids = async { (line_of(&bench.workspace.join("pid")).await, line_of(&bench.workspace.join("daemon")).await) } => pids,
        };
        crate::bench::until(|| (!lives(&first) && !lives(&daemon)).then_some(())).await;
    }
}

#[tokio::test]
async fn two_commands_at_once_do_not_touch_each_other() {
    for (one, two) in benches().zip(benches()) {
        let long = async {
            let ran = one.sh("setsid sh -c 'echo $$ > pid; exec sleep 300' & until test -e go; do sleep 0.02; done; cat pid").await;
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

/// Not a test by itself: the program that the next test kills.
#[tokio::test]
#[ignore = "started by when_artoo_is_killed_its_command_is"]
async fn artoo_to_be_killed() {
    let mut bench = Bench::new(SandboxMode::FullAccess);
    bench.outside = std::env::current_dir().unwrap();
    bench.sh("echo $$ > \"$1/pid\"; exec sleep 300").await;
}

/// The same with a preview.
#[tokio::test]
#[ignore = "started by when_artoo_is_killed_its_command_is"]
async fn previewing_artoo_to_be_killed() {
    let bench = Bench::new(SandboxMode::WorkspaceWrite);
    // What is written there is no part of the preview.
    let tmp = std::env::current_dir().unwrap().join("private");
    let confinement = Confinement { private_tmp: tmp, ..bench.confinement() };
    let roots = [bench.workspace.clone()];
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
    let invocation = bench.invocation("echo $$ > $TMPDIR/pid; exec sleep 300");
    let store = bench.outside.join("store");
    let cancel = CancellationToken::new();
    preview(&invocation, &confinement, &roots, &store, capture, &cancel).await.unwrap();
}

#[tokio::test]
async fn when_artoo_is_killed_its_command_is() {
    when_killed_its_command_is("artoo_to_be_killed", "pid").await;
    let place = tempfile::tempdir().unwrap();
    if let Err(reason) = Preview::supported(place.path()) {
        eprintln!("\n*** SKIPPED: a part of this test needs previews, and {reason} ***\n");
        return;
    }
    when_killed_its_command_is("previewing_artoo_to_be_killed", "private/pid").await;
}

/// `pid` is where the command writes its number.
async fn when_killed_its_command_is(artoo: &str, pid: &str) {
    let folder = tempfile::tempdir().unwrap();
    #[expect(clippy::disallowed_methods, reason = "a second artoo")]
    let mut artoo = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", &format!("killed::{artoo}")])
        .current_dir(folder.path())
        .env("TMPDIR", folder.path()) // it cannot clean up after itself
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let pid = line_of(&folder.path().join(pid)).await;
    assert!(lives(&pid));
    artoo.kill().unwrap();
    artoo.wait().unwrap();
    crate::bench::until(|| (!lives(&pid)).then_some(())).await;
}
