//! Unix sockets of other processes: none is reached, except one that the user named.

use std::fs;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::Path;

use artoo_sandbox::preview::preview;
use artoo_sandbox::{Capture, Ending, Network, SandboxMode, Support, probe, veiled_folders};
use tokio_util::sync::CancellationToken;

use artoo_test_needs::{Ability, has, skip};

use crate::setup::{Bench, confined_bench, has_scopes, namespace_bench, networked_bench};

/// Connects to a path, or to an abstract name that begins with `@`.
fn dial(name: &str) -> String {
    let name = name.replacen('@', "\\0", 1);
    format!("python3 -c \"from socket import *; socket(AF_UNIX).connect('{name}'); print('through')\"")
}

/// Sends a datagram from one end of a pair, which is connected to the other end, to another address.
fn send_from_pair(name: &str) -> String {
    let name = name.replacen('@', "\\0", 1);
    format!(
        "python3 -c \"from socket import *; a, b = socketpair(AF_UNIX, SOCK_DGRAM); a.sendto(b'x', '{name}'); print('through')\""
    )
}

/// Listeners of this process: two in the file system, one abstract, and one for datagrams.
struct Listeners {
    named: UnixListener,
    other: UnixListener,
    hidden: UnixListener,
    datagrams: UnixDatagram,
    /// How each is reached.
    names: [String; 4],
}

impl Listeners {
    fn new(folder: &Path) -> Self {
        let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        let names = [
            path("named.sock"),
            path("other.sock"),
            format!("@artoo-sandbox{}", folder.display()),
            path("datagrams.sock"),
        ];
        let [named, other, hidden, datagrams] = &names;
        let address = SocketAddr::from_abstract_name(hidden.trim_start_matches('@')).unwrap();
        let listeners = Self {
            named: UnixListener::bind(named).unwrap(),
            other: UnixListener::bind(other).unwrap(),
            hidden: UnixListener::bind_addr(&address).unwrap(),
            datagrams: UnixDatagram::bind(datagrams).unwrap(),
            names,
        };
        for listener in [&listeners.named, &listeners.other, &listeners.hidden] {
            listener.set_nonblocking(true).unwrap();
        }
        listeners.datagrams.set_nonblocking(true).unwrap();
        listeners
    }

    /// Scripts that reach each of them where nothing stops them, in the order of [`Self::heard`].
    fn attacks(&self) -> [String; 4] {
        let [named, other, hidden, datagrams] = &self.names;
        [dial(named), dial(other), dial(hidden), send_from_pair(datagrams)]
    }

    /// Which of them somebody has reached since the last call.
    fn heard(&self) -> [bool; 4] {
        let [named, other, hidden] =
            [&self.named, &self.other, &self.hidden].map(|listener| listener.accept().is_ok());
        [named, other, hidden, self.datagrams.recv(&mut [0; 4]).is_ok()]
    }
}

#[tokio::test]
async fn sockets_of_other_processes_are_out_of_reach() {
    let Some(mut bench) = confined_bench() else { return };
    if !has("python3") {
        return;
    }
    // One set of listeners lies where the command may write.
    for place in [bench.outside.clone(), bench.workspace.clone()] {
        let listeners = Listeners::new(&place);
        for (at, attack) in listeners.attacks().iter().enumerate() {
            for network in [Network::Denied, Network::Granted] {
                for mode in [SandboxMode::ReadOnly, SandboxMode::WorkspaceWrite] {
                    (bench.network, bench.mode) = (network, mode);
                    let ran = bench.sh(attack).await;
                    assert_ne!(ran.outcome.ending, Ending::Exited(0), "{network}, {mode}: {attack}");
                    // The filter or Landlock refuses, or a cover is mounted where the socket was.
                    let is_stopped =
                        ["PermissionError", "ConnectionRefusedError"].map(|error| ran.err().contains(error));
                    assert!(is_stopped.contains(&true), "{attack}: {}", ran.err());
                }
            }
            assert_eq!(listeners.heard(), [false; 4], "{attack}");
            // The same script gets through without rules.
            let ran = Bench::new(SandboxMode::FullAccess).sh(attack).await;
            assert_eq!(ran.out(), "through", "{}", ran.err());
            assert!(listeners.heard()[at], "{attack}");
        }
    }
}

#[tokio::test]
async fn a_named_socket_is_reached_and_no_other() {
    let Some(mut bench) = namespace_bench() else { return };
    if !has("python3") || !has_scopes() {
        return;
    }
    let listeners = Listeners::new(&bench.outside);
    bench.sockets = vec![listeners.names[0].clone().into()];
    for (at, attack) in listeners.attacks().iter().enumerate() {
        for network in [Network::Denied, Network::Granted] {
            bench.network = network;
            let ran = bench.sh(attack).await;
            assert_eq!(
                ran.outcome.ending == Ending::Exited(0),
                at == 0,
                "{network}: {attack}: {}",
                ran.err()
            );
            assert_eq!(listeners.heard(), [at == 0, false, false, false], "{network}: {attack}");
        }
    }
}

