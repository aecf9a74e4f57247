//! Usage of failed calls: it is on the server's bill, so it must be in ours too.

use artoo_llm_client::{LlmClient, LlmError, RetryPolicy, Usage};
use artoo_llm_http::doubles::{MockServer, Reply, Step};
use artoo_llm_http::{Anthropic, ApiKey, HttpConfig, OpenAiCompatible};
use serde_json::{Value, json};

use crate::{client, config, request};

/// The error of a client without retries.
async fn error(reply: Reply) -> LlmError {
    let server = MockServer::start(move |_| reply.clone()).await.unwrap();
    let config = HttpConfig { retry: RetryPolicy::NONE, ..config(&server) };
    OpenAiCompatible::new(config).unwrap().complete(&request()).await.unwrap_err()
}

/// The same with the Messages API.
async fn anthropic(steps: Vec<Step>) -> LlmError {
    let reply = Reply::steps(steps);
    let server = MockServer::start(move |_| reply.clone()).await.unwrap();
    let api_key = Some(ApiKey::new("sk-ant-test").unwrap());
    let config = HttpConfig { retry: RetryPolicy::NONE, api_key, ..config(&server) };
    Anthropic::new(config).unwrap().complete(&request()).await.unwrap_err()
}

/// The token counts, whether they are estimated, and the number of requests.
fn tokens(usage: Usage) -> (u64, u64, bool, u32) {
    (usage.prompt_tokens, usage.completion_tokens, usage.estimated, usage.requests)
}

fn usage() -> Value {
    json!({"prompt_tokens": 10, "completion_tokens": 5})
}

fn event(data: &Value) -> Step {
    Step::send(format!("data: {data}\n\n"))
}

#[tokio::test]
async fn counts_that_came_before_the_failure_are_kept() {
    let counted = event(&json!({"choices": [], "usage": usage()}));
    let overloaded = json!({"message": "overloaded", "code": 503});
    let failures = [
        // The stream breaks after the counts.
        Reply::steps([Step::delta("thr"), counted.clone(), Step::Drop]),
        // Invalid data follow the counts.
        Reply::steps([Step::delta("thr"), counted.clone(), Step::send("data: {nonsense\n\n"), Step::Drop]),
        // The counts accompany an error, or a response that is not an answer.
        Reply::steps([Step::delta("thr"), event(&json!({"error": overloaded, "usage": usage()}))]),
        Reply::json(&json!({"error": overloaded, "usage": usage()})),
        Reply::json(&json!({"result": "three", "usage": usage()})),
    ];
    for reply in failures {
        let error = error(reply.clone()).await;
        assert!(matches!(error, LlmError::Protocol { .. } | LlmError::Status { .. }), "{error}");
        assert_eq!(tokens(error.usage()), (10, 5, false, 1), "{reply:?}");
    }
}

/// The counts of a stream come at its end. Without the end, the received part of the answer is estimated, and
/// marked as such.
#[tokio::test]
async fn words_without_counts_are_estimated() {
    let broken = error(Reply::steps([Step::delta("four characters each"), Step::Drop])).await.usage();
    assert_eq!((broken.completion_tokens, broken.estimated, broken.requests), (5, true, 1));
    assert!(broken.prompt_tokens > 0);
}

#[tokio::test]
async fn where_nothing_was_told_nothing_is_claimed() {
    let page = "<!doctype html><html><head><title>Sign in</title></head></html>";
    for reply in [
        Reply::status(500, "oops"),
        Reply::status(401, r#"{"error": {"message": "bad key"}}"#),
        Reply::drop(),
        Reply::steps([Step::Head, Step::Drop]),
        Reply::body("text/html", page),
        Reply::json(&json!({})),
    ] {
        let error = error(reply.clone()).await;
        assert_eq!(tokens(error.usage()), (0, 0, false, 1), "{reply:?}");
    }
}

/// Its first event has the input tokens; the output tokens come last.
#[tokio::test]
async fn the_messages_api_tells_first_what_it_read() {
    let head = json!({"type": "message_start", "message": {"model": "mock",
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 4, "output_tokens": 1}}});
    let words = json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "four characters each"}});
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let unheard = anthropic(vec![event(&head), Step::Drop]).await;
    assert_eq!(tokens(unheard.usage()), (14, 1, false, 1), "{unheard}");
    assert_eq!(unheard.usage().cached_tokens, 4);
    let cut = anthropic(vec![event(&head), event(&words), event(&overloaded)]).await;
    assert_eq!(tokens(cut.usage()), (14, 5, true, 1), "{cut}");
}

/// A failed attempt is billed whether or not a later one succeeds.
#[tokio::test]
async fn attempts_in_vain_are_in_the_sum() {
    let counted = event(&json!({"choices": [], "usage": usage()}));
    let broken = Reply::steps([Step::delta("thr"), counted, Step::Drop]);
    let last = broken.clone();
    let server =
        MockServer::start(move |call| if call.ordinal < 2 { broken.clone() } else { Reply::text("ok") });
    let server = server.await.unwrap();
    let completion = client(&server).complete(&request()).await.unwrap();
    assert_eq!(tokens(completion.usage), (30, 15, false, 3));
    let server = MockServer::start(move |_| last.clone()).await.unwrap();
    let error = client(&server).complete(&request()).await.unwrap_err();
    let attempts = u32::try_from(server.stats().requests).unwrap();
    assert!(attempts > 1);
    let sum = u64::from(attempts);
    assert_eq!(tokens(error.usage()), (10 * sum, 5 * sum, false, attempts));
}

/// A budget of tokens would never fill.
#[tokio::test]
async fn counts_that_cannot_be_true_are_estimated() {
    let answer = |usage: &Value| json!({"choices": [{"message": {"content": "three"}, "finish_reason": "stop"}], "usage": usage});
    let said = |usage: &Value| json!({"content": [{"type": "text", "text": "three"}], "stop_reason": "end_turn", "usage": usage});
    for count in [json!(0), json!(-1), json!("100"), json!(null), json!(1.5), json!(1e18)] {
        let body = answer(&json!({"prompt_tokens": count, "completion_tokens": count}));
        let server = MockServer::start(move |_| Reply::json(&body)).await.unwrap();
        let usage = client(&server).complete(&request()).await.unwrap().usage;
        let estimate = artoo_llm_client::estimate_usage(&request(), "three");
        assert_eq!(tokens(usage), tokens(estimate), "{count}");
        let body = said(&json!({"input_tokens": count, "output_tokens": count}));
        let server = MockServer::start(move |_| Reply::json(&body)).await.unwrap();
        let usage = Anthropic::new(config(&server)).unwrap().complete(&request()).await.unwrap().usage;
        assert_eq!(tokens(usage), tokens(estimate), "{count}");
    }
}
