//! No process of a server survives artoo, whatever happens to artoo.

use artoo_mcp::ServerTable;
use rustix::process::{Pid, Signal, kill_process};

use crate::setup::{processes, scene, until};

/// Not a test by itself: the program that the next test kills.
#[tokio::test]
#[ignore = "started by when_artoo_is_killed_its_servers_are_gone"]
async fn artoo_to_be_killed() {
    let mut scene = scene().unwrap();
    scene.mark = std::fs::read_to_string("mark").unwrap();
    let server = scene.start("forks", ServerTable::default()).await.unwrap();
    std::fs::write("started", "").unwrap();
    let () = std::future::pending().await;
    drop(server);
}

#[tokio::test]
async fn when_artoo_is_killed_its_servers_are_gone() {
    if scene().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("killed-{}", std::process::id());
    std::fs::write(folder.path().join("mark"), &mark).unwrap();
    #[expect(clippy::disallowed_methods, reason = "a second artoo")]
    let mut artoo = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "killed::artoo_to_be_killed"])
        .current_dir(folder.path())
        .env("TMPDIR", folder.path()) // it cannot clean up after itself
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    until(|| folder.path().join("started").exists().then_some(())).await;
    assert!(processes(&mark).len() >= 2, "a server and its daemon");
    kill_process(Pid::from_child(&artoo), Signal::KILL).unwrap();
    tokio::task::spawn_blocking(move || artoo.wait().unwrap()).await.unwrap();
    until(|| processes(&mark).is_empty().then_some(())).await;
}
