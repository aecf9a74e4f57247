//! What is retried, how often, and after which wait.

use std::time::Duration;

use artoo_llm_client::{LlmClient, LlmError, RetryPolicy};
use artoo_llm_http::doubles::{MockServer, Reply, Step};
use artoo_llm_http::{HttpConfig, OpenAiCompatible};
use tokio::time::Instant;

use crate::{client, config, request};

/// Answers "ok" after `first`, and returns how many requests that took.
async fn requests_after(first: Reply) -> Result<u32, String> {
    let server =
        MockServer::start(move |call| if call.ordinal == 0 { first.clone() } else { Reply::text("ok") })
            .await;
    let server = server.unwrap();
    let result = client(&server).complete(&request()).await;
    let counted = server.stats().requests;
    result.map_err(|error| error.to_string()).map(|completion| {
        assert_eq!(completion.usage.requests as usize, counted);
        completion.usage.requests
    })
}

#[tokio::test]
async fn passing_trouble_is_tried_again() {
    let trouble = [
        Reply::status(500, "oops"),
        Reply::status(429, "slow down").header("retry-after", "0"),
        Reply::status(503, "<html><title>Busy</title></html>"),
        Reply::drop(),
        Reply::steps([Step::Head, Step::Drop]),
        Reply::steps([Step::delta("thr"), Step::Drop]),
        Reply::steps([Step::delta("thr"), Step::send("data: {\"choices\": [{\"del"), Step::Drop]),
        Reply::steps([Step::delta("thr"), Step::send("data: {\"choices\": [{\"del")]),
        Reply::steps([Step::delta("the stream ends without an end")]),
        Reply::events([r#"{"error": {"message": "overloaded", "code": 503}}"#]),
        Reply::body("application/json", "{\"choices\": [{\"mess"),
        Reply::body("text/event-stream", ""),
        Reply::status(400, "odd").header("x-should-retry", "true"),
        Reply::status(520, "<html><title>520: Web server is returning an unknown error</title></html>"),
        Reply::status(524, "a timeout occurred"),
        Reply::status(530, ""),
        Reply::events(["not json", "[DONE]"]),
        Reply::events(["[DONE]"]),
        Reply::events([r#"{"error": {"message": "Provider returned error"}}"#]),
        Reply::body("application/json", "{\"a\": nonsense}"),
        Reply::body("application/json", r#"{"error": {"message": "slow down", "code": 429}}"#),
    ];
    for reply in trouble {
        assert_eq!(requests_after(reply.clone()).await, Ok(2), "{reply:?}");
    }
}

#[tokio::test]
async fn lasting_trouble_is_not() {
    let trouble = [
        Reply::status(400, "bad"),
        Reply::status(401, "no"),
        Reply::status(404, "no such model"),
        Reply::status(429, r#"{"error": {"message": "pay", "code": "insufficient_quota"}}"#),
        Reply::status(500, "oops").header("x-should-retry", "false"),
        Reply::body("text/html", "<html><title>Login</title></html>"),
        Reply::body("text/plain", "hello"),
        Reply::status(501, "not implemented"),
        Reply::status(402, "pay"),
        Reply::status(400, r#"{"error": {"message": "Your credit balance is too low to access the API"}}"#),
        Reply::body("text/event-stream", [0x1b, 0x03, 0x00, 0xf8]).header("content-encoding", "br"),
    ];
    for reply in trouble {
        assert!(requests_after(reply.clone()).await.is_err(), "{reply:?}");
    }
}

#[tokio::test]
async fn lesson_hidden_retries_the_number_of_requests_is_exact() {
    for (reply, message) in [
        (Reply::status(500, "oops"), "answered 500: oops"),
        (Reply::status(429, "wait"), "answered 429: wait"),
        (Reply::drop(), "cannot reach the model server"),
    ] {
        for attempts in [1, 3] {
            let reply = reply.clone();
            let server = MockServer::start(move |_| reply.clone()).await.unwrap();
            let retry = RetryPolicy { attempts, ..config(&server).retry };
            let model = OpenAiCompatible::new(HttpConfig { retry, ..config(&server) }).unwrap();
            let error = model.complete(&request()).await.unwrap_err();
            assert!(error.to_string().contains(message), "{error}");
            assert_eq!(server.stats().requests, attempts as usize);
        }
    }
}

#[tokio::test]
async fn a_server_that_falls_silent_is_asked_once_more() {
    let silent = [
        Reply::stall(),
        Reply::steps([Step::delta("thr"), Step::Stall]),
        Reply::steps([Step::send(": keep-alive\n\n"), Step::Stall]),
    ];
    for reply in silent {
        let short = Some(Duration::from_millis(20));
        let stuck = MockServer::start(move |_| reply.clone()).await.unwrap();
        let timeouts = artoo_llm_http::Timeouts { first_byte: short, idle: short, ..config(&stuck).timeouts };
        let retry = RetryPolicy { attempts: 9, ..config(&stuck).retry };
        let model = OpenAiCompatible::new(HttpConfig { timeouts, retry, ..config(&stuck) }).unwrap();
        let error = model.complete(&request()).await.unwrap_err();
        assert!(matches!(error, LlmError::TimedOut { .. }), "{error}");
        // As the client counts: under load the server may not have read a request when the client is gone.
        assert_eq!(error.usage().requests, 2, "each silence is long");
    }
}

/// The time that a call takes with the wait between its two requests, on the real clock.
async fn wait_asked_by(reply: Reply, budget: Duration) -> Result<Duration, LlmError> {
    let server =
        MockServer::start(move |call| if call.ordinal == 0 { reply.clone() } else { Reply::text("ok") })
            .await;
    let server = server.unwrap();
    let retry = RetryPolicy { budget, ..config(&server).retry };
    let hour = Duration::from_secs(3600);
    let timeouts = artoo_llm_http::Timeouts { connect: hour, first_byte: Some(hour), idle: Some(hour) };
    let model = OpenAiCompatible::new(HttpConfig { retry, timeouts, ..config(&server) }).unwrap();
    let start = Instant::now();
    model.complete(&request()).await?;
    Ok(start.elapsed())
}

#[tokio::test]
async fn retry_after_in_seconds_and_as_a_date_is_waited_in_full() {
    let minute = Duration::from_secs(60);
    let busy = || Reply::status(429, "wait");
    let dated =
        |after: &str| busy().header("date", "Sun, 06 Nov 1994 08:49:37 GMT").header("retry-after", after);
    let waited = wait_asked_by(busy().header("retry-after", "1"), minute).await.unwrap();
    assert!(waited >= Duration::from_secs(1));
    let waited = wait_asked_by(dated("Sun, 06 Nov 1994 08:49:38 GMT"), minute).await.unwrap();
    assert!(waited >= Duration::from_secs(1));
    // Without the server's clock its date means nothing; the policy's own wait is zero here.
    wait_asked_by(busy().header("retry-after", "Sun, 06 Nov 2994 08:49:38 GMT"), minute).await.unwrap();

    // The header of a response in whose body the failure is.
    let inside = Reply::body("application/json", r#"{"error": {"message": "wait", "code": 429}}"#);
    let waited = wait_asked_by(inside.header("retry-after", "1"), minute).await.unwrap();
    assert!(waited >= Duration::from_secs(1));

    for beyond in [busy().header("retry-after", "61"), dated("Sun, 06 Nov 1994 08:50:38 GMT")] {
        assert!(matches!(wait_asked_by(beyond, minute).await, Err(LlmError::Status { status: 429, .. })));
    }
}

/// Half an answer that a server ends with an error, a pause or a word that is no end: asked for again, and
/// reported in the server's words if it stays so.
#[tokio::test]
async fn an_answer_that_did_not_come_to_its_end_is_asked_for_again() {
    let ended = |choice: &str| {
        format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"There are 3 files, and"}}}}, {choice}]}}"#)
    };
    for (choice, words) in [
        (
            r#"{"index":0,"delta":{},"finish_reason":"error","error":{"code":502,"message":"upstream went away"}}"#,
            "upstream went away",
        ),
        (r#"{"index":0,"delta":{},"finish_reason":"network_error"}"#, "network_error"),
        (r#"{"index":0,"delta":{},"finish_reason":""}"#, "empty"),
        (r#"{"index":0,"delta":{},"finish_reason":"tool_calls"}"#, "tool call"),
    ] {
        let half = ended(choice);
        let reply = Reply::events([half.as_str(), "[DONE]"]);
        let once = reply.clone();
        let server =
            MockServer::start(move |call| if call.ordinal == 0 { once.clone() } else { Reply::text("3") });
        let server = server.await.unwrap();
        let answer = client(&server).complete(&request()).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.usage.requests), ("3", 2), "{words}");
        assert!(answer.usage.completion_tokens > 5, "the half is on the bill: {:?}", answer.usage);
        let server = MockServer::start(move |_| reply.clone()).await.unwrap();
        let error = client(&server).complete(&request()).await.unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(server.stats().requests, 3, "{words}");
    }
}

/// A rate limit in the body of a 200 is one.
#[tokio::test]
async fn a_status_in_a_body_counts() {
    let server = MockServer::start(|call| match call.ordinal {
        0 => Reply::json(&serde_json::json!({"message": "quota exceeded", "code": 429})),
        1 => Reply::events([r#"{"object": "error", "message": "busy", "code": 503}"#]),
        _ => Reply::text("3"),
    });
    let server = server.await.unwrap();
    assert_eq!(client(&server).complete(&request()).await.unwrap().usage.requests, 3);
    let denied = serde_json::json!({"object": "error", "message": "The model does not exist.", "code": 404});
    let server = MockServer::start(move |_| Reply::json(&denied)).await.unwrap();
    let error = client(&server).complete(&request()).await.unwrap_err();
    assert!(
        matches!(&error, LlmError::Status { status: 404, message, .. } if message == "The model does not exist."),
        "{error}"
    );
    assert_eq!(server.stats().requests, 1);
}
