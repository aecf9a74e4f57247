//! How far a call is, as who waits for it is told.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use artoo_llm_client::{Completion, LlmClient, LlmError, Progress, Reporter, RetryReason};
use artoo_llm_http::doubles::{MockServer, Reply, Step};
use artoo_llm_http::{Anthropic, ApiKey, HttpConfig, OpenAiCompatible};
use serde_json::{Value, json};

use crate::{client, config, request};

/// Longer than the least time between two reports.
const PAUSE: Duration = Duration::from_millis(250);

/// What is reported while a call runs.
async fn reports(model: &impl LlmClient) -> (Vec<Progress>, Result<Completion, LlmError>) {
    let heard: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let listener = Arc::clone(&heard);
    let reporter = Reporter::new(move |progress| listener.lock().unwrap().push(progress));
    let result = reporter.during(model.complete(&request())).await;
    let heard = heard.lock().unwrap().clone();
    (heard, result)
}

/// The tokens of the reports.
fn tokens(reports: &[Progress]) -> Vec<u64> {
    let of = |report: &Progress| {
        if let Progress::ReceivingAnswer { tokens, .. } = report { Some(*tokens) } else { None }
    };
    reports.iter().filter_map(of).collect()
}

/// These pieces of an answer, with a pause after each, and its end.
fn slow(pieces: impl IntoIterator<Item = Step>, end: Step) -> Reply {
    let pieces = pieces.into_iter().flat_map(|piece| [piece, Step::Wait(PAUSE)]);
    Reply::steps(pieces.chain([end]))
}

fn event(value: &Value) -> Step {
    Step::send(format!("data: {value}\n\n"))
}

#[tokio::test]
async fn tokens_are_counted_as_they_arrive_in_both_dialects() {
    // Thoughts count: they may be most of what a model writes.
    let thought =
        json!({"choices": [{"index": 0, "delta": {"reasoning_content": "First, count them all."}}]});
    let reply = slow(
        [Step::send(": keep-alive\n\n"), event(&thought), Step::delta("one two three"), Step::delta(" four")],
        Step::finish(),
    );
    let server = MockServer::start(move |_| reply.clone()).await.unwrap();
    let (openai, result) = reports(&client(&server)).await;
    assert_eq!(result.unwrap().text, "one two three four");

    let delta = |kind: &str, field: &str, text: &str| {
        event(&json!({"type": "content_block_delta", "index": 0, "delta": {"type": kind, field: text}}))
    };
    let stop = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}});
    let end = Step::send(format!("data: {stop}\n\ndata: {}\n\n", json!({"type": "message_stop"})));
    let pieces = [
        event(&json!({"type": "ping"})),
        delta("thinking_delta", "thinking", "First, count them all."),
        delta("text_delta", "text", "one two three"),
        delta("text_delta", "text", " four"),
    ];
    let reply = slow(pieces, end);
    let server = MockServer::start(move |_| reply.clone()).await.unwrap();
    let key = Some(ApiKey::new("sk-ant-test").unwrap());
    let model = Anthropic::new(HttpConfig { api_key: key, ..config(&server) }).unwrap();
    let (anthropic, result) = reports(&model).await;
    assert_eq!(result.unwrap().text, "one two three four");

    for reports in [openai, anthropic] {
        assert_eq!(reports[0], Progress::WaitingForModel);
        let tokens = tokens(&reports);
        assert!(tokens.len() >= 2 && tokens.is_sorted(), "{reports:?}");
        assert!(tokens[0] > 0 && tokens[tokens.len() - 1] > tokens[0], "{reports:?}");
        assert!(reports.len() <= 12, "each piece is at most one report: {reports:?}");
    }
}

#[tokio::test]
async fn a_call_that_is_made_again_says_why_and_when() {
    let server = MockServer::start(|call| match call.ordinal {
        0 => Reply::status(503, "busy"),
        1 => Reply::drop(),
        _ => Reply::text("ok"),
    })
    .await
    .unwrap();
    let (reports, result) = reports(&client(&server)).await;
    assert_eq!(result.unwrap().usage.requests, 3);
    let again = |reason, attempt| Progress::WaitingToRetry {
        server: format!("{}/v1/chat/completions", server.base_url()),
        reason,
        attempt,
        of: 3,
        wait_ms: 0,
    };
    let expected = [
        Progress::WaitingForModel,
        again(RetryReason::Status(503), 2),
        Progress::WaitingForModel,
        again(RetryReason::NoConnection, 3),
        Progress::WaitingForModel,
    ];
    assert_eq!(reports.get(..5), Some(&expected[..]), "{reports:?}");
}

#[tokio::test]
async fn a_call_that_waits_for_others_says_so() {
    let gate = Arc::new(tokio::sync::Notify::new());
    let open = Arc::clone(&gate);
    let server = MockServer::start(move |call| match call.ordinal {
        0 => Reply::steps([Step::Gate(Arc::clone(&gate)), Step::delta("one"), Step::finish()]),
        _ => Reply::text("two"),
    })
    .await
    .unwrap();
    let model =
        Arc::new(OpenAiCompatible::new(HttpConfig { max_connections: 1, ..config(&server) }).unwrap());
    let first = tokio::spawn({
        let model = Arc::clone(&model);
        async move { model.complete(&request()).await.unwrap() }
    });
    server.wait_until(|stats| stats.requests == 1).await;
    let heard: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let listener = Arc::clone(&heard);
    let reporter = Reporter::new(move |progress| {
        if progress == Progress::Queued {
            open.notify_one();
        }
        listener.lock().unwrap().push(progress);
    });
    assert_eq!(reporter.during(model.complete(&request())).await.unwrap().text, "two");
    assert_eq!(first.await.unwrap().text, "one");
    assert_eq!(heard.lock().unwrap()[..2], [Progress::Queued, Progress::WaitingForModel]);
}
