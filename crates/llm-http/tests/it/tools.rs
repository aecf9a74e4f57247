//! Tools on servers that support, ignore, or refuse them, in both wire formats.

use std::sync::Arc;

use artoo_llm_client::{
    Completion, LlmClient, LlmError, Message, ModelProfile, Request, ToolCalling, ToolDefinition, ToolResult,
    ToolUse,
};
use artoo_llm_http::doubles::{Call, MockServer, Reply};
use artoo_llm_http::{Anthropic, HttpConfig, OpenAiCompatible};
use serde_json::{Value, json};

use crate::{config, request};

/// A configuration for a model known to call tools.
fn native(server: &MockServer) -> HttpConfig {
    let profile = ModelProfile { tool_calling: ToolCalling::Native, ..ModelProfile::default() };
    HttpConfig { profile: Some(profile), ..config(server) }
}

pub(super) fn client(server: &MockServer) -> OpenAiCompatible {
    OpenAiCompatible::new(native(server)).unwrap()
}

pub(super) fn offering() -> Request {
    let look = ToolDefinition {
        name: "look".into(),
        description: "Looks.".into(),
        parameters: Arc::new(json!({"type": "object"})),
    };
    request().with_tools(Arc::new([look]))
}

fn called(completion: &Completion) -> Vec<(&str, &str)> {
    completion.calls.iter().map(|call| (call.id.as_str(), call.arguments.as_str())).collect()
}

/// The next request, with "blue" as the result of each call.
fn after(mut request: Request, completion: &Completion) -> Request {
    let blue = |call: &ToolUse| ToolResult {
        id: call.id.clone(),
        content: "blue".into(),
        is_error: false,
        images: Vec::new(),
    };
    request.messages.push(Message::said(completion));
    request.messages.push(Message::results(completion.calls.iter().map(blue).collect()));
    request
}

fn two_calls() -> Reply {
    Reply::calls([("a", "look", json!({"at": "最🙂"})), ("b", "look", json!({}))])
}

#[tokio::test]
async fn several_calls_at_once_in_both_formats() {
    let server = MockServer::start(|call| match call.ordinal % 2 {
        0 => two_calls(),
        _ => Reply::text("blue"),
    })
    .await
    .unwrap();
    let models: [Box<dyn LlmClient>; 2] =
        [Box::new(client(&server)), Box::new(Anthropic::new(native(&server)).unwrap())];
    for model in models {
        let first = model.complete(&offering()).await.unwrap();
        assert_eq!(called(&first), [("a", "{\"at\":\"最🙂\"}"), ("b", "{}")]);
        let last = model.complete(&after(offering(), &first)).await.unwrap();
        assert_eq!((last.text.as_str(), last.calls.len()), ("blue", 0));
    }
    let calls = server.calls();
    let told = |call: &Call| call.body["messages"].as_array().unwrap().clone();
    assert_eq!(told(&calls[1])[3], json!({"role": "tool", "tool_call_id": "a", "content": "blue"}));
    assert_eq!(told(&calls[3])[2]["content"][0]["tool_use_id"], "a");
    // The tools are byte-identical, so that a provider can cache them.
    assert_eq!(calls[0].body["tools"].to_string(), calls[1].body["tools"].to_string());
    assert_eq!(calls[2].body["tools"].to_string(), calls[3].body["tools"].to_string());
}

/// One server refuses tools, another does so with other words and another status.
#[tokio::test]
async fn refused_tools_go_into_the_prompt_and_stay_there() {
    let refusals = [(400, "m does not support tools"), (500, "tools param requires --jinja flag")];
    for (status, words) in refusals {
        let server = MockServer::start(move |call| {
            if call.body.get("tools").is_some() {
                return Reply::status(status, json!({"error": {"message": words}}).to_string());
            }
            match call.ordinal {
                1 => Reply::text("{\"tool\": \"look\", \"arguments\": {\"at\": 1}}"),
                _ => Reply::text("blue"),
            }
        })
        .await
        .unwrap();
        let model = client(&server);
        let first = model.complete(&offering()).await.unwrap();
        assert_eq!((called(&first), first.text.as_str()), (vec![("text00001", "{\"at\":1}")], ""));
        assert_eq!(first.usage.requests, 2);
        let last = model.complete(&after(offering(), &first)).await.unwrap();
        assert_eq!((last.text.as_str(), last.usage.requests), ("blue", 1));
        let body = server.calls().pop().unwrap().body;
        assert!(body["messages"][0]["content"].as_str().unwrap().contains("- look: Looks."));
        assert_eq!(body["messages"][2]["content"], "{\"tool\":\"look\",\"arguments\":{\"at\":1}}");
        assert_eq!(body["messages"][3], json!({"role": "user", "content": "blue"}));
    }
}

