//! Servers that are silent, refuse, or send garbage: a typed error that says what happened, and no endless
//! wait.

use std::io::Write as _;
use std::time::Duration;

use artoo_llm_client::{ErrorKind, LlmClient, LlmError, RetryPolicy};
use artoo_llm_http::doubles::{MockServer, Reply, Step};
use artoo_llm_http::{HttpConfig, OpenAiCompatible, ProxyPolicy, Timeouts, served_models};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::{config, request};

/// The error of a client without retries.
async fn error(reply: Reply, change: impl FnOnce(&mut HttpConfig)) -> LlmError {
    let server = MockServer::start(move |_| reply.clone()).await.unwrap();
    let mut config = HttpConfig { retry: RetryPolicy::NONE, ..config(&server) };
    change(&mut config);
    let error = OpenAiCompatible::new(config).unwrap().complete(&request()).await.unwrap_err();
    // As the client counts: under load the server may not have read the request when the client is gone.
    assert_eq!(error.usage().requests, 1);
    error
}

async fn check(reply: Reply, kind: ErrorKind, expected: &str) {
    let error = error(reply, |_| {}).await;
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(error.kind(), kind, "{error}");
}

const SHORT: Duration = Duration::from_millis(20);

#[tokio::test]
async fn lesson_96_each_kind_of_silence_has_its_own_time_out() {
    let short_first =
        |config: &mut HttpConfig| config.timeouts = Timeouts { first_byte: Some(SHORT), ..config.timeouts };
    let short_idle =
        |config: &mut HttpConfig| config.timeouts = Timeouts { idle: Some(SHORT), ..config.timeouts };
    for silent in [Reply::stall(), Reply::steps([Step::Head, Step::Stall])] {
        let error = error(silent, short_first).await;
        assert!(
            matches!(error, LlmError::TimedOut { phase: "sent no first byte", waited: SHORT, .. }),
            "{error}"
        );
    }
    for silent in [
        Reply::steps([Step::delta("thr"), Step::Stall]),
        Reply::steps([Step::send("data: half a li"), Step::Stall]),
        Reply::steps([Step::send("{\"choices\": ["), Step::Stall]),
        Reply::steps([Step::send(" \n"), Step::Stall]),
    ] {
        let error = error(silent, short_idle).await;
        assert!(
            matches!(error, LlmError::TimedOut { phase: "stopped sending", waited: SHORT, .. }),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_slow_answer_that_keeps_coming_is_no_silence() {
    let steps = (0..20)
        .flat_map(|_| [Step::Wait(Duration::from_millis(5)), Step::delta("a")])
        .chain([Step::finish()]);
    let reply = Reply::steps(steps);
    let server = MockServer::start(move |_| reply.clone()).await.unwrap();
    // Far longer than one step and shorter than all of them would be risky on a loaded machine; the ratio is
    // what matters.
    let timeouts = Timeouts { idle: Some(Duration::from_secs(10)), ..config(&server).timeouts };
    let model = OpenAiCompatible::new(HttpConfig { timeouts, ..config(&server) }).unwrap();
    assert_eq!(model.complete(&request()).await.unwrap().text, "a".repeat(20));
}

#[tokio::test]
async fn nonsense_is_named() {
    use ErrorKind::Infrastructure;
    check(
        Reply::status(401, r#"{"error": {"message": "bad key"}}"#),
        Infrastructure,
        "answered 401: bad key",
    )
    .await;
    check(
        Reply::status(404, r#"{"error": "model 'm' not found"}"#),
        Infrastructure,
        "answered 404: model 'm' not found",
    )
    .await;
    let page = "<!doctype html><html><head><title>Sign in</title></head></html>";
    check(Reply::body("text/html", page), Infrastructure, "an HTML page titled \"Sign in\"").await;
    check(Reply::status(502, page), Infrastructure, "answered 502: an HTML page titled \"Sign in\"").await;
    check(
        Reply::body("text/plain", "hello\u{7}"),
        Infrastructure,
        "neither an event stream nor JSON, but \"hello\"",
    )
    .await;
    check(Reply::events(["[DONE]"]), Infrastructure, "an answer without choices").await;
    check(Reply::body("application/json", "{}"), Infrastructure, "an answer without choices").await;
    check(Reply::body("application/json", "{\"choices\": 3}"), Infrastructure, "an answer without choices")
        .await;
    check(Reply::body("application/json", "{\"a\": nonsense}"), Infrastructure, "expected").await;
    check(Reply::steps([Step::delta("a"), Step::Drop]), Infrastructure, "it broke off").await;
    check(
        Reply::events(["{\"choices\": 7}", "{nonsense", "[DONE]"]),
        Infrastructure,
        "an event that is not JSON",
    )
    .await;
    check(Reply::drop(), Infrastructure, "cannot reach the model server").await;
}

#[tokio::test]
async fn answers_without_end_are_cut_off() {
    let small = |config: &mut HttpConfig| config.max_response_bytes = 10_000;
    let flood = || Reply::steps((0..1000).map(|_| Step::delta(&"x".repeat(1000))));
    assert!(error(flood(), small).await.to_string().contains("more than 10000 bytes"));
    let body = Reply::body("application/json", format!("{{\"a\": \"{}\"}}", "x".repeat(100_000)));
    assert!(error(body, small).await.to_string().contains("more than 10000 bytes"));
    let line = Reply::steps((0..1000).map(|_| Step::send("x".repeat(1000))));
    assert!(error(line, small).await.to_string().contains("more than 10000 bytes"));
    // An error body is cut much earlier and still read.
    let refusal = Reply::status(500, "y".repeat(10_000_000));
    let message = error(refusal, |_| {}).await.to_string();
    assert!(message.contains("yyyy…") && message.len() < 2000, "{message}");
}

#[tokio::test]
async fn nobody_listens() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let config = HttpConfig { retry: RetryPolicy::NONE, ..HttpConfig::new(&address, "m") };
    let error = OpenAiCompatible::new(config).unwrap().complete(&request()).await.unwrap_err();
    let LlmError::Unreachable { url, reason, .. } = &error else { panic!("{error}") };
    assert_eq!(*url, format!("{address}/v1/chat/completions"));
    assert!(reason.starts_with("tcp connect error: Connection refused"), "{reason}");
    assert!(error.hint().is_some());
}

#[tokio::test]
async fn a_server_that_does_not_list_its_models_is_asked_once() {
    let server = MockServer::start(|_| Reply::status(500, "no such thing")).await.unwrap();
    let error = served_models(&config(&server)).await.unwrap_err();
    assert!(matches!(error, LlmError::Status { status: 500, .. }), "{error}");
    assert_eq!(server.stats().requests, 1);
    let server = MockServer::start(|_| Reply::body("application/json", "[1, 2]")).await.unwrap();
    let error = served_models(&config(&server)).await.unwrap_err();
    assert!(matches!(error, LlmError::Protocol { .. }), "{error}");
    let server =
        MockServer::start(|_| Reply::body("application/json", r#"{"error": {"message": "no such path"}}"#))
            .await;
    let error = served_models(&config(&server.unwrap())).await.unwrap_err();
    assert!(error.to_string().ends_with("an error: no such path"), "{error}");
    let server =
        MockServer::start(|_| Reply::body("application/json", r#"{"object": "list", "data": null}"#)).await;
    assert_eq!(served_models(&config(&server.unwrap())).await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn a_body_that_was_packed_unasked_is_read() {
    let stream = "data: {\"choices\": [{\"delta\": {\"content\": \"three\"}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n";
    let packed = |text: &str| {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(text.as_bytes()).unwrap();
        packer.finish().unwrap()
    };
    for declared in [true, false] {
        let reply = Reply::body("text/event-stream", packed(stream));
        let reply = if declared { reply.header("content-encoding", "gzip") } else { reply };
        let server = MockServer::start(move |_| reply.clone()).await.unwrap();
        let model = OpenAiCompatible::new(config(&server)).unwrap();
        assert_eq!(model.complete(&request()).await.unwrap().text, "three");
    }
    let refusal = packed(r#"{"error": {"message": "no such model"}}"#);
    let server =
        MockServer::start(move |_| Reply::body("application/json", refusal.clone()).with_status(404)).await;
    let error =
        OpenAiCompatible::new(config(&server.unwrap())).unwrap().complete(&request()).await.unwrap_err();
    assert!(error.to_string().ends_with("answered 404: no such model"), "{error}");
    let unknown = Reply::body("application/json", vec![0x28, 0xb5, 0x2f, 0xfd, 0xff])
        .header("content-encoding", "zstd");
    let message = error_of(unknown).await;
    assert!(message.contains("a body packed as zstd, which was not asked for"), "{message}");
    let noise = Reply::body("application/json", vec![0x80, 0x81, 0x82, 0x83, 0x84, 0xff]);
    let message = error_of(noise).await;
    assert!(message.contains("6 bytes that are no text"), "{message}");
}

async fn error_of(reply: Reply) -> String {
    error(reply, |_| {}).await.to_string()
}

#[tokio::test]
async fn a_proxy_that_cannot_be_used_is_no_reason_to_go_without() {
    for bad in ["http://", "socks5://127.0.0.1:1080", "http://me:canary@[half", "ftp://host"] {
        let config = HttpConfig {
            proxy: ProxyPolicy::Url(bad.to_owned()),
            ..HttpConfig::new("http://192.0.2.1", "m")
        };
        let error = OpenAiCompatible::new(config).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
        assert!(error.to_string().contains("the proxy") && !error.to_string().contains("canary"), "{error}");
    }
}
