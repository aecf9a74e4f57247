//! What a previewed command cannot do, because nobody has consented yet.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use tokio_util::sync::CancellationToken;

use super::super::{Preview, PreviewError};
use super::setup::{Place, place};
use crate::{Ending, Network, ResourceLimits, SandboxMode};

async fn fails(place: &Place, script: &str) {
    let (preview, said) = place.said(script.as_bytes(), &CancellationToken::new()).await.unwrap();
    assert_ne!(preview.outcome.ending, Ending::Exited(0), "{script} was allowed: {said}");
}

/// Including modes and times, which Landlock does not cover.
#[tokio::test]
async fn nothing_outside_changes_in_any_mode() {
    for mode in [SandboxMode::WorkspaceWrite, SandboxMode::FullAccess] {
        let Some(mut place) = place() else { return };
        place.mode = mode;
        let precious = place.outside.join("precious");
        fs::write(&precious, "precious").unwrap();
        fs::set_permissions(&precious, fs::Permissions::from_mode(0o640)).unwrap();
        let seen = |path: &PathBuf| {
            fs::metadata(path).map(|found| (found.mode(), found.mtime(), found.ctime_nsec())).unwrap()
        };
        let before = (seen(&precious), seen(&place.outside));
        for script in [
            r#"echo x > "$1/new""#,
            r#"echo x > "$1/precious""#,
            r#"rm -f "$1/precious"; test ! -e "$1/precious""#,
            r#"mv "$1/precious" ."#,
            r#"ln "$1/precious" mine"#,
            r#"chmod 600 "$1/precious""#,
            r#"chmod 700 "$1""#,
            r#"touch -d @1 "$1/precious""#,
            r#"touch -d @1 "$1""#,
            r#"ln -s "$1" $TMPDIR/door; echo x > $TMPDIR/door/precious"#,
            r#"chmod 777 /etc/passwd"#,
            r#"chmod 700 ../store*"#,
            r#"echo x > ../store*/preview*/0-upper/x"#,
            r#"cd ../store*/preview*/0-upper && echo x > x"#,
        ] {
            fails(&place, script).await;
            assert_eq!((seen(&precious), seen(&place.outside)), before, "{script}");
        }
        assert_eq!(fs::read(&precious).unwrap(), b"precious");
    }
}

#[tokio::test]
async fn nobody_is_reached_unless_the_network_is_granted() {
    let Some(mut place) = place() else { return };
    if !artoo_test_needs::has("python3") {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let socket = place.home().join("socket");
    let service = UnixListener::bind(&socket).unwrap();
    service.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let python = |code: &str| format!("python3 -c \"from socket import *; {code}\"");
    let connect = format!("socket(AF_INET).connect(('127.0.0.1', {port}))");
    for code in [
        connect.as_str(),
        &format!("socket(AF_UNIX).connect('{}')", socket.display()),
        "socket(AF_INET, SOCK_DGRAM)",
        "socket(AF_NETLINK, SOCK_RAW)",
    ] {
        fails(&place, &python(code)).await;
    }
    assert!(listener.accept().is_err() && service.accept().is_err(), "somebody connected");
    place.sh(&python("socketpair()")).await;
    place.network = Network::Granted;
    let preview = place.sh(&python(&connect)).await;
    assert_eq!(preview.outcome.ending, Ending::Exited(0));
    assert!(listener.accept().is_ok());
}

#[tokio::test]
async fn it_makes_no_world_of_its_own_and_has_no_secrets() {
    let Some(place) = place() else { return };
    for script in [
        "unshare -m true",
        "unshare -U true",
        "mount -t tmpfs none .",
        "umount .",
        "test -n \"$OPENAI_API_KEY\"",
    ] {
        fails(&place, script).await;
    }
    let (_, said) = place
        .said(
            b"grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status; id -u; ulimit -c",
            &CancellationToken::new(),
        )
        .await
        .unwrap();
    let user = rustix::process::geteuid().as_raw();
    assert_eq!(said, format!("NoNewPrivs:\t1\nSeccomp:\t2\n{user}\n0"));
}

#[tokio::test]
async fn its_limits_are_those_of_every_command() {
    let Some(mut place) = place() else { return };
    place.sh("echo x > /dev/null; : < /dev/zero; cat /dev/null > empty").await;
    place.limits = ResourceLimits { file_bytes: 1024 * 1024, processes: 40, ..ResourceLimits::default() };
    fails(&place, "head -c 4000000 /dev/zero > big").await;
    let crowd = format!("{} wait", "sleep 60 & ".repeat(120));
    let preview = place.try_sh(&crowd).await.unwrap();
    assert_eq!((preview.outcome.ending, preview.outcome.survivors), (Ending::Crowded, 0));
}

/// As [`crate::run()`] does.
#[tokio::test]
async fn no_process_outlives_it() {
    let Some(place) = place() else { return };
    let script = "(env -i setsid /bin/sh -c '(/bin/sh -c \"read p _ < /proc/self/stat; echo \\$p > pid; exec /bin/sleep 300\" &)' &) ; until test -s pid; do sleep 0.01; done; cat pid";
    let (preview, pid) = place.said(script.as_bytes(), &CancellationToken::new()).await.unwrap();
    assert_eq!(preview.outcome.survivors, 0);
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let ended =
        stat.is_empty() || stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with(['Z', 'X']);
    assert!(ended, "{stat}");
}

#[tokio::test]
async fn the_private_folder_is_the_real_one() {
    let Some(mut place) = place() else { return };
    let preview = place.sh("echo x > $TMPDIR/kept").await;
    assert!(preview.changes.is_empty());
    assert_eq!(fs::read(place.tmp.join("kept")).unwrap(), b"x\n");
    drop(preview);
    // Also inside a root, and inside a hidden place.
    place.tmp = place.path("tmp");
    let preview = place.sh("echo x > $TMPDIR/kept").await;
    assert!(preview.changes.is_empty());
    assert_eq!(fs::read(place.tmp.join("kept")).unwrap(), b"x\n");
}

#[tokio::test]
async fn where_no_layer_can_lie_there_is_no_preview() {
    let Some(mut place) = place() else { return };
    let fine = place.roots.clone();
    let refused = |result: Result<Preview, PreviewError>| result.err().map(|error| error.to_string());
    let store = place.store.clone();
    place.store = place.path("store");
    let said = refused(place.try_sh("true").await).unwrap();
    assert!(said.contains("its store"), "{said}");
    place.store = place.tmp.join("store");
    assert!(matches!(place.try_sh("true").await, Err(PreviewError::StoreWithin { .. })));
    place.store = store;
    for (root, expected) in
        [("/", "its store"), ("relative", "no preview for relative"), ("/nonexistent", "/nonexistent")]
    {
        place.roots = vec![root.into()];
        let said = refused(place.try_sh("true").await).unwrap();
        assert!(said.contains(expected), "{root}: {said}");
    }
    place.roots = fine;
    place.mode = SandboxMode::ReadOnly;
    assert!(matches!(place.try_sh("true").await, Err(PreviewError::ReadOnly)));
    place.mode = SandboxMode::WorkspaceWrite;
    place.root = place.path("missing");
    assert!(matches!(place.try_sh("true").await, Err(PreviewError::Sandbox(_))));
    assert!(place.store_is_empty());
}
