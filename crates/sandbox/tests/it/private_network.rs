//! The network of a run's own: its commands reach each other and nobody else.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use artoo_sandbox::preview::preview;
use artoo_sandbox::{Capture, Ending, Network, SandboxMode};
use artoo_test_needs::{Ability, has, skip};
use tokio_util::sync::CancellationToken;

use crate::setup::{Bench, line_of, networked_bench};

/// A server of a command: at a port of both loopback addresses, at a path, and at an abstract name. It answers
/// each connection with a word.
const SERVER: &str = r#"
import os, select, socket
def listening(family, address):
    one = socket.socket(family); one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind(address); one.listen(); return one
ends = [listening(socket.AF_INET, ('127.0.0.1', 4321)), listening(socket.AF_UNIX, os.environ['TMPDIR'] + '/s.sock'),
        listening(socket.AF_UNIX, '\0of-the-run')]
if os.path.exists('/proc/net/if_inet6'): ends.append(listening(socket.AF_INET6, ('::1', 4321)))
with open(os.environ['TMPDIR'] + '/ready', 'w') as ready: ready.write('yes\n')
while True:
    for end in select.select(ends, [], [])[0]:
        one = end.accept()[0]; one.sendall(b'answer'); one.close()
"#;

/// Asks it in each way, and prints what came.
const CLIENT: &str = r#"
import os, socket
def ask(what, family, address):
    try:
        one = socket.socket(family); one.settimeout(10); one.connect(address); print(what, one.recv(9).decode())
    except OSError as error: print(what, type(error).__name__)
ask('v4', socket.AF_INET, ('127.0.0.1', 4321))
ask('path', socket.AF_UNIX, os.environ['TMPDIR'] + '/s.sock')
ask('abstract', socket.AF_UNIX, '\0of-the-run')
if os.path.exists('/proc/net/if_inet6'): ask('v6', socket.AF_INET6, ('::1', 4321))
"#;

fn python(program: &str) -> String {
    format!("python3 - <<'END'\n{program}\nEND")
}

fn bench() -> Option<Bench> {
    networked_bench().filter(|_| has("python3"))
}

/// Every answer that there is.
fn all_answered(out: &str) -> bool {
    out.lines().count() >= 3 && out.lines().all(|line| line.ends_with(" answer"))
}

/// Runs `meanwhile` while the server of this bench listens.
async fn served<T>(bench: &Bench, meanwhile: impl Future<Output = T>) -> T {
    let (script, cancel) = (python(SERVER), CancellationToken::new());
    let server = bench.try_sh(&script, &cancel);
    let asking = async {
        line_of(&bench.tmp.join("ready")).await;
        let came = meanwhile.await;
        cancel.cancel();
        came
    };
    let (served, came) = tokio::join!(server, asking);
    assert_eq!(served.unwrap().outcome.ending, Ending::Cancelled);
    came
}

#[tokio::test]
async fn commands_of_a_run_reach_each_other_by_port_by_path_and_by_abstract_name() {
    let Some(mut bench) = bench() else { return };
    bench.mode = SandboxMode::ReadOnly;
    let ran = served(&bench, bench.sh(&python(CLIENT))).await;
    assert!(all_answered(&ran.out()), "{} {}", ran.out(), ran.err());
}

#[tokio::test]
async fn a_preview_is_in_the_network_of_its_run() {
    let Some(bench) = bench() else { return };
    let store = bench.outside.join("store");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let asked = async {
        let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
        let (roots, cancel) = ([bench.workspace.clone()], CancellationToken::new());
        let (invocation, confinement) = (bench.invocation(&python(CLIENT)), bench.confinement());
        preview(&invocation, &confinement, &roots, &store, capture, &cancel).await
    };
    if let Err(error) = served(&bench, asked).await {
        return skip(Ability::Overlays, error);
    }
    let out = String::from_utf8_lossy(&out);
    assert!(all_answered(&out), "{out} {}", String::from_utf8_lossy(&err));
}

/// The same addresses mean something else in each run.
#[tokio::test]
async fn two_runs_do_not_see_each_other() {
    let (Some(one), Some(mut other)) = (bench(), bench()) else { return };
    served(&one, async {
        let ran = other.sh(&python(CLIENT)).await;
        assert!(!ran.out().contains("answer") && ran.out().contains("v4 ConnectionRefused"), "{}", ran.out());
        // Both listen at the same port.
        let ran = served(&other, other.sh(&python(CLIENT))).await;
        assert!(all_answered(&ran.out()), "{}", ran.out());
        // Without the network of the run, nothing is connected.
        other.own_network = None;
        assert!(other.sh(&python(CLIENT)).await.out().contains("v4 PermissionError"));
    })
    .await;
}

