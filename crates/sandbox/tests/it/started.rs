//! The environment in which a command starts, and why a command may fail to start.

use std::path::PathBuf;

use artoo_sandbox::{Ending, Gap, MINIMUM_ABI, NoConfinement, SandboxError, SandboxMode, Support, probe};
use tokio_util::sync::CancellationToken;

use crate::setup::{Bench, confined_bench};

#[tokio::test]
async fn there_is_no_input_and_no_terminal() {
    let bench = Bench::new(SandboxMode::FullAccess);
    let ran = bench.sh("cat; (: < /dev/tty) 2> /dev/null && echo terminal; read x || echo end").await;
    assert_eq!((ran.outcome.ending, ran.out().as_str()), (Ending::Exited(0), "end"));
}

#[tokio::test]
async fn the_environment_is_scrubbed() {
    let bench = Bench::new(SandboxMode::FullAccess);
    let ran = bench.sh("env").await;
    let mut names: Vec<&str> =
        std::str::from_utf8(&ran.stdout).unwrap().lines().filter_map(|l| l.split('=').next()).collect();
    names.retain(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name)); // the shell's own
    names.sort_unstable();
    assert_eq!(names, ["HOME", "LC_ALL", "PATH", "TMPDIR"]);
    assert!(!ran.out().contains("canary"));
}

#[tokio::test]
async fn a_trusted_program_gets_the_environment_as_given() {
    let ran =
        Bench::new(SandboxMode::WorkspaceWrite).unconfined("echo $OPENAI_API_KEY; echo x > \"$1/new\"").await;
    assert_eq!((ran.outcome.ending, ran.out().as_str()), (Ending::Exited(0), "sk-canary"));
}

#[tokio::test]
async fn a_signal_is_told_from_a_status() {
    let bench = Bench::new(SandboxMode::FullAccess);
    for (script, ending) in [
        ("exit 0", Ending::Exited(0)),
        ("exit 255", Ending::Exited(255)),
        ("kill -9 $$", Ending::Signaled(9)),
        ("kill -SEGV $$", Ending::Signaled(11)),
        ("no-such-program-anywhere", Ending::Exited(127)),
    ] {
        assert_eq!(bench.sh(script).await.outcome.ending, ending, "{script}");
    }
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let bench = Bench::new(SandboxMode::FullAccess);
    let mut invocation = bench.invocation("true");
    invocation.program = "no-such-program-anywhere".into();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let capture = artoo_sandbox::Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
    let error = artoo_sandbox::run(&invocation, &bench.confinement(), capture, &CancellationToken::new())
        .await
        .unwrap_err();
    assert!(matches!(error, SandboxError::Start { .. }), "{error}");
    assert!(error.to_string().contains("no-such-program-anywhere"));

    let mut bench = Bench::new(SandboxMode::FullAccess);
    bench.workspace = PathBuf::from("/nonexistent/folder");
    let Err(error) = bench.try_sh("true", &CancellationToken::new()).await else { panic!("started nowhere") };
    assert!(error.to_string().contains("/nonexistent/folder"), "{error}");
}

#[tokio::test]
async fn a_root_that_cannot_be_granted_is_an_error() {
    let Some(bench) = confined_bench() else { return };
    for root in ["/nonexistent/root", "relative", "/etc/passwd"] {
        let mut confinement = bench.confinement();
        confinement.writable.push(root.into());
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let capture = artoo_sandbox::Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
        let cancel = CancellationToken::new();
        let error =
            artoo_sandbox::run(&bench.invocation("true"), &confinement, capture, &cancel).await.unwrap_err();
        assert!(matches!(&error, SandboxError::Grant { path, .. } if path.as_os_str() == root), "{error}");
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn the_probe_agrees_with_itself() {
    let support = probe();
    assert_eq!(support, probe());
    match support {
        Support::Enforced { abi, gaps } => {
            assert!(abi >= MINIMUM_ABI);
            assert_eq!(gaps.contains(&Gap::LateSockets), abi < 9);
        }
        Support::Missing(reason) => assert_ne!(reason, NoConfinement::TooOld { abi: MINIMUM_ABI }),
    }
}
