//! The server over HTTP: who is answered, and what the conformance suite of the protocol says.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt as _;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::initialize;
use crate::fixture::Scene;
use crate::mock_model::counting;
use crate::process::{ended, say, until};

/// A server that listens.
struct Serving {
    child: Child,
    address: String,
    token: String,
}

impl Serving {
    fn start(scene: &Scene) -> Self {
        let mut child = scene.artoo(&["mcp", "serve", "--http", "127.0.0.1:0"]).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let listening = lines.next().unwrap().unwrap();
        let address = listening.strip_prefix("listening at http://").unwrap().strip_suffix("/mcp").unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        let file = scene.home().join(".artoo/mcp/token");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
        let token = fs::read_to_string(file).unwrap().trim().to_owned();
        Self { child, address: address.to_owned(), token }
    }

    /// The status of the answer to `initialize` with these headers.
    fn status(&self, headers: &[(&str, &str)]) -> u16 {
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize(&json!({}))})
                .to_string();
        let mut head = format!("POST /mcp HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        head.push_str("Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        let mut first = String::new();
        BufReader::new(stream).read_line(&mut first).unwrap();
        first.split(' ').nth(1).unwrap_or_else(|| panic!("{first:?}")).parse().unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn nobody_is_answered_without_the_token_or_from_a_page() {
    let scene = Scene::new(counting());
    let serving = Serving::start(&scene);
    let (bearer, host) = (format!("Bearer {}", serving.token), serving.address.as_str());
    assert_eq!(serving.status(&[("Host", host), ("Authorization", &bearer)]), 200);
    assert_eq!(serving.status(&[("Host", host)]), 401);
    assert_eq!(serving.status(&[("Host", host), ("Authorization", "Bearer guess")]), 401);
    assert_eq!(serving.status(&[("Host", host), ("Authorization", &bearer[..bearer.len() - 1])]), 401);
    assert_eq!(serving.status(&[("Host", "evil.example"), ("Authorization", &bearer)]), 403);
    let page = ("Origin", "http://evil.example");
    assert_eq!(serving.status(&[("Host", host), ("Authorization", &bearer), page]), 403);
    let local = ("Origin", "http://localhost");
    assert_eq!(serving.status(&[("Host", host), ("Authorization", &bearer), local]), 200);
    assert_eq!(serving.status(&[("Host", host), local]), 401);
}

#[test]
fn it_listens_on_this_machine_alone_and_ends_at_a_signal() {
    let scene = Scene::new(counting());
    let refused = say(&mut scene.artoo(&["mcp", "serve", "--http", "0.0.0.0:0"])).ended(2);
    refused.explains("can be reached from other machines", "a tunnel of yours");
    let mut serving = Serving::start(&scene);
    let taken = say(&mut scene.artoo(&["mcp", "serve", "--http", &serving.address])).ended(1);
    taken.explains("cannot listen on", "another port");
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&serving.child),
        rustix::process::Signal::TERM,
    )
    .unwrap();
    assert_eq!(ended(&mut serving.child).code(), Some(143));
}

/// A door to the server that adds the token, which the conformance suite cannot send.
fn with_token(serving: &Serving) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (address, token) = (serving.address.clone(), serving.token.clone());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(stream), address, token) = (stream, address.clone(), token.clone()) else { return };
            std::thread::spawn(move || forward(stream, &address, &token));
        }
    });
    port
}

/// Forwards one request: its connection is closed afterwards.
fn forward(mut client: TcpStream, address: &str, token: &str) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match client.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            Ok(_) | Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let kept = head.trim_end().lines().filter(|line| !line.to_ascii_lowercase().starts_with("connection:"));
    let kept: Vec<&str> = kept.collect();
    let head = format!("{}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n", kept.join("\r\n"));
    let Ok(mut server) = TcpStream::connect(address) else { return };
    if server.write_all(head.as_bytes()).is_err() {
        return;
    }
    let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut from_client, &mut to_server);
    });
    let _ = std::io::copy(&mut server, &mut client);
    let _ = client.shutdown(std::net::Shutdown::Both);
}

/// The scenarios of the suite that need no tools of the suite's own. Those of `tools-call-*`, `tasks-*`, resources, prompts, sampling
/// and completion ask for its tools by name, so they are about a server that was made for them.
const SCENARIOS: [(&str, &str); 8] = [
    ("server-initialize", "2025-11-25"),
    ("server-session-lifecycle", "2025-11-25"),
    ("ping", "2025-11-25"),
    ("tools-list", "2025-11-25"),
    ("tools-list", "2026-07-28"),
    ("http-header-validation", "2026-07-28"),
    ("dns-rebinding-protection", "2025-11-25"),
    ("dns-rebinding-protection", "2026-07-28"),
];

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the suite is a client of artoo under test, and no run starts it"
)]
fn the_conformance_suite_of_the_protocol_passes() {
    if !artoo_test_needs::has("mcp-conformance") {
        return;
    }
    let scene = Scene::new(counting());
    let serving = Serving::start(&scene);
    let url = format!("http://localhost:{}/mcp", with_token(&serving));
    until("the door", || {
        TcpStream::connect(url.trim_start_matches("http://").trim_end_matches("/mcp")).is_ok()
    });
    for (scenario, version) in SCENARIOS {
        let mut suite = Command::new(artoo_test_needs::programs().join("mcp-conformance"));
        suite.args(["server", "--url", &url, "--scenario", scenario, "--spec-version", version]);
        suite.env_clear().env("PATH", artoo_test_needs::path()).env("HOME", scene.home());
        let said = say(suite.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()));
        let passed = said.out.lines().rev().find(|line| line.contains("Passed:") || line.contains("passed"));
        assert_eq!(said.code, 0, "{scenario}\n{}\n{}", said.out, said.err);
        // A scenario that checks nothing would pass as well.
        assert!(passed.is_some_and(|line| !line.contains("0/0")), "{scenario}\n{}", said.out);
    }
}
