//! The `/dev/shm` of a command's own.

use std::fs;
use std::path::Path;

use artoo_sandbox::preview::preview;
use artoo_sandbox::{Capture, Ending, SandboxMode};
use artoo_test_needs::{Ability, skip};
use tokio_util::sync::CancellationToken;

use crate::setup::{Bench, namespace_bench};

const SHARED: &str = "/dev/shm";

/// A bench, unless there is no such folder.
fn bench() -> Option<Bench> {
    namespace_bench().filter(|_| Path::new(SHARED).is_dir())
}

#[tokio::test]
async fn it_is_writable_and_gone_with_the_command() {
    let Some(mut bench) = bench() else { return };
    let name = format!("artoo-shm-{}", std::process::id());
    let theirs = tempfile::tempdir_in(SHARED).unwrap();
    for mode in [SandboxMode::ReadOnly, SandboxMode::WorkspaceWrite] {
        bench.mode = mode;
        let script = format!("ls -A {SHARED} && echo x > {SHARED}/{name} && cat {SHARED}/{name}");
        for _ in 0..2 {
            let ran = bench.sh(&script).await;
            assert_eq!(ran.out(), "x", "{mode}: it is empty at first: {}", ran.err());
        }
        assert!(!Path::new(SHARED).join(&name).exists());
    }
    assert!(theirs.path().exists());
}

#[tokio::test]
async fn it_is_bounded_and_nothing_in_it_is_executed() {
    let Some(bench) = bench() else { return };
    let ran = bench.sh(&format!("head -c 300000000 /dev/zero > {SHARED}/large")).await;
    assert!(ran.err().contains("No space left"), "{:?} {}", ran.outcome.ending, ran.err());
    let ran = bench.sh(&format!("cp /bin/true {SHARED}/run && {SHARED}/run")).await;
    assert!(ran.err().contains("ermission denied"), "{:?} {}", ran.outcome.ending, ran.err());
}

/// Where the work lies in the real one, it stays as it is.
#[tokio::test]
async fn a_folder_in_it_is_not_covered() {
    let Some(mut bench) = bench() else { return };
    let shared = tempfile::tempdir_in(SHARED).unwrap();
    let folder = shared.path().canonicalize().unwrap();
    fs::write(folder.join("mine"), "mine").unwrap();
    let grant = bench.workspace.clone();
    // It is enough that the command starts there.
    let mut invocation = bench.invocation("cat mine");
    invocation.folder = folder.clone();
    let mut out = Vec::new();
    let capture = Capture { stdout: &mut out, stderr: &mut Vec::new(), on_chunk: None };
    let cancel = CancellationToken::new();
    artoo_sandbox::run(&invocation, &bench.confinement(), capture, &cancel).await.unwrap();
    assert_eq!(out, b"mine");
    // A grant in it is another reason.
    bench.workspace = folder.clone();
    let ran = bench.sh("cat mine && echo more > more").await;
    assert_eq!((ran.outcome.ending, ran.out().as_str()), (Ending::Exited(0), "mine"), "{}", ran.err());
    assert_eq!(fs::read_to_string(folder.join("more")).unwrap(), "more\n");
    bench.workspace = grant;
}

#[tokio::test]
async fn a_preview_has_one() {
    let Some(bench) = bench() else { return };
    let store = bench.outside.join("store");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
    let script = format!("echo x > {SHARED}/y && cat {SHARED}/y && echo new > new");
    let (roots, cancel) = ([bench.workspace.clone()], CancellationToken::new());
    let confinement = bench.confinement();
    match preview(&bench.invocation(&script), &confinement, &roots, &store, capture, &cancel).await {
        Ok(preview) => {
            assert_eq!(preview.changes.iter().count(), 1, "{}", String::from_utf8_lossy(&err));
            assert_eq!(out, b"x\n");
        }
        Err(error) => skip(Ability::Overlays, error),
    }
}
