//! `fetch`: pages as text, and the addresses that it does not reach.

use std::io;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use artoo_tools::{PageLimits, Toolbox};
use artoo_types::{CallEnding, FailureClass, ToolCall};
use artoo_web::{AddressRule, Fetch, Names, Web};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::fixture::{Scene, failed, shown};
use crate::server::{Answer, Body, Server};

const HERE: &str = "127.0.0.1";
const ELSEWHERE: &str = "127.0.0.2";

/// A client that may reach one address of this machine.
fn web() -> Web {
    Web::new(AddressRule::public().granting(HERE.parse().unwrap()))
}

async fn fetch(scene: &Scene, web: Web, url: &str) -> ToolCall {
    call(scene, web, json!({ "url": url })).await
}

async fn call(scene: &Scene, web: Web, arguments: Value) -> ToolCall {
    scene.call_in(&Toolbox::new().with(Fetch::new(web)), "fetch", arguments).await
}

/// Answers each look-up with the next list.
struct Script(Mutex<Vec<Vec<&'static str>>>);

impl Script {
    fn new(answers: &[&[&'static str]]) -> Self {
        Self(Mutex::new(answers.iter().rev().map(|answer| answer.to_vec()).collect()))
    }
}

#[async_trait]
impl Names for Script {
    async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let answer = self.0.lock().unwrap().pop().unwrap_or_default();
        Ok(answer.into_iter().map(|address| address.parse().unwrap()).collect())
    }
}

#[tokio::test]
async fn a_page_is_read_as_text_and_its_origin_is_on_record() {
    let scene = Scene::new();
    let html =
        "<title>Times</title><script>no()</script><p>The ferry leaves at <b>10:15</b>.<p><a href=/b>more</a>";
    let server = Server::start(HERE, move |path| match path {
        "/start" => Answer::redirect("/page#top"),
        _ => Answer::page("text/html; charset=utf-8", html),
    })
    .await;
    let call = fetch(&scene, web(), &server.url("/start")).await;
    let page = server.url("/page");
    assert_eq!(
        shown(&call),
        format!("address: {page}\ntitle: Times\n\nThe ferry leaves at 10:15.\n\nmore\n")
    );
    assert_eq!(call.output.origin.as_deref(), Some(page.as_str()));
    assert_eq!(scene.whole(&call), call.output.shown.as_bytes());
    let agent = server.seen().concat().to_lowercase();
    assert!(
        agent.contains("artoo/") && !agent.contains("cookie") && !agent.contains("accept-encoding"),
        "{agent}"
    );

    let call = self::call(&scene, web(), json!({ "url": page, "links": true })).await;
    assert!(shown(&call).ends_with(&format!("more <{}>\n", server.url("/b"))), "{call:?}");
}

#[tokio::test]
async fn what_is_text_but_no_page_is_given_as_it_is() {
    let scene = Scene::new();
    let server = Server::start(HERE, |path| match path {
        "/json" => Answer::page("application/json", "{\"a\": 1}"),
        "/gbk" => Answer::page("text/plain; charset=gbk", b"\xd6\xd0\xce\xc4".as_slice()),
        "/empty" => Answer::page("text/html", "<script>x</script>"),
        _ => Answer::page("image/png", "x"),
    })
    .await;
    for (path, expected) in
        [("/json", "{\"a\": 1}"), ("/gbk", "中文"), ("/empty", "[the page holds no text]")]
    {
        let call = fetch(&scene, web(), &server.url(path)).await;
        assert_eq!(shown(&call), format!("address: {}\n\n{expected}\n", server.url(path)));
    }
    let call = fetch(&scene, web(), &server.url("/image")).await;
    assert!(failed(&call, FailureClass::Logical).reason.ends_with("is no text but image/png"), "{call:?}");
}

/// Numbers in every spelling, names of this machine, and what is no address of a page. Nobody is even connected to.
#[tokio::test]
async fn addresses_of_this_machine_are_denied_in_every_spelling() {
    let scene = Scene::new();
    let server = Server::start(HERE, |_| Answer::page("text/plain", "secret")).await;
    let port = server.address.port();
    let public = || Web::new(AddressRule::public());
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0x7f.0.0.0x1",
        "127.0.0.1.",
        "0",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "１２７.0.0.1",
        "127。0。0。1",
        "169.254.169.254",
        "10.0.0.1",
        "100.64.0.1",
        "[fe80::1]",
        "[fc00::1]",
    ] {
        let call = fetch(&scene, public(), &format!("http://{host}:{port}/")).await;
        let failure = failed(&call, FailureClass::Forbidden);
        assert!(failure.reason.contains("not a public address"), "{host}: {failure:?}");
        assert_eq!(call.ending, CallEnding::Refused, "{host}");
    }
    // The system's own look-up leads here.
    let call = fetch(&scene, public(), &format!("http://localhost:{port}/")).await;
    failed(&call, FailureClass::Forbidden);
    for url in [
        "file:///etc/passwd",
        "ftp://a.example/",
        "gopher://a.example",
        "http://",
        "nonsense",
        "data:text/html,x",
        "http://ada:secret@a.example/",
        "http://[::1/",
    ] {
        let call = fetch(&scene, public(), url).await;
        assert!(failed(&call, FailureClass::Logical).reason.starts_with("argument `url`"), "{url}: {call:?}");
    }
    assert_eq!(server.seen().len(), 0);
}

#[tokio::test]
async fn each_redirect_comes_through_the_same_door() {
    let scene = Scene::new();
    let secret = Server::start(ELSEWHERE, |_| Answer::page("text/plain", "secret")).await;
    let (there, port) = (secret.url("/"), secret.address.port());
    let server = Server::start(HERE, move |path| match path {
        "/number" => Answer::redirect(there.as_str()),
        "/scheme" => Answer::redirect("file:///etc/passwd"),
        "/login" => Answer::redirect("http://a:b@127.0.0.1/"),
        "/spelled" => Answer::redirect(format!("http://0x7f000002:{port}/")),
        "/name" => Answer::redirect(format!("http://inside.example:{port}/")),
        "/loop" => Answer::redirect("/loop"),
        "/hop" => Answer::redirect("/number"),
        _ => Answer::page("text/plain", "fine"),
    })
    .await;
    for path in ["/number", "/scheme", "/login", "/spelled", "/hop"] {
        let call = fetch(&scene, web(), &server.url(path)).await;
        failed(&call, FailureClass::Forbidden);
        assert!(call.output.shown.is_empty(), "{path}");
    }
    let call = fetch(&scene, web().with_names(Script::new(&[&[ELSEWHERE]])), &server.url("/name")).await;
    assert!(
        failed(&call, FailureClass::Forbidden).reason.contains("inside.example leads to 127.0.0.2"),
        "{call:?}"
    );
    let call = fetch(&scene, web(), &server.url("/loop")).await;
    assert!(failed(&call, FailureClass::Environmental).reason.contains("more than 5 redirects"), "{call:?}");
    assert_eq!(server.seen().iter().filter(|request| request.contains("/loop")).count(), 6);
    assert_eq!(secret.seen().len(), 0);
}

/// A name whose address changes between two look-ups, and one that has a forbidden address among others.
#[tokio::test]
async fn a_name_is_only_connected_to_at_addresses_that_the_rule_allows() {
    let scene = Scene::new();
    let server = Server::start(HERE, |_| Answer::page("text/plain", "public")).await;
    let url = format!("http://changing.example:{}/", server.address.port());
    let web =
        web().with_names(Script::new(&[&[ELSEWHERE, HERE], &[HERE], &[ELSEWHERE], &["::1", ELSEWHERE], &[]]));
    for _ in 0..2 {
        assert!(shown(&fetch(&scene, web.clone(), &url).await).ends_with("public\n"));
    }
    assert_eq!(server.seen().len(), 2);
    for _ in 0..2 {
        failed(&fetch(&scene, web.clone(), &url).await, FailureClass::Forbidden);
    }
    // No address at all is the world's fault.
    failed(&fetch(&scene, web.clone(), &url).await, FailureClass::Environmental);
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn refusals_of_a_server_have_a_class() {
    let scene = Scene::new();
    let server = Server::start(HERE, |path| Answer::status(path[1..].parse().unwrap())).await;
    for (status, class) in [
        (400, FailureClass::Logical),
        (403, FailureClass::Environmental),
        (404, FailureClass::Environmental),
        (429, FailureClass::Environmental),
        (503, FailureClass::Environmental),
    ] {
        let call = fetch(&scene, web(), &server.url(&format!("/{status}"))).await;
        assert!(failed(&call, class).reason.ends_with(&format!("status {status}")), "{call:?}");
        assert!(call.output.shown.is_empty());
    }
    let closed = { tokio::net::TcpListener::bind((HERE, 0)).await.unwrap().local_addr().unwrap() };
    failed(&fetch(&scene, web(), &format!("http://{closed}/")).await, FailureClass::Environmental);
}

#[tokio::test]
async fn size_and_time_are_bounded() {
    let mut scene = Scene::new();
    let server = Server::start(HERE, |path| Answer {
        status: 200,
        headers: vec![("content-type", "text/plain".to_owned())],
        body: if path == "/endless" { Body::Endless } else { Body::Silence },
    })
    .await;
    scene.cx.limits.page = PageLimits { bytes: 10_000, ..scene.cx.limits.page };
    let call = fetch(&scene, web(), &server.url("/endless")).await;
    let text = String::from_utf8(scene.whole(&call)).unwrap();
    assert_eq!(text.matches('x').count(), 10_000);
    assert!(text.ends_with("[only the first 10000 bytes of the page were read]\n"), "{call:?}");

    scene.cx.limits.page = PageLimits { time: Duration::from_millis(50), ..scene.cx.limits.page };
    let call = fetch(&scene, web(), &server.url("/silent")).await;
    assert_eq!(call.ending, CallEnding::TimedOut);
    failed(&call, FailureClass::Environmental);
}

#[tokio::test]
async fn a_cancelled_call_ends() {
    let scene = Scene::new();
    let server =
        Server::start(HERE, |_| Answer { status: 200, headers: Vec::new(), body: Body::Silence }).await;
    let (cancel, url) = (scene.cx.cancel.clone(), server.url("/"));
    let (call, ()) = tokio::join!(fetch(&scene, web(), &url), async {
        while server.seen().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    });
    assert_eq!(call.ending, CallEnding::Cancelled);
}

/// The proxy is the user's; what it is asked for is still looked at.
#[tokio::test]
async fn a_proxy_is_asked_for_public_hosts_alone() {
    let scene = Scene::new();
    let proxy = Server::start(HERE, |_| Answer::page("text/plain", "by proxy")).await;
    let web = Web::new(AddressRule::public()).with_proxy(&proxy.url("/")).unwrap();
    let call = fetch(&scene, web.clone(), "http://a.example/x").await;
    assert!(shown(&call).ends_with("by proxy\n"), "{call:?}");
    assert!(proxy.seen()[0].starts_with("GET http://a.example/x HTTP/1.1"), "{:?}", proxy.seen());
    for host in ["localhost", "router", "nas.local", "10.0.0.1", "[::1]"] {
        failed(&fetch(&scene, web.clone(), &format!("http://{host}/")).await, FailureClass::Forbidden);
    }
    assert_eq!(proxy.seen().len(), 1);
    assert!(Web::new(AddressRule::public()).with_proxy("no proxy").is_err());
}
