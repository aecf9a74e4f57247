//! Structured answers from servers with full, partial or no support.

use artoo_llm_client::{JsonSchema, LlmClient, LlmError, ModelProfile, Obtained, ask};
use artoo_llm_http::doubles::{MockServer, Reply};
use artoo_llm_http::{HttpConfig, OpenAiCompatible, StructuredMode};
use serde_json::{Value, json};

use crate::{client, config, request};

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct Count {
    files: u8,
    note: Option<String>,
}

fn asking() -> artoo_llm_client::Request {
    request().with_schema(JsonSchema::of::<Count>("count"))
}

async fn obtained(texts: &'static [&'static str]) -> Result<Obtained, LlmError> {
    let server =
        MockServer::start(|call| Reply::text(*texts.get(call.ordinal).unwrap_or(&"one call too many"))).await;
    let server = server.unwrap();
    let answer = ask::<Count>(&client(&server), asking()).await;
    assert_eq!(server.stats().requests, texts.len());
    answer.map(|answer| {
        assert_eq!(answer.value.files, 3);
        answer.obtained
    })
}

#[tokio::test]
async fn servers_that_ignore_the_schema_still_give_a_value() {
    let extracted = |before, after, more| Some(Obtained::Extracted { before, after, more });
    assert_eq!(obtained(&["{\"files\": 3}"]).await.ok(), Some(Obtained::Direct));
    assert_eq!(obtained(&["Sure: {\"files\": 3}. Done."]).await.ok(), extracted(6, 7, false));
    assert_eq!(obtained(&["```json\n{\"files\": 3}\n```"]).await.ok(), extracted(8, 4, false));
    assert_eq!(obtained(&["{\"files\": 3} {\"files\": 4}"]).await.ok(), extracted(0, 13, true));
    // The client removes the block, so nothing is left to extract.
    assert_eq!(obtained(&["<think>{}</think>{\"files\": 3}"]).await.ok(), Some(Obtained::Direct));
    assert!(matches!(
        obtained(&["{\"files\": \"3\"}", "{\"files\": 3}"]).await,
        Ok(Obtained::Repaired { .. })
    ));
    assert!(matches!(obtained(&["{\"files\": \"3\"}", "three"]).await, Err(LlmError::Unusable { .. })));
}

/// The strongest accepted way of a server that refuses every request for which `refuses` holds.
async fn settled(refuses: fn(&Value) -> bool) -> (Vec<Value>, bool) {
    let server = MockServer::start(move |call| {
        let format = call.body.get("response_format").cloned().unwrap_or_default();
        if refuses(&format) {
            return Reply::status(
                400,
                json!({"error": {"message": "unknown", "param": "response_format"}}).to_string(),
            );
        }
        Reply::text("{\"files\": 3}")
    })
    .await
    .unwrap();
    let model = client(&server);
    assert!(model.structured());
    ask::<Count>(&model, asking()).await.unwrap();
    let first = server.stats().requests;
    ask::<Count>(&model, asking()).await.unwrap();
    assert_eq!(server.stats().requests, first + 1, "what was learned is remembered");
    let last = server.calls().pop().unwrap().body;
    let in_prompt = last["messages"][0]["content"].as_str().unwrap().matches("JSON Schema").count();
    assert!(in_prompt <= 1);
    let calls = server.calls();
    let format =
        |body: &Value| body.get("response_format").map_or(Value::Null, |format| format["type"].clone());
    (calls.iter().map(|call| format(&call.body)).collect(), in_prompt == 1)
}

#[tokio::test]
async fn a_client_learns_what_its_server_takes() {
    let schema = || json!("json_schema");
    assert_eq!(settled(|_| false).await, (vec![schema(), schema()], false));
    let strict = |format: &Value| format["json_schema"]["strict"] == true;
    assert_eq!(settled(strict).await, (vec![schema(), schema(), schema()], false));
    let (formats, in_prompt) = settled(|format| format["type"] == "json_schema").await;
    assert_eq!((formats.last(), formats.len(), in_prompt), (Some(&json!("json_object")), 4, true));
    let (formats, in_prompt) = settled(|format| !format.is_null()).await;
    assert_eq!((formats.last(), formats.len(), in_prompt), (Some(&Value::Null), 5, true));
}

#[tokio::test]
async fn a_client_told_how_to_ask_does_not_experiment() {
    let server = MockServer::start(|_| Reply::status(400, "no response_format here")).await.unwrap();
    let config = HttpConfig { structured: StructuredMode::JsonObject, ..config(&server) };
    let model = OpenAiCompatible::new(config).unwrap();
    assert!(!model.structured());
    assert!(ask::<Count>(&model, asking()).await.is_err());
    assert_eq!(server.stats().requests, 1);
}

#[tokio::test]
async fn a_refusal_of_a_bad_request_teaches_nothing() {
    let server =
        MockServer::start(|_| Reply::status(400, "response_format is not what is wrong here")).await.unwrap();
    let model = client(&server);
    assert!(ask::<Count>(&model, asking()).await.is_err());
    assert!(model.structured(), "the request failed in every dialect");
}

#[tokio::test]
async fn other_parts_of_the_protocol_are_left_out_on_demand() {
    let server = MockServer::start(|call| {
        for (field, message) in [
            ("stream_options", "Unrecognized request argument: stream_options"),
            ("max_tokens", "'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
            ("temperature", "'temperature' does not support 0 with this model."),
        ] {
            if call.body.get(field).is_some() {
                return Reply::status(400, json!({"error": {"message": message}}).to_string());
            }
        }
        Reply::text_without_usage("ok")
    })
    .await
    .unwrap();
    let model = client(&server);
    assert_eq!(model.complete(&request()).await.unwrap().usage.requests, 4);
    let usage = model.complete(&request()).await.unwrap().usage;
    assert_eq!((usage.requests, usage.estimated), (1, true));
}

/// Some servers accept a schema and ignore it; the profile can say so.
#[tokio::test]
async fn a_server_that_is_known_to_ignore_schemas_is_told_them_in_the_prompt() {
    let server = MockServer::start(|_| Reply::text("{\"files\": 3}")).await.unwrap();
    let profile = ModelProfile { structured: false, ..ModelProfile::default() };
    let model = OpenAiCompatible::new(HttpConfig { profile: Some(profile), ..config(&server) }).unwrap();
    assert!(!model.structured());
    ask::<Count>(&model, asking()).await.unwrap();
    let body = server.calls().pop().unwrap().body;
    assert_eq!(body.get("response_format"), None);
    assert!(body["messages"][0]["content"].as_str().unwrap().contains("JSON Schema"));
}
