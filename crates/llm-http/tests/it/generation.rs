//! Servers that read the model's calls and JSON themselves, and refuse what the model wrote badly.

use artoo_llm_client::{JsonSchema, LlmClient, LlmError, Request};
use artoo_llm_http::doubles::{Call, MockServer, Reply};
use serde_json::json;

use crate::request;
use crate::tools::{client, offering};

fn with_schema() -> Request {
    request().with_schema(JsonSchema { name: "n".into(), schema: json!({"type": "object"}).into() })
}

fn failed(code: &str) -> Reply {
    let error = json!({"message": "Failed to call a function. Please adjust your prompt.", "type": "invalid_request_error",
        "code": code, "failed_generation": "<function=look>{}</function>"});
    Reply::status(400, json!({"error": error}).to_string())
}

#[tokio::test]
async fn what_the_model_wrote_badly_once_is_asked_for_again() {
    for (request, code) in [(offering(), "tool_use_failed"), (with_schema(), "json_validate_failed")] {
        let server =
            MockServer::start(move |call| if call.ordinal == 0 { failed(code) } else { Reply::text("{}") });
        let server = server.await.unwrap();
        let model = client(&server);
        assert_eq!(model.complete(&request).await.unwrap().usage.requests, 2);
        let calls = server.calls();
        let shape =
            |call: &Call| (call.body.get("tools").cloned(), call.body.get("response_format").cloned());
        assert_eq!(shape(&calls[0]), shape(&calls[1]), "in the same form");
        assert_ne!(calls[0].body["temperature"], calls[1].body["temperature"], "but another sample");
        assert!(model.takes_tools() && model.structured(), "the server can do both");
    }
}

#[tokio::test]
async fn what_it_writes_badly_again_is_read_by_the_client() {
    let server = MockServer::start(|call| match call.body.get("tools") {
        Some(_) => failed("tool_use_failed"),
        None => Reply::text("{}"),
    })
    .await
    .unwrap();
    let model = client(&server);
    assert_eq!(model.complete(&offering()).await.unwrap().usage.requests, 3);
    let prompt = server.calls().pop().unwrap().body["messages"][0]["content"].to_string();
    assert!(prompt.contains("look"), "the tools are in the prompt: {prompt}");
    assert!(model.takes_tools(), "the next call may go well");
}

#[tokio::test]
async fn a_server_that_always_fails_is_not_asked_for_ever() {
    let server = MockServer::start(|_| failed("tool_use_failed")).await.unwrap();
    let error = client(&server).complete(&offering()).await.unwrap_err();
    assert!(matches!(error, LlmError::Status { status: 400, .. }), "{error}");
    assert_eq!(server.stats().requests, 3, "as often as the policy says");
}

/// Ollama and llama-server report it as a failure of their own, which names tools.
#[tokio::test]
async fn an_internal_error_about_a_call_is_no_refusal_of_tools() {
    let server = MockServer::start(|call| match call.ordinal {
        0 => Reply::status(500, r#"{"error": {"message": "error parsing tool call: raw='{\"a', err=unexpected end of JSON input", "type": "api_error"}}"#),
        _ => Reply::text("ok"),
    })
    .await
    .unwrap();
    let model = client(&server);
    model.complete(&offering()).await.unwrap();
    assert!(model.takes_tools());
}
