//! Servers that are silent, refuse, or send garbage: a typed error that says what happened, and no endless
//! wait.

use std::time::Duration;

use artoo_llm_client::{ErrorKind, LlmClient, LlmError, RetryPolicy};
use artoo_llm_http::doubles::{MockServer, Reply, Step};
use artoo_llm_http::{HttpConfig, OpenAiCompatible, Timeouts, served_models};

use crate::{config, request};

/// The error of a client without retries.
async fn error(reply: Reply, change: impl FnOnce(&mut HttpConfig)) -> LlmError {
    let server = MockServer::start(move |_| reply.clone()).await.unwrap();
    let mut config = HttpConfig { retry: RetryPolicy::NONE, ..config(&server) };
    change(&mut config);
    let error = OpenAiCompatible::new(config).unwrap().complete(&request()).await.unwrap_err();
    assert_eq!(server.stats().requests, 1);
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
        |config: &mut HttpConfig| config.timeouts = Timeouts { first_byte: SHORT, ..config.timeouts };
    let short_idle = |config: &mut HttpConfig| config.timeouts = Timeouts { idle: SHORT, ..config.timeouts };
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
    let timeouts = Timeouts { idle: Duration::from_secs(10), ..config(&server).timeouts };
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
}
