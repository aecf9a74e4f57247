use super::*;
use crate::doubles::{Answer, Expect, ScriptedModel};
use crate::{ErrorKind, MessageRole};

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct Count {
    files: u8,
    largest: String,
}

const GOOD: &str = r#"{"files": 3, "largest": "a.txt"}"#;

fn request() -> Request {
    Request::new("counter", "Count.", "How many?").with_schema(JsonSchema::of::<Count>("count"))
}

fn answering(answers: &[&'static str]) -> ScriptedModel {
    answers.iter().fold(ScriptedModel::new(), |model, text| {
        model.expect(Expect::purpose("counter"), Answer::text(*text))
    })
}

async fn check(first: &'static str, expected: Obtained) {
    let model = answering(&[first]);
    let answer = ask::<Count>(&model, request()).await.unwrap();
    let value = Count { files: 3, largest: "a.txt".into() };
    assert_eq!((answer.value, answer.obtained, answer.usage.requests), (value, expected, 1), "{first:?}");
    model.assert_finished();
}

/// An invalid answer, then a valid one: the repair call must name the violation.
async fn check_repair(first: &'static str, violation: &str) {
    let model = answering(&[first, GOOD]);
    let answer = ask::<Count>(&model, request()).await.unwrap();
    assert_eq!(answer.obtained, Obtained::Repaired { violation: violation.into() });
    assert_eq!(answer.usage.requests, 2);
    let requests = model.requests();
    let told = &requests[1].messages.last().unwrap().content;
    assert!(told.contains(violation), "{told}");
    model.assert_finished();
}

#[tokio::test]
async fn lesson_87_a_quarter_of_free_text_answers_is_not_bare_json() {
    check(GOOD, Obtained::Direct).await;
    check("  {\"files\": 3, \"largest\": \"a.txt\"}\n", Obtained::Direct).await;
    check(
        "```json\n{\"files\": 3, \"largest\": \"a.txt\"}\n```",
        Obtained::Extracted { before: 8, after: 4, more: false },
    )
    .await;
    check(
        "Sure! {\"files\": 3, \"largest\": \"a.txt\"} Done.",
        Obtained::Extracted { before: 6, after: 6, more: false },
    )
    .await;
    check(
        "{\"files\": 3, \"largest\": \"a.txt\"}{\"files\": 4, \"largest\": \"b\"}",
        Obtained::Extracted { before: 0, after: 28, more: true },
    )
    .await;
    check(
        "<think>{\"files\": 9}</think>{\"files\": 3, \"largest\": \"a.txt\"}",
        Obtained::Extracted { before: 27, after: 0, more: false },
    )
    .await;
}

#[tokio::test]
async fn one_repair_call_names_the_violation() {
    check_repair("", "there is no JSON value in the answer").await;
    check_repair("Three.", "there is no JSON value in the answer").await;
    check_repair("{\"files\": \"3\", \"largest\": \"a\"}", "at /files: \"3\" is not of type \"integer\"")
        .await;
    check_repair("{\"files\": 3}", "at the top: \"largest\" is a required property").await;
    check_repair("{\"files\": 3, \"larg", "the JSON value that begins at byte 0 is cut off").await;
    check_repair("<think>hm", "there is no JSON value in the answer").await;
}

#[tokio::test]
async fn a_second_bad_answer_is_unusable_and_there_is_no_third_call() {
    let model = answering(&["no", "{\"files\": 300, \"largest\": \"a\"}"]);
    let error = ask::<Count>(&model, request()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Answer);
    assert_eq!(
        error.to_string(),
        "the answer of scripted does not fit the schema count: at /files: 300 is greater than the maximum of 255"
    );
    model.assert_finished();
}

#[tokio::test]
async fn the_schema_is_in_the_prompt_only_where_the_provider_does_not_enforce_it() {
    let model = answering(&[GOOD]);
    ask::<Count>(&model, request()).await.unwrap();
    assert_eq!(&*model.requests()[0].system, "Count.");

    let model = answering(&["no", GOOD]).unstructured();
    ask::<Count>(&model, request()).await.unwrap();
    let requests = model.requests();
    assert!(requests[0].system.contains("\"largest\""));
    assert_eq!(requests[0].system, requests[1].system, "the constant part stays constant");
    let roles: Vec<_> = requests[1].messages.iter().map(|m| m.role).collect();
    assert_eq!(roles, [MessageRole::User, MessageRole::Assistant, MessageRole::User]);
    assert!(!requests[1].messages[2].content.contains("\"largest\""), "told once");
}

#[tokio::test]
async fn a_cut_answer_is_asked_for_again_with_more_room() {
    let model = ScriptedModel::new()
        .expect(Expect::any(), Answer::text("{\"files\": 3, \"lar").stopped(StopReason::Length))
        .expect(Expect::any().when("twice the room", |r| r.max_tokens == 2048), Answer::text(GOOD));
    ask::<Count>(&model, request()).await.unwrap();
    model.assert_finished();
}

/// A list may lack its last items and a text its last words: what parses is not yet whole.
#[tokio::test]
async fn a_cut_answer_that_parses_is_none() {
    for stop in [StopReason::Length, StopReason::Refused] {
        let model = ScriptedModel::new().expect(Expect::any(), Answer::text(GOOD).stopped(stop));
        let error = ask_once::<Count>(&model, request()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Answer, "{stop:?}");
        let model = ScriptedModel::new().expect(Expect::any(), Answer::text(GOOD).stopped(stop));
        assert!(ask_several::<Count>(&model, vec![request()]).await[0].is_err(), "{stop:?}");
    }
    let model = ScriptedModel::new()
        .expect(Expect::any(), Answer::text(GOOD).stopped(StopReason::Length))
        .expect(Expect::any().when("twice the room", |r| r.max_tokens == 2048), Answer::text(GOOD));
    let answer = ask::<Count>(&model, request()).await.unwrap();
    assert!(matches!(answer.obtained, Obtained::Repaired { violation } if violation.contains("cut off")));
    model.assert_finished();
}

#[tokio::test]
async fn a_refusal_is_not_repaired() {
    let model = ScriptedModel::new().expect(Expect::any(), Answer::text("").stopped(StopReason::Refused));
    let error = ask::<Count>(&model, request()).await.unwrap_err();
    assert!(error.to_string().ends_with("the provider refused to answer"));
    model.assert_finished();
}

#[tokio::test]
async fn errors_of_the_client_pass_and_a_missing_schema_costs_nothing() {
    let model = ScriptedModel::new()
        .always(Expect::any(), Answer::error(|| LlmError::Engine { model: "m".into(), reason: "r".into() }));
    assert!(matches!(ask::<Count>(&model, request()).await, Err(LlmError::Engine { .. })));
    let bare = Request::new("counter", "", "");
    assert!(matches!(ask::<Count>(&model, bare.clone()).await, Err(LlmError::Configuration { .. })));
    assert_eq!(model.requests().len(), 1);
    assert!(matches!(ask_typed::<Count>(&model, bare).await, Err(LlmError::Engine { .. })));
    assert_eq!(model.requests()[1].schema.as_ref().unwrap().name, "Count");
}

#[tokio::test]
async fn a_type_stricter_than_its_schema_is_a_violation_too() {
    let schema = JsonSchema { name: "loose".into(), schema: serde_json::json!({"type": "object"}).into() };
    let model = answering(&[r#"{"files": 3}"#, GOOD]);
    let answer = ask::<Count>(&model, request().with_schema(schema)).await.unwrap();
    assert_eq!(answer.obtained, Obtained::Repaired { violation: "missing field `largest`".into() });
}

/// A strict server wants every key in the schema; another server's model leaves out what it does not need, and adds what it
/// likes. Neither is worth a repair.
#[tokio::test]
async fn a_type_that_decides_alone_takes_what_it_can_read() {
    let schema = || {
        request().read_by_type().with_schema(JsonSchema {
            name: "all".into(),
            schema: serde_json::json!({"type": "object", "properties": {"files": {"type": "integer"}},
            "required": ["files", "largest", "note"], "additionalProperties": false})
            .into(),
        })
    };
    let model = answering(&[r#"{"files": 3, "largest": "a.txt", "more": true}"#]);
    let answer = ask::<Count>(&model, schema()).await.unwrap();
    assert_eq!((answer.obtained, answer.usage.requests), (Obtained::Direct, 1));
    let model = answering(&[r#"{"files": "three"}"#, GOOD]);
    let answer = ask::<Count>(&model, schema()).await.unwrap();
    assert!(matches!(answer.obtained, Obtained::Repaired { violation } if violation.contains("three")));
}

/// For a client without batching each sample is a separate call, and each is counted; an unusable answer is
/// left to the caller.
#[tokio::test]
async fn samples_of_one_question_are_asked_for_one_after_the_other() {
    let model = answering(&[GOOD, "three", GOOD]);
    let question = request();
    let answers = ask_several::<Count>(&model, (0..3).map(|number| question.sample(number)).collect()).await;
    let usable: Vec<bool> = answers.iter().map(Result::is_ok).collect();
    assert_eq!(usable, [true, false, true]);
    let sent: Vec<_> = model.requests().iter().map(|sent| (sent.temperature_percent, sent.seed)).collect();
    assert_eq!(sent, [(0, None), (70, Some(1)), (70, Some(2))]);
    assert!(model.requests().iter().all(|sent| sent.messages == question.messages));
    // Requests after a failed call are not sent.
    let model = ScriptedModel::new()
        .expect(Expect::any(), Answer::error(|| LlmError::Configuration { reason: "no".to_owned() }));
    let answers = ask_several::<Count>(&model, (0..3).map(|number| question.sample(number)).collect()).await;
    assert_eq!((answers.len(), model.requests().len()), (1, 1));
    // Without a schema there is nothing to ask for.
    let bare = Request::new("counter", "Count.", "How many?");
    assert!(matches!(
        ask_several::<Count>(&model, vec![bare]).await.as_slice(),
        [Err(LlmError::Configuration { .. })]
    ));
}
