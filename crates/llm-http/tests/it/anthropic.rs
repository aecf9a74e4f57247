//! The Messages API.

use artoo_llm_client::{JsonSchema, LlmClient, LlmError, Obtained, ask};
use artoo_llm_http::doubles::{MockServer, Reply};
use artoo_llm_http::{Anthropic, ApiKey, HttpConfig};
use serde_json::json;

use crate::{config, request};

fn client(server: &MockServer) -> Anthropic {
    Anthropic::new(HttpConfig { api_key: Some(ApiKey::new("sk-ant-test").unwrap()), ..config(server) })
        .unwrap()
}

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct Count {
    files: u8,
}

#[tokio::test]
async fn a_streamed_answer_and_what_was_sent() {
    let server = MockServer::start(|_| Reply::text("three")).await.unwrap();
    let completion = client(&server).complete(&request()).await.unwrap();
    assert_eq!(completion.text, "three");
    assert_eq!((completion.usage.prompt_tokens, completion.usage.completion_tokens), (10, 5));
    let calls = server.calls();
    assert_eq!(calls[0].path, "/v1/messages");
    assert_eq!(calls[0].header("x-api-key"), Some("sk-ant-test"));
    assert_eq!(calls[0].header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(calls[0].body["system"][0]["cache_control"], json!({"type": "ephemeral"}));
}

#[tokio::test]
async fn a_gateway_that_refuses_output_config_gets_a_tool_and_that_is_remembered() {
    let server = MockServer::start(|call| {
        if call.body.get("output_config").is_some() {
            let message = "output_config: Extra inputs are not permitted";
            let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}});
            return Reply::status(400, error.to_string());
        }
        assert_eq!(call.body["tool_choice"]["name"], "count");
        let piece = |json: &str| json!({"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": json}});
        let stop = json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}});
        let events = [piece("{\"files\""), piece(": 3}"), stop, json!({"type": "message_stop"})];
        let events: Vec<String> = events.iter().map(ToString::to_string).collect();
        Reply::events(events.iter().map(String::as_str))
    })
    .await
    .unwrap();
    let model = client(&server);
    let request = request().with_schema(JsonSchema::of::<Count>("count"));
    for requests in [2, 1] {
        let answer = ask::<Count>(&model, request.clone()).await.unwrap();
        assert_eq!((answer.value, answer.obtained), (Count { files: 3 }, Obtained::Direct));
        assert_eq!(answer.usage.requests, requests);
    }
    assert!(model.structured());
}

#[tokio::test]
async fn overload_in_mid_stream_is_tried_again() {
    let server = MockServer::start(|call| match call.ordinal {
        0 => Reply::events([
            r#"{"type":"message_start","message":{}}"#,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        ]),
        1 => Reply::status(529, "{}"),
        _ => Reply::text("three"),
    })
    .await
    .unwrap();
    assert_eq!(client(&server).complete(&request()).await.unwrap().usage.requests, 3);
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_named_as_such() {
    let server = MockServer::start(|_| {
        let error = json!({"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000 maximum"});
        Reply::status(400, json!({"type": "error", "error": error}).to_string())
    })
    .await
    .unwrap();
    let error = client(&server).complete(&request()).await.unwrap_err();
    assert!(
        matches!(error, LlmError::TooLong { tokens: Some(210_000), limit: Some(200_000), .. }),
        "{error}"
    );
}
