//! Servers with smaller limits than the model's name promises: what is asked for next, and what is remembered.

use artoo_llm_client::{LlmClient, LlmError, ModelProfile, ReasoningEffort};
use artoo_llm_http::doubles::{Call, MockServer, Reply};
use artoo_llm_http::{Anthropic, ApiKey, HttpConfig, OpenAiCompatible};
use serde_json::{Value, json};

use crate::{config, request};

fn refused(status: u16, message: &str) -> Reply {
    let error =
        json!({"message": message, "type": "invalid_request_error", "param": "max_tokens", "code": status});
    Reply::status(status, json!({"error": error}).to_string())
}

fn asked(call: &Call) -> Option<u64> {
    let field = |name: &str| call.body.get(name).and_then(Value::as_u64);
    field("max_tokens").or_else(|| field("max_completion_tokens"))
}

fn limits(server: &MockServer) -> Vec<Option<u64>> {
    server.calls().iter().map(asked).collect()
}

fn of_qwen(server: &MockServer) -> OpenAiCompatible {
    let profile = Some(ModelProfile::of("qwen3-32b"));
    OpenAiCompatible::new(HttpConfig { profile, ..config(server) }).unwrap()
}

/// A server with a context of 8,192 tokens in which the prompt takes 1,200.
async fn small(wording: fn(u64) -> String) -> MockServer {
    MockServer::start(move |call| match asked(call) {
        Some(most) if most + 1_200 > 8_192 => refused(400, &wording(most)),
        _ => Reply::text("ok"),
    })
    .await
    .unwrap()
}

#[tokio::test]
async fn a_smaller_context_is_applied_at_once_and_from_then_on() {
    let wordings: [fn(u64) -> String; 3] = [
        |most| {
            format!(
                "'max_tokens' or 'max_completion_tokens' is too large: {most}. This model's maximum context length is 8192 tokens and your request has 1200 input tokens ({most} > 8192 - 1200)."
            )
        },
        |most| {
            format!(
                "This model's maximum context length is 8192 tokens. However, you requested {} tokens (1200 in the messages, {most} in the completion).",
                most + 1_200
            )
        },
        |most| {
            format!(
                "input length and `max_tokens` exceed context limit: 1200 + {most} > 8192, decrease input length or `max_tokens` and try again"
            )
        },
    ];
    for wording in wordings {
        let server = small(wording).await;
        let model = of_qwen(&server);
        assert_eq!(model.profile().context_tokens, 32_000);
        let request = request().with_max_tokens(12_000);
        let completion = model.complete(&request).await.unwrap();
        assert_eq!(completion.usage.requests, 2);
        assert_eq!(limits(&server), [Some(12_000), Some(8_192 - 1_200 - 150 - 64)]);
        let profile = model.profile();
        assert_eq!(
            (profile.context_tokens, profile.output_tokens),
            (8_192, 4_096),
            "roles size their prompts by it"
        );
        assert_eq!(model.complete(&request).await.unwrap().usage.requests, 1, "it is remembered");
    }
}

#[tokio::test]
async fn the_most_that_an_answer_may_have_is_applied_at_once() {
    let server = MockServer::start(|call| match asked(call) {
        Some(most) if most > 4_096 => refused(400, &format!("max_tokens is too large: {most}. This model supports at most 4096 completion tokens, whereas you provided {most}.")),
        _ => Reply::text("ok"),
    })
    .await
    .unwrap();
    let model = of_qwen(&server);
    let request = request().with_max_tokens(12_000);
    model.complete(&request).await.unwrap();
    model.complete(&request).await.unwrap();
    assert_eq!(limits(&server), [Some(12_000), Some(4_096), Some(4_096)]);
    assert_eq!((model.profile().context_tokens, model.profile().output_tokens), (32_000, 4_096));
}

#[tokio::test]
async fn the_messages_api_has_its_own_wording() {
    let server = MockServer::start(|call| match asked(call) {
        Some(most) if most > 8_192 => refused(
            400,
            &format!("max_tokens: {most} > 8192, which is the maximum allowed number of output tokens for m"),
        ),
        _ => Reply::text("ok"),
    })
    .await
    .unwrap();
    let api_key = Some(ApiKey::new("sk-ant-test").unwrap());
    let model = Anthropic::new(HttpConfig { api_key, ..config(&server) }).unwrap();
    model.complete(&request().with_max_tokens(32_000)).await.unwrap();
    assert_eq!(limits(&server), [Some(32_000), Some(8_192)]);
}

