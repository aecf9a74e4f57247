//! The network of a run's own: its commands and jobs reach each other, nobody else, and nobody is asked.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use artoo_consent::{Answer, Consent};
use artoo_sandbox::{Network, PrivateNetwork, SandboxMode};
use artoo_test_needs::{Ability, has, skip};
use artoo_types::{CallEnding, CallFailure, ToolCall};
use serde_json::json;

use crate::consents::{Person, person};
use crate::fixture::{Scene, can_confine, shown};

/// Waits for the server as long as it may take to start.
const CURL: &str = "curl -sS --noproxy '*' --retry 100 --retry-connrefused --retry-delay 1 --max-time 60";

/// A scene whose jobs are left running at once, with somebody who says no; `None`, with a notice, where
/// commands share no network.
fn scene() -> Option<(Scene, Arc<Person>)> {
    if !can_confine() {
        return None;
    }
    if let Err(reason) = PrivateNetwork::default().make() {
        skip(Ability::Namespaces, reason);
        return None;
    }
    let mut scene = Scene::new();
    let nobody = Arc::new(person(Answer::No { reason: "not this".to_owned() }));
    scene.cx.consent = Arc::clone(&nobody) as Arc<dyn Consent>;
    scene.cx.limits.job_grace = Duration::ZERO;
    Some((scene, nobody))
}

async fn run(scene: &Scene, command: &str) -> ToolCall {
    scene.call("shell", json!({ "command": command })).await
}

/// What failed. The class of a failed connection differs from program to program.
fn failure(call: &ToolCall) -> &CallFailure {
    call.failure.as_ref().unwrap_or_else(|| panic!("it succeeded: {call:?}"))
}

async fn start(scene: &Scene, command: &str) -> ToolCall {
    scene.call("shell", json!({ "command": command, "background": true })).await
}

#[tokio::test]
async fn a_server_that_runs_as_a_job_is_asked_by_a_later_command() {
    let Some((scene, person)) = scene() else { return };
    if !has("python3") || !has("curl") {
        return;
    }
    scene.file("page.txt", "served\n");
    start(&scene, "python3 -u -m http.server 8123 --bind 127.0.0.1").await;
    for host in ["127.0.0.1", "localhost"] {
        let asked = run(&scene, &format!("{CURL} http://{host}:8123/page.txt")).await;
        assert_eq!(shown(&asked), "served\n");
    }
    let stopped = scene.call("job", json!({ "job": 1, "do": "stop" })).await;
    assert!(stopped.stderr.shown.contains("GET /page.txt"), "{stopped:?}");
    let gone = run(&scene, "curl -sS --noproxy '*' http://127.0.0.1:8123/page.txt").await;
    let hint = failure(&gone).hint.clone();
    assert!(hint.is_some_and(|hint| hint.contains("the jobs of this run")), "{gone:?}");
    assert_eq!(person.heard(), [], "nothing can leave the run");
}

/// A test that listens, a port below 1024 aside, and a named socket of the run's own.
#[tokio::test]
async fn what_listens_within_one_command_or_at_a_path_works() {
    let Some((scene, person)) = scene() else { return };
    if !has("python3") {
        return;
    }
    scene.file(
        "test_server.py",
        "import http.server, threading, urllib.request
server = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(urllib.request.urlopen('http://127.0.0.1:%d/test_server.py' % server.server_port).status)\n",
    );
    assert_eq!(shown(&run(&scene, "python3 test_server.py").await), "200\n");
    let server = "python3 -c \"
import os, socket
one = socket.socket(socket.AF_UNIX); one.bind(os.environ['TMPDIR'] + '/db.sock'); one.listen()
while True: one.accept()[0].send(b'row')\"";
    start(&scene, server).await;
    let client = "python3 -c \"
import os, socket, time
one = socket.socket(socket.AF_UNIX)
while one.connect_ex(os.environ['TMPDIR'] + '/db.sock'): time.sleep(0.01)
print(one.recv(9).decode())\"";
    assert_eq!(shown(&run(&scene, client).await), "row\n");
    assert_eq!(person.heard(), []);
}

#[tokio::test]
async fn the_machines_own_services_and_other_runs_stay_out_of_reach() {
    let (Some((scene, person)), Some((other, _))) = (scene(), scene()) else { return };
    if !has("python3") || !has("curl") {
        return;
    }
    let service = TcpListener::bind("127.0.0.1:0").unwrap();
    service.set_nonblocking(true).unwrap();
    let port = service.local_addr().unwrap().port();
    let ask = format!("curl -sS --noproxy '*' --max-time 20 http://127.0.0.1:{port}/");
    failure(&run(&scene, &ask).await);
    failure(&start_and_end(&scene, &ask).await);
    assert!(service.accept().is_err());
    start(&other, &format!("python3 -u -m http.server {port} --bind 127.0.0.1")).await;
    shown(&run(&other, &format!("{CURL} http://127.0.0.1:{port}/")).await);
    failure(&run(&scene, &ask).await);
    assert_eq!(person.heard(), []);
}

/// A command in the background, when it has ended.
async fn start_and_end(scene: &Scene, command: &str) -> ToolCall {
    let started = start(scene, command).await;
    if started.ending != CallEnding::Returned {
        return started;
    }
    scene.call("job", json!({ "job": 1, "do": "wait" })).await
}