#[tokio::test]
async fn a_model_without_native_calls_is_not_offered_any() {
    let server = MockServer::start(|_| Reply::text("{\"tool\": \"look\"}")).await.unwrap();
    let config = HttpConfig { model: "gemma3:12b".into(), ..config(&server) };
    let model = OpenAiCompatible::new(config).unwrap();
    assert_eq!(called(&model.complete(&offering()).await.unwrap()), [("text00001", "{}")]);
    assert_eq!(server.calls()[0].body.get("tools"), None);
}

/// Small servers accept tools and pass the model's calls through as text.
#[tokio::test]
async fn a_server_that_ignores_tools_is_understood() {
    let server =
        MockServer::start(|_| Reply::text("{\"name\": \"look\", \"parameters\": {}}")).await.unwrap();
    let model = client(&server);
    let first = model.complete(&offering()).await.unwrap();
    assert_eq!((called(&first), first.text.as_str()), (vec![("text00001", "{}")], ""));
    // Call ids are unique in the whole conversation, even if the server repeats them.
    let second = model.complete(&after(offering(), &first)).await.unwrap();
    assert_eq!(called(&second), [("call00002", "{}")]);
    assert!(server.calls()[1].body["messages"][2]["tool_calls"].is_array());
}

#[tokio::test]
async fn ids_that_are_missing_or_come_twice_are_told_apart_and_broken_arguments_stay() {
    let call =
        |id: Value, arguments: &str| json!({"id": id, "function": {"name": "look", "arguments": arguments}});
    let message = json!({"content": null, "tool_calls": [
        call(json!("a"), "{\"at\": "), call(json!("a"), ""), call(Value::Null, "{\"n\":1}"),
    ]});
    let body = json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]});
    let server = MockServer::start(move |_| Reply::json(&body)).await.unwrap();
    let model = client(&server);
    let first = model.complete(&offering()).await.unwrap();
    assert_eq!(called(&first), [("a", "{\"at\": "), ("call00001", "{}"), ("call00002", "{\"n\":1}")]);
    assert!(
        first.usage.estimated && first.usage.completion_tokens > 3,
        "calls are counted: {:?}",
        first.usage
    );
    let second = model.complete(&after(offering(), &first)).await.unwrap();
    let ids: Vec<&str> = second.calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(
        ids,
        ["call00004", "call00005", "call00006"],
        "the server counts from the start in every turn"
    );
    let sent = server.calls().pop().unwrap().body;
    assert_eq!(
        sent["messages"][2]["tool_calls"][0]["function"]["arguments"],
        "{\"_text\":\"{\\\"at\\\": \"}"
    );
}

#[tokio::test]
async fn signed_thoughts_come_back_unchanged_and_first() {
    let thought = json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"});
    let content = json!([thought, {"type": "tool_use", "id": "a", "name": "look", "input": {}}]);
    let body = json!({"model": "c", "content": content, "stop_reason": "tool_use"});
    let server = MockServer::start(move |_| Reply::json(&body)).await.unwrap();
    let model = Anthropic::new(native(&server)).unwrap();
    let first = model.complete(&offering()).await.unwrap();
    assert_eq!(first.reasoning, [thought]);
    model.complete(&after(offering(), &first)).await.unwrap();
    assert_eq!(server.calls()[1].body["messages"][1]["content"], content);
}

/// A final request without tools, after a conversation with them, puts the calls into text: providers refuse
/// calls of unknown tools.
#[tokio::test]
async fn a_conversation_with_calls_can_end_without_tools() {
    let server = MockServer::start(|_| two_calls()).await.unwrap();
    let model = Anthropic::new(native(&server)).unwrap();
    let first = model.complete(&offering()).await.unwrap();
    let bare = Request { tools: Arc::new([]), ..after(offering(), &first) };
    model.complete(&bare).await.unwrap();
    let body = server.calls().pop().unwrap().body;
    assert_eq!(body.get("tools"), None);
    assert!(!body.to_string().contains("tool_use"), "{body}");
}

