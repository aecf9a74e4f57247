//! Commands that are talked to while they run.

use std::time::Duration;

use artoo_sandbox::{Ending, Piped, SandboxMode, start};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio_util::sync::CancellationToken;

use crate::setup::{Bench, confined_bench, line_of, lives, until};

/// Reads lines and says each again, until its input ends.
const ECHO: &str = "while read line; do echo \"said $line\"; done; echo over >&2; exit 3";

/// A daemon that left everything, besides a program that does not care about its input.
const DAEMON: &str = "(env -i setsid /bin/sh -c '(/bin/sh -c \"read p _ < /proc/self/stat; echo \\$p > pid; exec /bin/sleep 300\" &)' &)
    until test -s pid; do sleep 0.01; done; echo ready; sleep 300";

async fn started(bench: &Bench, script: &str, cancel: &CancellationToken) -> Piped {
    start(&bench.invocation(script), &bench.confinement(), cancel).await.unwrap()
}

#[tokio::test]
async fn a_program_is_talked_to_and_ends_with_its_input() {
    for bench in confined_bench().into_iter().chain([Bench::new(SandboxMode::FullAccess)]) {
        let mut echo = started(&bench, ECHO, &CancellationToken::new()).await;
        let mut lines = BufReader::new(echo.stdout).lines();
        for word in ["one", "two"] {
            echo.stdin.write_all(format!("{word}\n").as_bytes()).await.unwrap();
            assert_eq!(lines.next_line().await.unwrap(), Some(format!("said {word}")));
        }
        drop(echo.stdin);
        let mut err = String::new();
        echo.stderr.read_to_string(&mut err).await.unwrap();
        let ended = echo.process.ended().await.unwrap();
        assert_eq!((ended.ending, ended.survivors, err.as_str()), (Ending::Exited(3), 0, "over\n"));
        assert_eq!(lines.next_line().await.unwrap(), None);
    }
}

#[tokio::test]
async fn it_is_confined_as_any_command() {
    let Some(bench) = confined_bench() else { return };
    let script = "echo ok > inside; echo no > \"$1/outside\"; echo \"$OPENAI_API_KEY|$TMPDIR\"; cat";
    let mut cat = started(&bench, script, &CancellationToken::new()).await;
    let mut line = String::new();
    BufReader::new(cat.stdout).read_line(&mut line).await.unwrap();
    assert_eq!(line, format!("|{}\n", bench.tmp.display()));
    assert!(bench.workspace.join("inside").exists() && !bench.outside.join("outside").exists());
    drop(cat.stdin);
    assert_eq!(cat.process.ended().await.unwrap().ending, Ending::Exited(0));
}

#[tokio::test]
async fn a_cancellation_a_limit_and_a_drop_end_the_whole_tree() {
    for way in ["cancel", "limit", "drop"] {
        for mut bench in confined_bench().into_iter().chain([Bench::new(SandboxMode::FullAccess)]) {
            bench.timeout = if way == "limit" { Duration::from_secs(2) } else { Duration::MAX };
            let cancel = CancellationToken::new();
            let mut server = started(&bench, DAEMON, &cancel).await;
            let daemon = line_of(&bench.workspace.join("pid")).await;
            match way {
                "drop" => drop(server),
                "cancel" => {
                    cancel.cancel();
                    assert_eq!(server.process.ended().await.unwrap().ending, Ending::Cancelled);
                    assert!(!lives(&daemon));
                }
                _ => {
                    assert_eq!(server.process.ended().await.unwrap().ending, Ending::TimedOut);
                    assert!(!lives(&daemon));
                }
            }
            until(|| (!lives(&daemon)).then_some(())).await;
        }
    }
}

#[tokio::test]
async fn what_cannot_be_started_is_an_error() {
    let Some(bench) = confined_bench() else { return };
    let mut invocation = bench.invocation("true");
    invocation.program = "/no such program".into();
    let error = start(&invocation, &bench.confinement(), &CancellationToken::new()).await.unwrap_err();
    assert!(error.to_string().contains("/no such program"), "{error}");
}
