//! Servers at an address, hostile ones above all. All of them listen on the loopback.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use artoo_mcp::{
    Connection, KnownClient, McpError, OpenPage, ServerConfig, ServerTable, has_login, login, logout,
};
use artoo_types::Untried;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::setup::{Scene, reason, scene};

/// A request as it came: its first line, its headers in small letters, and its body.
struct Asked {
    line: String,
    headers: String,
    body: Value,
    form: String,
}

/// Status, headers and body of an answer.
type Reply = (&'static str, String, String);

/// Answers each request at a port of its own, whose number is returned.
async fn serve(answer: impl Fn(Asked) -> Reply + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let answer = Arc::clone(&answer);
            tokio::spawn(async move {
                let Some((mut stream, asked)) = read(stream).await else { return };
                let (status, headers, body) = answer(asked);
                let head = format!(
                    "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            });
        }
    });
    port
}

async fn read(mut stream: TcpStream) -> Option<(TcpStream, Asked)> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let headers = head.to_lowercase();
            let length = headers.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                let line = head.lines().next()?.to_owned();
                let asked = Asked {
                    line,
                    headers,
                    body: serde_json::from_str(body).unwrap_or_default(),
                    form: body.to_owned(),
                };
                return Some((stream, asked));
            }
        }
        let read = stream.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
    }
}

fn json_reply(value: &Value) -> Reply {
    ("200 OK", "Content-Type: application/json\r\n".to_owned(), value.to_string())
}

fn nothing(status: &'static str) -> Reply {
    (status, String::new(), String::new())
}

/// What a plain server answers.
fn plain(asked: &Asked) -> Reply {
    if asked.line.starts_with("GET") || asked.line.starts_with("DELETE") {
        return nothing("405 Method Not Allowed");
    }
    let id = asked.body.get("id").cloned();
    let result = match asked.body.get("method").and_then(Value::as_str).unwrap_or_default() {
        "initialize" => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "far", "version": "1"}}),
        "tools/list" => json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}),
        "tools/call" => json!({"content": [{"type": "text", "text": "far away"}]}),
        method if method.starts_with("notifications/") => return nothing("202 Accepted"),
        _ => {
            return json_reply(
                &json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}}),
            );
        }
    };
    json_reply(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

fn config(scene: &Scene, port: u16, table: ServerTable) -> ServerConfig {
    let table =
        ServerTable { url: Some(format!("http://127.0.0.1:{port}/mcp")), start_timeout: Some(3), ..table };
    table.into_config("far".parse().unwrap(), &scene.start.home).unwrap()
}

async fn started(scene: &Scene, port: u16) -> Result<Arc<Connection>, McpError> {
    Connection::start(config(scene, port, ServerTable::default()), &scene.start).await
}

#[tokio::test]
async fn a_call_is_asked_about_and_marked_as_untried() {
    let Some(scene) = scene() else { return };
    let seen = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&seen);
    let port = serve(move |asked| {
        heard.lock().unwrap().push(asked.headers.clone());
        plain(&asked)
    })
    .await;
    let headers = BTreeMap::from([("X-Key".to_owned(), "${HUB_TOKEN}".to_owned())]);
    let config = config(&scene, port, ServerTable { headers, ..ServerTable::default() });
    let server = Connection::start(config, &scene.start).await.unwrap();
    let call = scene.call(&server, "far__echo", json!({})).await;
    assert_eq!((call.failure.as_ref(), call.output.shown.as_str()), (None, "far away"));
    assert_eq!(call.untried, Some(Untried { folders: vec![], elsewhere: true }));
    let questions = scene.person.questions.lock().unwrap();
    assert_eq!(
        questions[0].effects[0].why,
        "the server far acts on another machine, or by a network: that is neither tried first nor can it be undone"
    );
    assert!(seen.lock().unwrap().iter().all(|headers| headers.contains("x-key: t-secret-of-the-hub")));
}