/// A caller who knows that a prompt is too long can shorten it; another dialect would not.
#[tokio::test]
async fn a_prompt_past_the_context_is_said_and_not_tried_in_other_words() {
    let words = "maximum context length exceeded: the messages and the functions";
    for reply in [
        Reply::status(
            400,
            json!({"error": {"message": words, "code": "context_length_exceeded"}}).to_string(),
        ),
        Reply::status(500, json!({"error": {"message": "the request exceeds the context size"}}).to_string()),
        Reply::status(413, "tools: Request too large"),
        Reply::events([r#"{"error": {"message": "maximum context length exceeded"}}"#]),
    ] {
        let sent = reply.clone();
        let server = MockServer::start(move |_| sent.clone()).await.unwrap();
        let error = client(&server).complete(&offering()).await.unwrap_err();
        assert!(matches!(error, LlmError::TooLong { tokens: None, limit: None, .. }), "{reply:?}: {error}");
        // Once more without a limit of the answer, which may have been what did not fit; in the same words.
        let calls = server.calls();
        let limit = |call: &Call| call.body.get("max_tokens").cloned();
        assert_eq!(calls.iter().map(limit).collect::<Vec<_>>(), [Some(json!(1024)), None], "{reply:?}");
        assert_eq!(calls[0].body["tools"], calls[1].body["tools"], "{reply:?}");
    }
}

/// What a server sends with a call, such as the signature of the thought behind it, and the id of the call:
/// both go back as they came, or the server refuses the next turn.
#[tokio::test]
async fn what_belongs_to_a_call_goes_back_with_it() {
    let signature = json!({"google": {"thought_signature": "c2ln"}});
    let call = |id: &str, extra: Option<&Value>| {
        let mut call = json!({"id": id, "type": "function", "function": {"name": "look", "arguments": "{}"}});
        if let Some(extra) = extra {
            call["extra_content"] = extra.clone();
        }
        call
    };
    let sent = json!([call("D681PevKs", Some(&signature)), call("E791QfwLt", None)]);
    let mut streamed = sent.clone();
    streamed[0]["index"] = json!(0);
    streamed[1]["index"] = json!(1);
    let body = json!({"choices": [{"message": {"content": null, "tool_calls": sent}, "finish_reason": "tool_calls"}]});
    let chunk =
        json!({"choices": [{"delta": {"tool_calls": streamed}, "finish_reason": "tool_calls"}]}).to_string();
    for reply in [Reply::json(&body), Reply::events([chunk.as_str()])] {
        let server = MockServer::start(move |_| reply.clone()).await.unwrap();
        let model = client(&server);
        let first = model.complete(&offering()).await.unwrap();
        model.complete(&after(offering(), &first)).await.unwrap();
        let turn = &server.calls()[1].body["messages"][2];
        assert_eq!((&turn["tool_calls"], turn.get("reasoning_details")), (&sent, None));
    }
}

#[tokio::test]
async fn calls_in_the_syntax_of_the_model_are_calls_where_tools_were_offered() {
    let text = "I look.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\": 1}}\n</tool_call>";
    let server = MockServer::start(move |_| Reply::text(text)).await.unwrap();
    let model = client(&server);
    let first = model.complete(&offering()).await.unwrap();
    assert_eq!((called(&first), first.text.as_str()), (vec![("text00001", "{\"at\":1}")], "I look."));
    let bare = model.complete(&request()).await.unwrap();
    assert_eq!((bare.text.as_str(), bare.calls.len()), (text, 0));
}

#[tokio::test]
async fn a_call_that_is_sent_twice_is_made_once() {
    let call = json!({"type": "tool_use", "id": "a", "name": "look", "input": {"at": 1}});
    let body = json!({"content": [call, call], "stop_reason": "tool_use"});
    let server = MockServer::start(move |_| Reply::json(&body)).await.unwrap();
    let first = Anthropic::new(native(&server)).unwrap().complete(&offering()).await.unwrap();
    assert_eq!(called(&first), [("a", "{\"at\":1}")]);
}
