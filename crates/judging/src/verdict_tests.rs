use artoo_llm_client::MessageRole;
use artoo_llm_client::doubles::{self, Expect, ScriptedModel};

use super::*;
use crate::conformance::call;

fn said(reason: &str, verdict: &str, class: &str) -> Value {
    json!({"reason": reason, "verdict": verdict, "class": class})
}

fn naming(number: u32, verdict: &str) -> Value {
    json!({"reason": "it is there", "verdict": verdict, "class": "logical", "call": number})
}

/// Asks about the answer `3`, shown three calls of which the last failed; gives what the model was sent as well.
async fn asked(numbered: bool, answers: &[String]) -> (Result<Finding, JudgeError>, Vec<Request>) {
    let model = ScriptedModel::new();
    for answer in answers {
        model.add(Expect::purpose("judge").schema("verdict"), doubles::Answer::text(answer.clone()));
    }
    let calls = [call(1, "3\n", true), call(2, "a.txt\n", true), call(3, "", false)];
    let seen = Seen { calls: calls.iter().collect(), numbered, answer: "3" };
    let found = ask_verdict(&model, &seen, || Request::new("judge", "You check.", "It is a number")).await;
    model.assert_finished();
    (found, model.requests())
}

fn evidence(number: u128, excerpt: &str) -> Evidence {
    Evidence::ToolCall { call_id: call(number, "", true).call_id, excerpt: excerpt.to_owned() }
}

/// Decision 9: evidence is pointed at, and what is quoted is the record's.
#[tokio::test]
async fn a_pass_points_at_the_call_that_shows_it() {
    for (answer, number, excerpt) in [
        (said("it is a number", "pass", "logical"), 1, "3"),
        (said("the listing says `a.txt`", "pass", "logical"), 2, "a.txt"),
        (naming(2, "pass"), 2, "a.txt"),
        (json!({"reason": "a number", "verdict": "pass", "class": "logical", "call": null}), 1, "3"),
    ] {
        let (found, sent) = asked(true, &[answer.to_string()]).await;
        assert_eq!(found.unwrap(), Finding::Pass { evidence: evidence(number, excerpt) }, "{answer}");
        assert_eq!(sent.len(), 1);
    }
}

/// Only who is shown several numbered calls is offered to name one: elsewhere the schema is as short as it can be.
#[tokio::test]
async fn a_number_is_asked_for_only_where_there_is_a_choice() {
    for numbered in [true, false] {
        let (_, sent) = asked(numbered, &[said("it is a number", "pass", "logical").to_string()]).await;
        let schema = &sent[0].schema.as_ref().unwrap().schema;
        assert_eq!(schema["properties"]["call"].is_object(), numbered);
        assert_eq!(schema["required"], json!(["reason", "verdict", "class"]));
    }
}

/// Decision 8: what is no verdict is asked for once more, and the model is told why it is none.
#[tokio::test]
async fn a_contradiction_is_asked_for_once_more() {
    let pass = said("it is a number", "pass", "logical");
    let opposite = said("it is none", "fail", "logical");
    let table = [
        (said("no network", "pass", "environmental").to_string(), "its class is that of a fail"),
        (
            said("The criterion is not met.", "pass", "logical").to_string(),
            "its reason says that it is not so",
        ),
        (format!("{pass} {opposite}"), "one verdict, and then another"),
        (naming(7, "pass").to_string(), "it points at call 7, and there is none"),
        (naming(3, "pass").to_string(), "it points at call 3, which did not succeed"),
    ];
    for (first, told) in table {
        let (found, sent) = asked(true, &[first.clone(), pass.to_string()]).await;
        assert_eq!(found.unwrap(), Finding::Pass { evidence: evidence(1, "3") }, "{first}");
        let [question, again] = sent.as_slice() else { panic!("{sent:?}") };
        let [same, answered, wrong] = again.messages.as_slice() else { panic!("{again:?}") };
        assert_eq!(
            (same, &again.system, &again.schema),
            (&question.messages[0], &question.system, &question.schema)
        );
        assert_eq!((answered.role, wrong.role), (MessageRole::Assistant, MessageRole::User));
        assert!(first.starts_with(&answered.content), "{answered:?}");
        assert!(wrong.content.contains(told), "{wrong:?}");

        let (found, sent) = asked(true, &[first.clone(), first.clone()]).await;
        assert!(found.unwrap_err().to_string().contains(told), "{first}");
        assert_eq!(sent.len(), 2, "there is no third call");
    }
}

/// The second answer is read like the first, and there is no other.
#[tokio::test]
async fn two_calls_are_the_most() {
    let pass = said("it is a number", "pass", "logical").to_string();
    let torn = said("no network", "pass", "environmental").to_string();
    let (found, _) = asked(true, &[torn.clone(), format!("Sorry: {pass}")]).await;
    assert!(matches!(found, Ok(Finding::Pass { .. })), "{found:?}");
    for answers in [
        [torn.clone(), "Yes.".to_owned()],
        ["Yes.".to_owned(), torn.clone()],
        [torn.clone(), format!("{pass}{torn}")],
    ] {
        let (found, sent) = asked(true, &answers).await;
        assert!(matches!(found, Err(JudgeError::Model(LlmError::Unusable { .. }))), "{answers:?}: {found:?}");
        assert_eq!(sent.len(), 2);
    }
}

/// A fail may point at nothing; a number that is none does not turn it into something else.
#[tokio::test]
async fn a_fail_keeps_its_reason() {
    for (number, evidence) in
        [(2, evidence(2, "a.txt")), (3, evidence(3, "shell do 3")), (7, evidence(1, "3"))]
    {
        let (found, _) = asked(true, &[naming(number, "fail").to_string()]).await;
        let failed = Finding::Fail {
            failure_class: FailureClass::Logical,
            reason: "it is there".to_owned(),
            evidence: Some(evidence),
        };
        assert_eq!(found.unwrap(), failed);
    }
}