#[tokio::test]
async fn no_redirect_leads_to_another_origin() {
    let Some(scene) = scene() else { return };
    let hits = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&hits);
    let inner = serve(move |asked| {
        counted.fetch_add(1, Ordering::SeqCst);
        plain(&asked)
    })
    .await;
    for to in [
        format!("http://127.0.0.1:{inner}/mcp"),
        "http://169.254.169.254/latest".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        let target = to.clone();
        let port =
            serve(move |_| ("307 Temporary Redirect", format!("Location: {target}\r\n"), String::new()))
                .await;
        let error = started(&scene, port).await.unwrap_err();
        let told = error.to_string();
        assert!(told.starts_with("the server far does not begin to talk: "), "{told}");
        if to.starts_with("http") {
            assert!(told.contains("it redirects to http://1"), "{told}");
        }
    }
    assert_eq!(hits.load(Ordering::SeqCst), 0);
    // To itself it may.
    let port = serve(|asked| {
        if asked.line.contains(" /mcp ") {
            ("307 Temporary Redirect", "Location: /other\r\n".to_owned(), String::new())
        } else {
            plain(&asked)
        }
    })
    .await;
    assert_eq!(started(&scene, port).await.unwrap().definitions().len(), 1);
}

/// goose#11965: a server that does not know the newest version answers the question for it with an empty stream.
#[tokio::test]
async fn an_empty_stream_is_no_reason_to_give_up() {
    let Some(scene) = scene() else { return };
    let port = serve(|asked| match asked.body.get("method").and_then(Value::as_str) {
        Some("server/discover") => {
            ("200 OK", "Content-Type: text/event-stream\r\n".to_owned(), String::new())
        }
        _ => plain(&asked),
    })
    .await;
    assert_eq!(started(&scene, port).await.unwrap().definitions().len(), 1);
    for status in ["400 Bad Request", "404 Not Found", "500 Internal Server Error"] {
        let port = serve(move |asked| match asked.body.get("method").and_then(Value::as_str) {
            Some("server/discover") => nothing(status),
            _ => plain(&asked),
        })
        .await;
        assert_eq!(started(&scene, port).await.unwrap().definitions().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn who_speaks_another_language_is_told_so() {
    let Some(scene) = scene() else { return };
    for (kind, body) in
        [("text/html", "<p>Welcome"), ("application/json", "{}"), ("application/json", "nonsense")]
    {
        let port = serve(move |_| ("200 OK", format!("Content-Type: {kind}\r\n"), body.to_owned())).await;
        let error = started(&scene, port).await.unwrap_err();
        assert!(error.to_string().contains("the server far"), "{error}");
    }
    let large = serve(|asked| {
        let id = asked.body.get("id").cloned();
        json_reply(&json!({"jsonrpc": "2.0", "id": id, "result": {"x": "y".repeat(17 * 1024 * 1024)}}))
    })
    .await;
    assert!(started(&scene, large).await.is_err());
}

/// A browser that agrees, or does not.
struct Browser {
    agrees: bool,
}

impl OpenPage for Browser {
    fn open(&self, page: &str) -> std::io::Result<()> {
        let page = reqwest::Url::parse(page).map_err(std::io::Error::other)?;
        let named = |name: &str| page.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
        assert_eq!(named("code_challenge_method"), "S256");
        let answer = if self.agrees { "code=the-code" } else { "error=access_denied" };
        let back = format!("{}?{answer}&state={}", named("redirect_uri"), named("state"));
        tokio::spawn(async move { reqwest::get(back).await });
        Ok(())
    }
}

/// A server that wants a token, and gives one out.
async fn guarded() -> (u16, Arc<Mutex<Vec<String>>>) {
    let port = Arc::new(AtomicU32::new(0));
    let (known, forms) = (Arc::clone(&port), Arc::new(Mutex::new(Vec::new())));
    let noted = Arc::clone(&forms);
    let own = serve(move |asked| {
        let base = format!("http://127.0.0.1:{}", known.load(Ordering::SeqCst));
        let is = |path: &str| asked.line.contains(path);
        if is("/.well-known/oauth-protected-resource") {
            return json_reply(&json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]}));
        }
        if is("/.well-known/") {
            return json_reply(&json!({"issuer": base, "authorization_endpoint": format!("{base}/authorize"),
                "token_endpoint": format!("{base}/token"), "registration_endpoint": format!("{base}/register"),
                "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"]}));
        }
        if is("/register") {
            return json_reply(&json!({"client_id": "artoo-1", "redirect_uris": asked.body["redirect_uris"]}));
        }
        if is("/token") {
            noted.lock().unwrap().push(asked.form.clone());
            // The first one runs out at once, so that it is renewed.
            let is_renewed = asked.form.contains("grant_type=refresh_token");
            let (token, seconds) = if is_renewed { ("token-2", 3600) } else { ("token-1", 0) };
            return json_reply(&json!({"access_token": token, "token_type": "Bearer", "expires_in": seconds, "refresh_token": "renew"}));
        }
        if !asked.headers.contains("authorization: bearer token-") {
            let header = format!("WWW-Authenticate: Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\"\r\n");
            return ("401 Unauthorized", header, String::new());
        }
        plain(&asked)
    })
    .await;
    port.store(own.into(), Ordering::SeqCst);
    (own, forms)
}

