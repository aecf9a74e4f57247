//! Output of commands.

use std::io;
use std::sync::Mutex;
use std::time::Duration;

use artoo_sandbox::{Capture, Channel, Ending, SandboxMode, run};
use tokio_util::sync::CancellationToken;

use crate::setup::Bench;

fn bench() -> Bench {
    Bench::new(SandboxMode::FullAccess)
}

#[tokio::test]
async fn the_streams_are_kept_apart_and_whole() {
    let ran = bench().sh("echo out; echo err >&2; printf '\\377\\376\\000x'; exit 3").await;
    assert_eq!(ran.outcome.ending, Ending::Exited(3));
    assert_eq!(ran.stdout, b"out\n\xff\xfe\0x");
    assert_eq!(ran.stderr, b"err\n");
    assert_eq!(
        (ran.outcome.stdout.total, ran.outcome.stdout.kept, ran.outcome.stdout.truncated()),
        (8, 8, false)
    );
    assert_eq!(ran.outcome.stderr.total, 4);
}

#[tokio::test]
async fn a_cap_keeps_the_beginning_and_counts_the_rest() {
    let mut bench = bench();
    bench.keep = 1000;
    let ran = bench.sh("head -c 300000 /dev/zero; head -c 1000 /dev/zero >&2").await;
    assert_eq!(ran.outcome.ending, Ending::Exited(0));
    assert_eq!(ran.stdout.len(), 1000);
    assert_eq!(
        (ran.outcome.stdout.total, ran.outcome.stdout.kept, ran.outcome.stdout.truncated()),
        (300_000, 1000, true)
    );
    assert!(!ran.outcome.stderr.truncated());
}

#[tokio::test]
async fn a_flood_is_read_until_the_time_out() {
    let mut bench = bench();
    bench.keep = 4096;
    bench.timeout = Duration::from_millis(300);
    let ran = bench.sh("yes").await;
    assert_eq!(ran.outcome.ending, Ending::TimedOut);
    assert_eq!(ran.stdout.len(), 4096);
    assert!(ran.outcome.stdout.total > 100_000, "only {} bytes", ran.outcome.stdout.total);
}

#[tokio::test]
async fn chunks_are_shown_while_the_command_runs() {
    let bench = bench();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let seen = Mutex::new(Vec::new());
    let show = |channel: Channel, bytes: &[u8]| {
        seen.lock().unwrap().push((channel, bytes.to_vec()));
        // The command continues only after its first line was shown.
        std::fs::write(bench.workspace.join("go"), "").unwrap();
    };
    let capture = Capture { stdout: &mut stdout, stderr: &mut stderr, on_chunk: Some(&show) };
    let script = "echo first; until test -e go; do sleep 0.01; done; echo second >&2";
    let outcome = run(&bench.invocation(script), &bench.confinement(), capture, &CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert_eq!(
        seen.into_inner().unwrap(),
        [(Channel::Stdout, b"first\n".to_vec()), (Channel::Stderr, b"second\n".to_vec())]
    );
}

/// A writer that fails like a full disk.
struct Full;

impl io::Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_full_disk_does_not_hold_the_command_up() {
    let bench = bench();
    let (mut stdout, mut stderr) = (Full, Vec::new());
    let capture = Capture { stdout: &mut stdout, stderr: &mut stderr, on_chunk: None };
    let invocation = bench.invocation("head -c 300000 /dev/zero; echo fine >&2");
    let outcome = run(&invocation, &bench.confinement(), capture, &CancellationToken::new()).await.unwrap();
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert_eq!((outcome.stdout.total, outcome.stdout.kept), (300_000, 0));
    assert_eq!(outcome.stdout.write_error.unwrap().kind(), io::ErrorKind::StorageFull);
    assert_eq!(stderr, b"fine\n");
}