#[tokio::test]
async fn what_listens_on_the_machine_is_out_of_reach() {
    let Some(mut bench) = bench() else { return };
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let any = TcpListener::bind("0.0.0.0:0").unwrap();
    let name = format!("artoo-of-the-machine-{}", std::process::id());
    let hidden = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let by_path = bench.outside.join("s.sock");
    let path = UnixListener::bind(&by_path).unwrap();
    let in_the_way = bench.workspace.join("s.sock");
    let also = UnixListener::bind(&in_the_way).unwrap();
    for end in [&hidden, &path, &also] {
        end.set_nonblocking(true).unwrap();
    }
    for end in [&tcp, &any] {
        end.set_nonblocking(true).unwrap();
    }
    udp.set_nonblocking(true).unwrap();
    let [tcp_port, any_port] = [&tcp, &any].map(|end| end.local_addr().unwrap().port());
    let attack = format!(
        "from socket import *
import os, socket
def ask(family, address, kind=SOCK_STREAM):
    try:
        one = socket.socket(family, kind); one.settimeout(10)
        one.connect(address); one.send(b'x'); print('through', address)
    except OSError: pass
ask(AF_INET, ('127.0.0.1', {tcp_port})); ask(AF_INET6, ('::ffff:127.0.0.1', {tcp_port}))
ask(AF_INET, ('localhost', {any_port})); ask(AF_INET, ('0.0.0.0', {any_port}))
ask(AF_UNIX, '\\0{name}'); ask(AF_UNIX, '{}'); ask(AF_UNIX, '{}')
for at, way in (('{}', 'link'), ('{}', 'symlink')):
    there = os.environ['TMPDIR'] + '/' + way
    try: getattr(os, way)(at, there); ask(AF_UNIX, there)
    except OSError: pass
udp = socket.socket(AF_INET, SOCK_DGRAM)
try: udp.sendto(b'x', ('127.0.0.1', {}))
except OSError: pass",
        by_path.display(),
        in_the_way.display(),
        in_the_way.display(),
        by_path.display(),
        udp.local_addr().unwrap().port(),
    );
    for mode in [SandboxMode::ReadOnly, SandboxMode::WorkspaceWrite] {
        bench.mode = mode;
        let ran = bench.sh(&python(&attack)).await;
        assert_eq!(ran.out(), "", "{mode}: {}", ran.err());
        fs::read_dir(&bench.tmp).unwrap().for_each(|entry| fs::remove_file(entry.unwrap().path()).unwrap());
    }
    assert!(tcp.accept().is_err() && any.accept().is_err() && udp.recv(&mut [0; 4]).is_err());
    assert!([&hidden, &path, &also].into_iter().all(|end| end.accept().is_err()));
    // A grant of the machine's network outweighs the run's own.
    bench.network = Network::Granted;
    let ran = bench.sh(&python(&attack)).await;
    assert!(ran.out().contains("through"), "{}", ran.err());
    assert!(tcp.accept().is_ok() && udp.recv(&mut [0; 4]).is_ok());
    assert!([&hidden, &path, &also].into_iter().all(|end| end.accept().is_err()));
}

/// A socket of somebody else stays out of reach when it, or the folders above it, are moved, replaced or mounted on: in the
/// command that does it, and in those after it.
#[tokio::test]
async fn no_cover_of_a_socket_is_lifted() {
    let Some(bench) = bench() else { return };
    let dial = python("import socket; socket.socket(socket.AF_UNIX).connect('s.sock'); print('through')");
    for (number, script) in [
        "cd b",
        "mv b c && cd c",
        "mv b c && mv c d && cd d",
        "mkdir e && mount --bind b e; cd e || cd b",
        "mount -t tmpfs none b; umount b/s.sock; umount -l b/s.sock; cd b",
        "ln b/s.sock f.sock; mv b/s.sock g.sock; ln -s f.sock s.sock; test -e f.sock || cd b",
        "cp -a b h; cd h",
        "cd /proc/self/cwd/b",
    ]
    .into_iter()
    .enumerate()
    {
        let folder = bench.workspace.join(number.to_string());
        fs::create_dir_all(folder.join("b")).unwrap();
        let listener = UnixListener::bind(folder.join("b/s.sock")).unwrap();
        listener.set_nonblocking(true).unwrap();
        let at = folder.display();
        // What answers nobody that is confined answers others.
        let unconfined = bench.unconfined(&format!("cd '{at}/b'\n{dial}")).await;
        assert_eq!(unconfined.out(), "through", "{}", unconfined.err());
        assert!(listener.accept().is_ok());
        let mut told = bench.sh(&format!("cd '{at}' && ({script}\n{dial}\n)")).await.out();
        for place in ["b", "c", "d", "e", "h", "."] {
            told += &bench.sh(&format!("cd '{at}/{place}' && ln -f *.sock s.sock; {dial}\n")).await.out();
        }
        assert!(!told.contains("through"), "{script}: {told}");
        assert!(listener.accept().is_err(), "{script}");
    }
}