/// The network is settled for the whole run: with the machine's there is no other.
#[tokio::test]
async fn a_run_is_in_one_network() {
    let Some((mut scene, _)) = scene() else { return };
    for mode in [SandboxMode::ReadOnly, SandboxMode::WorkspaceWrite] {
        scene.cx.mode = mode;
        assert!(scene.cx.own_network().is_some());
        // Who looks again and leaves nothing cannot change a server of the run either.
        let judged = artoo_tools::leaving_nothing(scene.cx.clone(), artoo_consent::Rules::default());
        assert!(judged.own_network().is_some_and(|other| Some(other) != scene.cx.own_network()));
    }
    for (mode, network) in
        [(SandboxMode::WorkspaceWrite, Network::Granted), (SandboxMode::FullAccess, Network::Denied)]
    {
        (scene.cx.mode, scene.cx.network) = (mode, network);
        assert_eq!(scene.cx.own_network(), None, "{mode}, {network}");
        let judged = artoo_tools::leaving_nothing(scene.cx.clone(), artoo_consent::Rules::default());
        assert_eq!(judged.own_network(), None, "{mode}, {network}");
    }
}

/// With the machine's network granted, a yes leads to the services of the machine, from commands and jobs.
#[tokio::test]
async fn a_grant_of_the_machines_network_is_asked_about_as_ever() {
    let Some((mut scene, _)) = scene() else { return };
    if !has("curl") {
        return;
    }
    let agreeing = Arc::new(person(Answer::Yes));
    scene.cx.consent = Arc::clone(&agreeing) as Arc<dyn Consent>;
    scene.cx.network = Network::Granted;
    let service = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = service.local_addr().unwrap().port();
    let ask = format!("curl -sS --noproxy '*' --max-time 1 http://127.0.0.1:{port}/");
    run(&scene, &ask).await;
    service.set_nonblocking(true).unwrap();
    assert!(service.accept().is_ok());
    assert_eq!(agreeing.heard().len(), 1);
}

/// A registry of packages with one package, and how `npm` is told of it.
const REGISTRY: &str = r#"
import base64, hashlib, http.server, io, json, tarfile
def packed():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w:gz') as archive:
        for name, text in (('package.json', '{"name": "stub", "version": "1.0.0"}'), ('index.js', 'module.exports = () => 42;')):
            entry = tarfile.TarInfo('package/' + name); entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()
ARCHIVE = packed()
AT = 'http://127.0.0.1:4873'
DIST = {'tarball': AT + '/stub/-/stub-1.0.0.tgz', 'shasum': hashlib.sha1(ARCHIVE).hexdigest(),
        'integrity': 'sha512-' + base64.b64encode(hashlib.sha512(ARCHIVE).digest()).decode()}
PACKAGE = {'name': 'stub', 'dist-tags': {'latest': '1.0.0'},
           'versions': {'1.0.0': {'name': 'stub', 'version': '1.0.0', 'dist': DIST}}}
class Registry(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        known = {'/stub': json.dumps(PACKAGE).encode(), '/stub/-/stub-1.0.0.tgz': ARCHIVE}
        body = known.get(self.path.split('?')[0])
        self.send_response(200 if body else 404)
        self.send_header('Content-Length', str(len(body or b''))); self.end_headers(); self.wfile.write(body or b'')
http.server.ThreadingHTTPServer(('127.0.0.1', 4873), Registry).serve_forever()
"#;

const NPM: &str = "until (exec 3<>/dev/tcp/127.0.0.1/4873) 2>/dev/null; do sleep 0.05; done; \
    npm install --registry http://127.0.0.1:4873 --cache \"$TMPDIR/npm\" --no-audit --no-fund --no-update-notifier && \
    npm test --cache \"$TMPDIR/npm\" --no-update-notifier";

#[tokio::test]
async fn npm_installs_from_a_registry_of_the_run_and_runs_a_test_that_listens() {
    let Some((mut scene, _)) = scene() else { return };
    if !has("python3") || !has("npm") {
        return;
    }
    let agreeing = Arc::new(person(Answer::Yes));
    scene.cx.consent = Arc::clone(&agreeing) as Arc<dyn Consent>;
    scene.file("registry.py", REGISTRY);
    scene.file(
        "package.json",
        r#"{"name": "app", "version": "1.0.0", "dependencies": {"stub": "1.0.0"}, "scripts": {"test": "node test.js"}}"#,
    );
    scene.file(
        "test.js",
        "const server = require('http').createServer((_, answer) => answer.end(String(require('stub')())));
server.listen(0, '127.0.0.1', async () => {
  console.log('answer', await (await fetch('http://127.0.0.1:' + server.address().port)).text());
  server.close();
});\n",
    );
    start(&scene, "python3 registry.py").await;
    let tested = scene.call("shell", json!({ "command": NPM, "timeout_seconds": 120 })).await;
    assert!(shown(&tested).contains("answer 42"), "{tested:?}");
    assert!(scene.cx.working_folder.join("node_modules/stub/index.js").is_file());
    let asked: Vec<_> = agreeing.heard().into_iter().flat_map(|question| question.effects).collect();
    assert!(asked.iter().all(|effect| effect.kind != artoo_types::EffectKind::Network), "{asked:?}");
}