#[tokio::test]
async fn a_login_is_kept_renewed_and_forgotten() {
    let Some(scene) = scene() else { return };
    let (port, forms) = guarded().await;
    let config = config(&scene, port, ServerTable::default());
    let Err(McpError::Login { challenge, .. }) = Connection::start(config.clone(), &scene.start).await else {
        panic!("it wants a login");
    };
    assert!(!has_login(&config, &scene.start));
    let denied = login(
        &config,
        challenge.as_deref(),
        KnownClient::default(),
        &Browser { agrees: false },
        &scene.start,
    )
    .await;
    assert_eq!(denied.unwrap_err().to_string(), "the login to the server far failed: access_denied");
    login(&config, challenge.as_deref(), KnownClient::default(), &Browser { agrees: true }, &scene.start)
        .await
        .unwrap();
    assert!(has_login(&config, &scene.start));
    let folder = scene.start.logins.clone().unwrap();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{path:?}");
    }
    let server = Connection::start(config.clone(), &scene.start).await.unwrap();
    let call = scene.call(&server, "far__echo", json!({})).await;
    assert_eq!(call.failure, None);
    assert!(!format!("{call:?}{server:?}").contains("token-"));
    let forms = forms.lock().unwrap().clone();
    assert!(forms[0].contains("code=the-code") && forms[0].contains("code_verifier="), "{forms:?}");
    assert!(forms.iter().any(|form| form.contains("refresh_token=renew")), "{forms:?}");
    assert!(logout(&config, &scene.start).unwrap() && !logout(&config, &scene.start).unwrap());
    assert!(matches!(Connection::start(config, &scene.start).await, Err(McpError::Login { .. })));
}

/// codex#5672: a login was tried where nobody asks for one.
#[tokio::test]
async fn a_server_that_wants_no_login_gets_none() {
    let Some(scene) = scene() else { return };
    let port = serve(|asked| {
        assert!(asked.line.contains(" /mcp "), "{}", asked.line);
        plain(&asked)
    })
    .await;
    let server = started(&scene, port).await.unwrap();
    assert_eq!(server.wanted_login(), None);
}

#[tokio::test]
async fn a_token_that_is_taken_away_is_told() {
    let Some(scene) = scene() else { return };
    let is_open = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let open = Arc::clone(&is_open);
    let port = serve(
        move |asked| {
            if open.load(Ordering::SeqCst) { plain(&asked) } else { nothing("401 Unauthorized") }
        },
    )
    .await;
    let server = started(&scene, port).await.unwrap();
    is_open.store(false, Ordering::SeqCst);
    let call = scene.call(&server, "far__echo", json!({})).await;
    assert!(reason(&call).contains("the server far"), "{}", reason(&call));
}

/// What an older server asks beside its answers is lost while nobody listens: a call would wait for it in vain.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_begin_when_the_stream_of_questions_is_open() {
    let Some(scene) = scene() else { return };
    let listens = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&listens);
    let port = serve(move |asked| {
        if asked.line.starts_with("GET") {
            std::thread::sleep(std::time::Duration::from_millis(300));
            noted.store(true, Ordering::Release);
        }
        let (status, headers, body) = plain(&asked);
        (status, format!("Mcp-Session-Id: one\r\n{headers}"), body)
    })
    .await;
    let server = started(&scene, port).await.unwrap();
    assert!(listens.load(Ordering::Acquire), "a call could have begun before");
    server.close().await;
}
