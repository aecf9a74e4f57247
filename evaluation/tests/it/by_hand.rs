//! The hand-played model, called with artoo's own client.

use std::sync::Arc;

use artoo_evaluation::by_hand::{
    Answer, Asked, Cassette, Exchange, Folder, Match, Places, Question, Server, Tokens,
};
use artoo_llm_client::{
    JsonSchema, LlmClient, LlmError, Message, ModelProfile, Request, ToolCalling, ToolDefinition, ToolResult,
    ToolUse, estimate_tokens,
};
use artoo_llm_http::doubles::{MockServer, Reply};
use artoo_llm_http::{HttpConfig, OpenAiCompatible};
use serde_json::json;

/// A server, and the client of a role.
async fn serve(server: Server, role: &str) -> (Arc<Server>, MockServer, OpenAiCompatible) {
    let server = Arc::new(server);
    let answering = Arc::clone(&server);
    let mock = MockServer::start(move |call| {
        let reply = tokio::task::block_in_place(|| answering.reply(&call.path, &call.body));
        match reply.status {
            200 => Reply::body(reply.content_type, reply.body.into_bytes()),
            status => Reply::status(status, reply.body),
        }
    })
    .await
    .unwrap();
    let mut config = HttpConfig::new(format!("{}/{role}/v1", mock.base_url()), "by-hand");
    config.profile = Some(ModelProfile { tool_calling: ToolCalling::Native, ..ModelProfile::default() });
    let client = OpenAiCompatible::new(config).unwrap();
    (server, mock, client)
}

fn tools() -> Arc<[ToolDefinition]> {
    let look = ToolDefinition {
        name: "look".into(),
        description: "looks".into(),
        parameters: Arc::new(json!({"type": "object", "properties": {"at": {"type": "string"}}})),
    };
    Arc::new([look])
}

fn first() -> Request {
    Request::new("executor", "Work.", "Now: 09:14. Look at /tmp/x7/mara/a.").with_tools(tools())
}

fn game(place: &std::path::Path) -> Folder {
    Folder::at(place.join("game"))
}

fn known(folder: &Folder) -> Cassette {
    folder.read().unwrap()
}

/// Sends a request, and writes the answer to the question that is open then.
async fn played(folder: &Folder, request: &Request, answer: &str) -> LlmError {
    let places = Places::default().with("/tmp/x7/mara", "/home/mara");
    let server = Server::of(known(folder), estimate_tokens).asking(folder.clone()).hiding(places);
    let (_, _mock, client) = serve(server, "executor").await;
    let error = client.complete(request).await.unwrap_err();
    let [open] = folder.open().unwrap()[..] else { panic!("not one question is open") };
    std::fs::write(folder.answer(open), answer).unwrap();
    error
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_is_played_question_by_question_and_replayed() {
    let place = tempfile::tempdir().unwrap();
    let folder = game(place.path());
    let look = r#"{"calls": [{"name": "look", "arguments": {"at": "/home/mara/a"}}]}"#;
    let error = played(&folder, &first(), look).await;
    assert!(matches!(error, LlmError::Status { status: 403, .. }), "{error}");
    let question = std::fs::read_to_string(folder.question(1)).unwrap();
    assert!(question.contains("Look at /home/mara/a.") && !question.contains("x7"), "{question}");

    let cassette = place.path().join("cassette.json");
    known(&folder).write(&cassette).unwrap();
    let places = Places::default().with("/tmp/y8/mara", "/home/mara");
    let server = Server::of(Cassette::read(&cassette).unwrap(), estimate_tokens).hiding(places);
    let (server, _mock, client) = serve(server, "executor").await;
    // Another time and another machine.
    let mut request =
        Request::new("executor", "Work.", "Now: 17:02. Look at /tmp/y8/mara/a.").with_tools(tools());
    let completion = client.complete(&request).await.unwrap();
    let call = ToolUse {
        id: "call_1_1".into(),
        name: "look".into(),
        arguments: r#"{"at":"/tmp/y8/mara/a"}"#.into(),
    };
    assert_eq!((completion.text.as_str(), completion.calls.as_slice()), ("", &[call][..]));
    assert_eq!(server.asked().iter().map(|asked| asked.found).collect::<Vec<_>>(), [Match::Same]);

    request.messages.push(Message::said(&completion));
    let blue =
        ToolResult { id: "call_1_1".into(), content: "blue".into(), is_error: false, images: Vec::new() };
    request.messages.push(Message::results(vec![blue]));
    let error = client.complete(&request).await.unwrap_err();
    assert!(
        matches!(error, LlmError::Status { status: 403, .. }),
        "what was not played is not answered: {error}"
    );
    let last = server.asked().pop().unwrap();
    let cached = last.tokens.cached;
    assert!(cached > 20 && cached < last.tokens.prompt, "the conversation so far is cached: {last:?}");
    let expected = Asked {
        role: "executor".into(),
        found: Match::Open,
        depth: 2,
        tokens: Tokens { completion: 0, ..last.tokens },
        constant: last.constant,
        added: estimate_tokens("blue") + 4,
        after: Some(0),
        calls: 0,
        is_repair: false,
    };
    assert_eq!(last, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reworded_prompt_keeps_its_answer_and_says_so() {
    let question = Question {
        role: "planner".into(),
        schema: json!({"name": "plan"}),
        messages: vec![json!({"role": "user", "content": "Plan it."})],
        ..Question::default()
    };
    let answer = Answer { json: Some(json!({"steps": 2})), ..Answer::default() };
    let cassette = Cassette { exchanges: vec![Exchange { question, answer: Some(answer), depth: 1 }] };
    let (server, _mock, client) = serve(Server::of(cassette, estimate_tokens), "planner").await;
    let schema = JsonSchema { name: "plan".into(), schema: Arc::new(json!({"type": "object"})) };
    let request = Request::new("planner", "You plan.", "Make a plan of it.").with_schema(schema);
    assert_eq!(client.complete(&request).await.unwrap().text, r#"{"steps":2}"#);
    assert_eq!(server.asked().iter().map(|asked| asked.found).collect::<Vec<_>>(), [Match::Reworded]);
}
