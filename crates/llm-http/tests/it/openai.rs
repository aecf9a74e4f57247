//! Working chat completions servers, each with its own variations.

use artoo_llm_client::{Completion, LlmClient, StopReason};
use artoo_llm_http::doubles::{MockServer, Reply, Step};
use artoo_llm_http::{ApiKey, HttpConfig, OpenAiCompatible};
use serde_json::json;

use crate::{client, config, request};

async fn answer(reply: Reply) -> Completion {
    let server = MockServer::start(move |_| reply.clone()).await.unwrap();
    client(&server).complete(&request()).await.unwrap()
}

#[tokio::test]
async fn a_streamed_answer_with_its_usage() {
    let completion = answer(Reply::text("three files")).await;
    assert_eq!((completion.text.as_str(), completion.stop), ("three files", StopReason::End));
    assert_eq!(completion.model, "mock");
    let usage = completion.usage;
    assert_eq!((usage.prompt_tokens, usage.completion_tokens, usage.requests), (10, 5, 1));
    assert!(!usage.estimated);
}

#[tokio::test]
async fn what_is_sent() {
    let server = MockServer::start(|_| Reply::text("ok")).await.unwrap();
    let key = ApiKey::new("sk-test").unwrap();
    let base_url = format!("{}/v1/chat/completions/", server.base_url());
    let model =
        OpenAiCompatible::new(HttpConfig { base_url, api_key: Some(key), ..config(&server) }).unwrap();
    model.complete(&request()).await.unwrap();
    let calls = server.calls();
    assert_eq!(calls[0].path, "/v1/chat/completions");
    assert_eq!(calls[0].header("authorization"), Some("Bearer sk-test"));
    assert_eq!(calls[0].header("content-type"), Some("application/json"));
    assert_eq!(calls[0].body["stream"], true);
    assert_eq!(calls[0].body["messages"][1], json!({"role": "user", "content": "How many?"}));
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let body = json!({"choices": [{"message": {"content": "three"}, "finish_reason": "length"}], "usage": {"prompt_tokens": 4, "completion_tokens": 1}});
    let completion = answer(Reply::json(&body)).await;
    assert_eq!((completion.text.as_str(), completion.stop), ("three", StopReason::Length));
    assert_eq!(completion.usage.prompt_tokens, 4);
    let pretty = serde_json::to_string_pretty(&body).unwrap();
    let completion = answer(Reply::body("text/event-stream", format!("\u{feff}\r\n{pretty}"))).await;
    assert_eq!(completion.text, "three");
}

#[tokio::test]
async fn without_a_usage_block_the_counts_are_estimated_and_say_so() {
    let completion = answer(Reply::text_without_usage("three files, 最大")).await;
    assert!(completion.usage.estimated);
    assert!(completion.usage.prompt_tokens > 0 && completion.usage.completion_tokens > 0);
}

#[tokio::test]
async fn lesson_61_reasoning_never_reaches_the_answer() {
    let thinking = r#"{"choices":[{"delta":{"reasoning_content":"hm","content":""}}]}"#;
    let block = r#"{"choices":[{"delta":{"content":"<think>2? 3?</th"}}]}"#;
    let text = r#"{"choices":[{"delta":{"content":"ink>\n\nthree"},"finish_reason":"stop"}]}"#;
    assert_eq!(answer(Reply::events([thinking, block, text, "[DONE]"])).await.text, "three");
}

#[tokio::test]
async fn odd_streams_are_read() {
    let pieces =
        "data: {\"choices\":[{\"delta\":{\"content\":\"最🙂\"}}]}\r\n\r\n: keep-alive\r\n\r\ndata: [DONE]";
    // Byte by byte, so every character and every line end is cut in two.
    let steps = pieces.as_bytes().iter().map(|byte| Step::Send(vec![*byte]));
    assert_eq!(answer(Reply::steps(steps)).await.text, "最🙂");
}

#[tokio::test]
async fn invalid_utf8_is_replaced() {
    let mut body = b"data: {\"choices\":[{\"delta\":{\"content\":\"a".to_vec();
    body.extend_from_slice(b"\xff\xfe");
    body.extend_from_slice(b"b\"},\"finish_reason\":\"stop\"}]}\n\n");
    assert_eq!(answer(Reply::body("text/event-stream", body)).await.text, "a\u{fffd}\u{fffd}b");
}
