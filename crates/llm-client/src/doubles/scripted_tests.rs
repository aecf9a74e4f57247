use std::time::Duration;

use super::*;
use crate::{ErrorKind, StopReason};
use serde_json::json;

fn request(purpose: &str, user: &str) -> Request {
    Request::new(purpose, "system", user)
}

#[tokio::test]
async fn parallel_subtasks_get_their_own_answers_in_any_order() {
    let script = || {
        ScriptedModel::new()
            .expect(Expect::purpose("executor").user_contains("one"), Answer::text("1"))
            .expect(Expect::purpose("executor").user_contains("two"), Answer::text("2"))
    };
    for order in [["one", "two"], ["two", "one"]] {
        let model = script();
        for word in order {
            let expected = if word == "one" { "1" } else { "2" };
            assert_eq!(model.complete(&request("executor", word)).await.unwrap().text, expected);
        }
        model.assert_finished();
    }
}

#[tokio::test]
async fn equal_expectations_are_answered_in_order_then_always() {
    let model = ScriptedModel::new()
        .always(Expect::any(), Answer::with(|request| request.purpose.clone()))
        .expect(Expect::any(), Answer::text("any"))
        .expect(Expect::purpose("r3"), Answer::json(json!({"n": 1})))
        .expect(Expect::purpose("r3"), Answer::text("second").stopped(StopReason::Length));
    let mut texts = Vec::new();
    for _ in 0..4 {
        texts.push(model.complete(&request("r3", "x")).await.unwrap().text);
    }
    assert_eq!(texts, ["{\"n\":1}", "second", "any", "r3"]);
    assert_eq!(model.requests().len(), 4);
}

#[tokio::test]
async fn a_mismatch_is_an_error_and_stays_visible() {
    let model = ScriptedModel::new()
        .expect(Expect::purpose("r2").system_contains("Plan").schema("plan"), Answer::text("x"))
        .expect(Expect::purpose("r3"), Answer::text("y"));
    let error = model.complete(&request("r2", "hello")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Infrastructure);
    assert_eq!(
        model.mismatches(),
        [
            "r2 asked \"hello\"\n  not (r2, system contains \"Plan\", schema \"plan\"): unmet: system contains \"Plan\""
        ]
    );
    assert_eq!(model.unused(), ["r2, system contains \"Plan\", schema \"plan\"", "r3"]);
    let finished = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| model.assert_finished()));
    assert!(finished.is_err());
}

#[tokio::test(start_paused = true)]
async fn delays_and_hangs_obey_virtual_time() {
    let model = ScriptedModel::new()
        .expect(Expect::any(), Answer::text("late").after(Duration::from_secs(3600)))
        .expect(Expect::any(), Answer::hang());
    let start = tokio::time::Instant::now();
    assert_eq!(model.complete(&request("r1", "x")).await.unwrap().text, "late");
    assert_eq!(start.elapsed().as_secs(), 3600);
    let hung = tokio::time::timeout(Duration::from_secs(86400), model.complete(&request("r1", "x"))).await;
    assert!(hung.is_err());
}

#[tokio::test]
async fn panics_and_errors_are_answers_too() {
    let model = std::sync::Arc::new(
        ScriptedModel::new().expect(Expect::any().no_schema(), Answer::panic("as scripted")).expect(
            Expect::any().user_lacks("y").when("short", |r| r.max_tokens < 2000),
            Answer::error(|| LlmError::Configuration { reason: "bad".into() }),
        ),
    );
    let task = tokio::spawn({
        let model = std::sync::Arc::clone(&model);
        async move { model.complete(&request("r1", "x")).await }
    });
    assert!(task.await.unwrap_err().is_panic());
    let error = model.complete(&request("r1", "x")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    model.assert_finished();
}