#[tokio::test]
async fn a_refusal_without_numbers_is_asked_without_a_limit() {
    let server = MockServer::start(|call| match asked(call) {
        Some(_) => refused(400, "The request exceeds the context window of qwen3-32b-8192."),
        None => Reply::text("ok"),
    })
    .await
    .unwrap();
    let model = of_qwen(&server);
    model.complete(&request().with_max_tokens(8_000)).await.unwrap();
    assert_eq!(limits(&server), [Some(8_000), None]);
    assert_eq!(model.profile().context_tokens, 32_000, "no number of the message is a limit");
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_reported_in_the_server_s_words() {
    let message = "This model's maximum context length is 4096 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.";
    let server = MockServer::start(move |_| refused(400, message)).await.unwrap();
    let model = of_qwen(&server);
    let error = model.complete(&request()).await.unwrap_err();
    assert!(matches!(error, LlmError::TooLong { tokens: Some(9001), limit: Some(4096), .. }), "{error}");
    assert!(error.to_string().ends_with(message), "{error}");
    assert_eq!(server.stats().requests, 1);
    assert_eq!(model.profile().context_tokens, 4_096);
}

#[tokio::test]
async fn an_account_pays_for_as_much_as_it_can() {
    let server = MockServer::start(|call| match asked(call) {
        Some(most) if most > 3_919 => refused(402, &format!("This request requires more credits, or fewer max_tokens. You requested up to {most} tokens, but can only afford 3919.")),
        _ => Reply::text("ok"),
    })
    .await
    .unwrap();
    let model = of_qwen(&server);
    model.complete(&request().with_max_tokens(8_000)).await.unwrap();
    assert_eq!(limits(&server), [Some(8_000), Some(3_919)]);
    let broke =
        MockServer::start(|_| refused(402, "You requested up to 8000 tokens, but can only afford 0."))
            .await
            .unwrap();
    let error = of_qwen(&broke).complete(&request().with_max_tokens(8_000)).await.unwrap_err();
    assert!(matches!(error, LlmError::NoCredit { status: 402, .. }), "{error}");
    assert!(error.hint().unwrap().contains("credit"));
    assert_eq!(broke.stats().requests, 1);
}

#[tokio::test]
async fn the_other_name_of_the_limit_is_tried_before_none() {
    let server = MockServer::start(|call| {
        for name in ["max_tokens", "max_completion_tokens"] {
            if call.body.get(name).is_some() {
                return refused(400, &format!("Unsupported parameter: {name}"));
            }
        }
        Reply::text("ok")
    })
    .await
    .unwrap();
    let model = of_qwen(&server);
    assert_eq!(model.complete(&request()).await.unwrap().usage.requests, 3);
    assert_eq!(model.complete(&request()).await.unwrap().usage.requests, 1);
}

#[tokio::test]
async fn what_the_profile_says_is_what_is_sent() {
    let server = MockServer::start(|call| {
        if call.body.get("reasoning_effort").is_some_and(|effort| effort == "minimal") {
            return Reply::status(
                400,
                json!({"error": {"message": "Unsupported value", "param": "reasoning_effort"}}).to_string(),
            );
        }
        Reply::text("ok")
    })
    .await
    .unwrap();
    let sent = async |profile: ModelProfile| {
        let before = server.stats().requests;
        let model = OpenAiCompatible::new(HttpConfig { profile: Some(profile), ..config(&server) }).unwrap();
        model.complete(&request()).await.unwrap();
        let call = server.calls().pop().unwrap();
        (
            call.body.get("temperature").cloned(),
            call.body.get("reasoning_effort").cloned(),
            server.stats().requests - before,
        )
    };
    let plain = ModelProfile::of("gpt-4o");
    assert_eq!(sent(plain.clone()).await, (Some(json!(0.0)), None, 1));
    assert_eq!(
        sent(ModelProfile::of("gpt-5-mini")).await,
        (None, None, 1),
        "the vendor refuses a temperature"
    );
    let effort = |effort| ModelProfile { reasoning_effort: Some(effort), ..plain.clone() };
    assert_eq!(sent(effort(ReasoningEffort::Low)).await, (Some(json!(0.0)), Some(json!("low")), 1));
    assert_eq!(
        sent(effort(ReasoningEffort::Minimal)).await,
        (Some(json!(0.0)), None, 2),
        "refused, and left out"
    );
}

#[tokio::test]
async fn the_profile_tells_how_long_the_server_may_be_silent() {
    let server = MockServer::start(|_| Reply::text("ok")).await.unwrap();
    let silence = |base_url: &str, seconds: Option<u32>| {
        let profile = Some(ModelProfile { silence_seconds: seconds, ..ModelProfile::default() });
        let config = HttpConfig { profile, ..HttpConfig::new(base_url, "m") };
        OpenAiCompatible::new(config).unwrap().profile().silence_seconds
    };
    assert_eq!(silence(&server.base_url(), None), Some(1_800));
    assert_eq!(silence(&server.base_url(), Some(60)), Some(60));
    assert_eq!(silence("http://192.0.2.1/v1", None), Some(300));
}