#[tokio::test]
async fn a_preview_reaches_the_named_socket_and_no_other() {
    let Some(mut bench) = namespace_bench() else { return };
    if !has("python3") || !has_scopes() {
        return;
    }
    let listeners = Listeners::new(&bench.outside);
    let stores = tempfile::tempdir().unwrap();
    for named in [false, true] {
        bench.sockets = if named { vec![listeners.names[0].clone().into()] } else { Vec::new() };
        for (at, attack) in listeners.attacks().iter().enumerate() {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
            let (invocation, confinement) = (bench.invocation(attack), bench.confinement());
            let (roots, cancel) = ([bench.workspace.clone()], CancellationToken::new());
            let store = stores.path().join("store");
            match preview(&invocation, &confinement, &roots, &store, capture, &cancel).await {
                Ok(preview) => assert_eq!(
                    preview.outcome.ending == Ending::Exited(0),
                    named && at == 0,
                    "{attack}: {}",
                    String::from_utf8_lossy(&err)
                ),
                Err(error) => {
                    skip(Ability::Overlays, error);
                    return;
                }
            }
            assert_eq!(listeners.heard(), [named && at == 0, false, false, false], "{attack}");
        }
    }
}

/// A server of the command's own: it can listen in any case, and be reached where sockets can be connected.
#[tokio::test]
async fn its_own_sockets_work_where_sockets_can_be_connected() {
    let Some(mut bench) = namespace_bench() else { return };
    if !has("python3") || !has_scopes() {
        return;
    }
    for (network, expected) in [(Network::Denied, "listens\nrefused"), (Network::Granted, "listens\nreached")]
    {
        bench.network = network;
        let ran = bench
            .sh("python3 -c \"
from socket import *
import os
os.chdir(os.environ['TMPDIR'])
one = socket(AF_UNIX); one.bind('own.sock'); one.listen(); print('listens')
try: socket(AF_UNIX).connect('own.sock'); print('reached')
except PermissionError: print('refused')
os.remove('own.sock')\"")
            .await;
        assert_eq!(ran.out(), expected, "{network}: {}", ran.err());
    }
}

#[tokio::test]
async fn pairs_of_sockets_work() {
    let Some(bench) = confined_bench() else { return };
    if !has("python3") {
        return;
    }
    let ran = bench
        .sh("python3 -c \"
from socket import *
a, b = socketpair()
a.send(b'over'); print(b.recv(9).decode())\"")
        .await;
    assert_eq!(ran.out(), "over", "{}", ran.err());
}

/// Commands run while this holds: a socket that another program binds in a folder made for them is out of reach, and all
/// else there is what it was.
#[tokio::test]
async fn a_socket_that_is_bound_later_is_out_of_reach_in_a_folder_for_sockets() {
    let Some(bench) = networked_bench() else { return };
    if !has("python3") || !is_veiled(&bench.outside) {
        return;
    }
    let path = |name: &str| bench.outside.join(name);
    fs::write(path("before"), "before\n").unwrap();
    let late = path("late.sock");
    let script = "
cat \"$1/before\"; : > \"$TMPDIR/ready\"
until [ -e \"$TMPDIR/bound\" ]; do :; done
cat \"$1/after\"
python3 -c 'import sys; from socket import *; socket(AF_UNIX).connect(sys.argv[1])' \"$1/late.sock\" && echo through
echo kept > kept; stat -c %i . ";
    let [ready, is_bound] = ["ready", "bound"].map(|name| bench.tmp.join(name));
    let after = path("after");
    let other = std::thread::spawn(move || {
        while !ready.exists() {
            std::thread::yield_now();
        }
        fs::write(after, "after\n").unwrap();
        let listener = UnixListener::bind(&late).unwrap();
        listener.set_nonblocking(true).unwrap();
        fs::write(is_bound, "").unwrap();
        listener
    });
    let ran = bench.sh(script).await;
    let listener = other.join().unwrap();
    let inode = fs::metadata(&bench.workspace).unwrap().ino();
    assert_eq!(ran.out(), format!("before\nafter\n{inode}"), "{}", ran.err());
    assert!(ran.err().contains("ConnectionRefusedError"), "{}", ran.err());
    assert!(listener.accept().is_err());
    assert_eq!(fs::read_to_string(bench.workspace.join("kept")).unwrap(), "kept\n");
}

/// A server that one command leaves in the private folder is reached by the next one, wherever that folder lies, and so is
/// a socket that the user named.
#[tokio::test]
async fn sockets_of_the_run_and_named_ones_answer_in_a_folder_for_sockets() {
    let Some(mut bench) = networked_bench() else { return };
    if !has("python3") || !is_veiled(&bench.outside) {
        return;
    }
    let listeners = Listeners::new(&bench.outside);
    bench.sockets = vec![listeners.names[0].clone().into()];
    let ran = bench.sh(&dial(&listeners.names[0])).await;
    assert_eq!(ran.out(), "through", "{}", ran.err());
    assert_eq!(listeners.heard(), [true, false, false, false]);
    fs::create_dir_all(&bench.tmp).unwrap();
    let own = bench.tmp.join("own.sock");
    let listener = UnixListener::bind(&own).unwrap();
    listener.set_nonblocking(true).unwrap();
    let ran = bench.sh(&dial(own.to_str().unwrap())).await;
    assert_eq!(ran.out(), "through", "{}", ran.err());
    assert!(listener.accept().is_ok());
}

/// Whether late sockets in this folder are kept away by a veil; reports it if not.
fn is_veiled(folder: &Path) -> bool {
    let is_held_by_landlock = matches!(probe(), Support::Enforced { abi: 9.., .. });
    let is_veiled = veiled_folders().iter().any(|veiled| folder.starts_with(veiled));
    if !is_veiled && !is_held_by_landlock {
        skip(Ability::Overlays, "the folder for temporary files cannot be veiled");
    }
    is_veiled || is_held_by_landlock
}
