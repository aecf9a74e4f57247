//! Unix sockets of other processes: none is reached, except one that the user named.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::Path;

use artoo_sandbox::preview::preview;
use artoo_sandbox::{Capture, Ending, Network, SandboxMode};
use tokio_util::sync::CancellationToken;

use artoo_test_needs::has;

use crate::setup::{Bench, confined_bench, has_scopes, namespace_bench};

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
                    artoo_test_needs::skip(artoo_test_needs::Ability::Overlays, error);
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
