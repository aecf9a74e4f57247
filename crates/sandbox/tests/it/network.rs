//! Network sockets of confined commands.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::time::Duration;

use artoo_sandbox::{Ending, Network, SandboxMode};

use artoo_test_needs::has;

use crate::setup::{Bench, confined_bench};

/// Opens a connection with a shell that supports it.
fn dial(protocol: &str, port: u16) -> String {
    format!("bash -c 'exec 3<>/dev/{protocol}/127.0.0.1/{port} && echo hello >&3 && echo sent'")
}

#[tokio::test]
async fn nothing_is_sent_unless_it_is_granted() {
    let Some(mut bench) = confined_bench() else { return };
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let scripts =
        [dial("tcp", tcp.local_addr().unwrap().port()), dial("udp", udp.local_addr().unwrap().port())];
    for mode in [SandboxMode::ReadOnly, SandboxMode::WorkspaceWrite] {
        bench.mode = mode;
        for script in &scripts {
            let ran = bench.sh(script).await;
            assert_ne!(ran.outcome.ending, Ending::Exited(0), "{mode} let {script} pass");
            assert_eq!(ran.out(), "", "{script}");
            assert!(ran.err().contains("not permitted"), "{}", ran.err());
        }
    }
    assert!(tcp.accept().is_err(), "somebody connected");
    // The same scripts succeed once permitted: only the rule stopped them.
    bench.network = Network::Granted;
    for script in &scripts {
        let ran = bench.sh(script).await;
        assert_eq!((ran.outcome.ending, ran.out().as_str()), (Ending::Exited(0), "sent"), "{}", ran.err());
    }
    tcp.accept().unwrap();
    assert_eq!(udp.recv(&mut [0; 16]).unwrap(), 6);
}

/// Arguments of Python's `socket(family, type, protocol)`, and whether it may be created without the network
/// and with it.
const SOCKETS: [(&str, [bool; 2]); 10] = [
    ("AF_UNIX, SOCK_STREAM", [true, true]),
    ("AF_UNIX, SOCK_DGRAM", [false, false]),
    ("AF_INET, SOCK_STREAM", [false, true]),
    ("AF_INET, SOCK_DGRAM", [false, true]),
    ("AF_INET6, SOCK_STREAM", [false, true]),
    ("AF_INET, SOCK_RAW, IPPROTO_ICMP", [false, false]),
    ("AF_PACKET, SOCK_RAW, 0", [false, false]),
    ("AF_PACKET, SOCK_DGRAM, 0", [false, false]),
    ("AF_NETLINK, SOCK_RAW, 9", [false, false]), // audit
    ("AF_ALG, SOCK_SEQPACKET, 0", [false, false]),
];

#[tokio::test]
async fn raw_sockets_are_never_made() {
    let Some(mut bench) = confined_bench() else { return };
    if !has("python3") {
        return;
    }
    for (at, network) in [Network::Denied, Network::Granted].into_iter().enumerate() {
        bench.network = network;
        let tries: String = SOCKETS
            .iter()
            .map(|(arguments, _)| {
                format!(
                    "try:\n socket({arguments}); print('made')\nexcept PermissionError: print('refused')\n"
                )
            })
            .collect();
        fs::write(bench.workspace.join("try.py"), format!("from socket import *\n{tries}")).unwrap();
        let ran = bench.sh("python3 try.py").await;
        assert_eq!(ran.outcome.ending, Ending::Exited(0), "{}", ran.err());
        let expected = SOCKETS.map(|(_, may)| if may[at] { "made" } else { "refused" });
        assert_eq!(ran.out().lines().collect::<Vec<_>>(), expected, "{network}");
    }
}

#[tokio::test]
async fn the_filter_binds_the_child_alone() {
    let Some(bench) = confined_bench() else { return };
    let filtered = || -> Vec<String> {
        let tasks = fs::read_dir("/proc/self/task").unwrap();
        let status = tasks.filter_map(|task| fs::read_to_string(task.unwrap().path().join("status")).ok());
        let other = status.filter(|status| !status.contains("artoo-keeper"));
        let lines = |status: String| {
            status
                .lines()
                .filter(|line| line.starts_with("Seccomp:") || line.starts_with("NoNewPrivs:"))
                .collect::<String>()
        };
        other.map(lines).collect()
    };
    let before = filtered();
    let ran = bench.sh("grep Seccomp: /proc/self/status").await;
    assert_eq!(ran.out(), "Seccomp:\t2");
    // This process may be filtered from outside; only additional filters count.
    let after = filtered();
    assert!(after.iter().all(|line| before.contains(line)), "{before:?} became {after:?}");
    TcpListener::bind("127.0.0.1:0").unwrap();
}

#[tokio::test]
async fn full_access_does_not_ask_about_the_network() {
    let bench = Bench::new(SandboxMode::FullAccess);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let ran = bench.sh(&dial("tcp", listener.local_addr().unwrap().port())).await;
    assert_eq!(ran.out(), "sent", "{}", ran.err());
}
