use artoo_llm_client::doubles::{self, Expect, ScriptedModel};
use artoo_llm_client::{MessageRole, ModelProfile};
use serde_json::Value;

use super::*;
use artoo_types::CallEnding;
use artoo_types::Evidence;

use crate::conformance::{call, criterion};

fn said(reason: &str, verdict: &str, class: &str) -> Value {
    json!({"reason": reason, "verdict": verdict, "class": class})
}

fn naming(number: u32, verdict: &str) -> Value {
    json!({"reason": "it is there", "verdict": verdict, "class": "logical", "call": number})
}

/// Asks about the answer `3` with three calls, of which the last was refused; also returns the requests.
async fn ask_one(answers: &[String]) -> (Result<Finding, JudgeError>, Vec<Request>) {
    let refused = ToolCall { ending: CallEnding::Refused, ..call(3, "", false) };
    let calls = [call(1, "3\n", true), call(2, "a.txt\n", true), refused];
    let (found, sent) = ask_about(&["It is a number"], &calls, &[], ModelProfile::default(), answers).await;
    (found.map(|mut found| found.remove(0)), sent)
}

async fn ask_about(
    criteria: &[&str],
    calls: &[ToolCall],
    earlier: &[EarlierResult],
    profile: ModelProfile,
    answers: &[String],
) -> (Result<Vec<Finding>, JudgeError>, Vec<Request>) {
    let model = ScriptedModel::new().profiled(profile);
    for answer in answers {
        model.add(Expect::purpose("judge"), doubles::Answer::text(answer.clone()));
    }
    let criteria: Vec<Criterion> = criteria.iter().map(|text| criterion(text)).collect();
    let seen = Seen { calls: calls.iter().collect(), earlier, answer: "3" };
    let question = |criteria: &[Criterion]| Request::new("judge", "You check.", super::asked(criteria));
    let found = ask_verdicts(&model, &seen, &criteria, &question).await;
    model.assert_finished();
    (found, model.requests())
}

fn evidence(number: u128, excerpt: &str) -> Evidence {
    Evidence::ToolCall { call_id: call(number, "", true).call_id, excerpt: excerpt.to_owned() }
}

/// Decision 9: evidence is a reference, and quotations come from the record.
#[tokio::test]
async fn a_pass_points_at_the_call_that_shows_it() {
    for (answer, number, excerpt) in [
        (said("it is a number", "pass", "logical"), 1, "3"),
        (said("the listing says `a.txt`", "pass", "logical"), 2, "a.txt"),
        (naming(2, "pass"), 2, "a.txt"),
        (json!({"reason": "a number", "verdict": "pass", "class": "logical", "call": null}), 1, "3"),
    ] {
        let (found, sent) = ask_one(&[answer.to_string()]).await;
        assert_eq!(found.unwrap(), Finding::Pass { evidence: evidence(number, excerpt) }, "{answer}");
        assert_eq!(sent.len(), 1);
    }
}

/// A weak model may name a call only if several are shown; its schema is as short as possible. That of others can be
/// enforced by each provider.
#[tokio::test]
async fn a_schema_fits_its_model() {
    let said = [said("it is a number", "pass", "logical").to_string()];
    for count in [1, 2] {
        let calls: Vec<ToolCall> = (1..=count).map(|number| call(number, "3", true)).collect();
        let (_, sent) = ask_about(&["It is a number"], &calls, &[], ModelProfile::embedded(), &said).await;
        let schema = sent[0].schema.as_ref().unwrap();
        assert_eq!(schema.name, "verdict");
        assert_eq!(schema.schema["properties"]["call"].is_object(), count > 1);
        assert_eq!(schema.schema["required"], json!(["reason", "verdict"]));
        let (_, sent) = ask_about(&["It is a number"], &calls, &[], ModelProfile::default(), &said).await;
        let schema = sent[0].schema.as_ref().unwrap();
        assert_eq!(schema.schema["required"], json!(["reason", "verdict", "class", "call"]));
    }
}

/// What is missing or too much in a verdict was refused, at the price of a call.
#[tokio::test]
async fn lesson_a_verdict_is_read_tolerantly() {
    let calls = [call(1, "3\n", true), call(2, "a.txt\n", true)];
    let passes = |answer: Value, criteria: &'static [&'static str]| {
        let calls = calls.clone();
        async move {
            let answers = [answer.to_string()];
            let (found, sent) = ask_about(criteria, &calls, &[], ModelProfile::default(), &answers).await;
            assert_eq!(sent.len(), 1, "{answer}");
            found.unwrap().iter().map(|finding| matches!(finding, Finding::Pass { .. })).collect::<Vec<_>>()
        }
    };
    for one in [
        json!({"reason": "it is 3", "verdict": "pass"}),
        json!({"reason": "it is 3", "verdict": "Pass", "call": "1", "criterion": 1, "confidence": 0.9}),
        json!({"verdict": "pass", "reason": "it is 3", "class": null, "call": null}),
    ] {
        assert_eq!(passes(one, &["It is a number"]).await, [true]);
    }
    let (pass, fail) = (json!({"reason": "a", "verdict": "pass"}), json!({"reason": "b", "verdict": "fail"}));
    let numbered = |verdict: &Value, number: u32| {
        let mut verdict = verdict.clone();
        verdict["criterion"] = json!(number);
        verdict
    };
    for several in [json!([pass, fail]), json!([numbered(&fail, 2), numbered(&pass, 1)])] {
        assert_eq!(passes(json!({"verdicts": several}), &["a", "b"]).await, [true, false]);
    }
}

/// One request for each criterion sent all the evidence again each time.
#[tokio::test]
async fn lesson_all_criteria_are_judged_in_one_call() {
    let calls = [call(1, "3\n", true), call(2, "a.txt\n", true)];
    let criteria = ["It is a number", "It is even"];
    let each = [said("it is 3", "pass", "logical"), said("3 is odd", "fail", "logical")];
    let numbered: Vec<Value> = (1..)
        .zip(&each)
        .map(|(number, answer): (u32, _)| {
            let mut answer = answer.clone();
            answer["criterion"] = json!(number);
            answer
        })
        .collect();
    let expected = [
        Finding::Pass { evidence: evidence(1, "3") },
        Finding::Fail {
            failure_class: FailureClass::Logical,
            reason: "3 is odd".to_owned(),
            evidence: Some(evidence(1, "3")),
            also: Vec::new(),
        },
    ];
    let together = [json!({"verdicts": numbered}).to_string()];
    let (found, sent) = ask_about(&criteria, &calls, &[], ModelProfile::default(), &together).await;
    assert_eq!(found.unwrap(), expected);
    assert_eq!(sent[0].messages[0].content, "Criteria:\n1. It is a number\n2. It is even");
    // A guided model answers only the first of several questions.
    let alone = each.map(|answer| answer.to_string());
    let (found, sent) = ask_about(&criteria, &calls, &[], ModelProfile::embedded(), &alone).await;
    assert_eq!(found.unwrap(), expected);
    assert_eq!(
        sent.iter().map(|request| request.messages[0].content.as_str()).collect::<Vec<_>>(),
        ["Criterion: It is a number", "Criterion: It is even"]
    );
}

#[tokio::test]
async fn a_list_that_lacks_a_criterion_is_asked_for_once_more() {
    let calls = [call(1, "3\n", true)];
    let answer = |criterion: u32, verdict: &str| {
        let mut answer = said("so it is", verdict, "logical");
        answer["criterion"] = json!(criterion);
        answer
    };
    let right = json!({"verdicts": [answer(1, "pass"), answer(2, "fail")]}).to_string();
    for wrong in [
        json!({"verdicts": [answer(1, "pass"), answer(1, "pass")]}),
        json!({"verdicts": [answer(1, "pass")]}),
        json!({"verdicts": []}),
        said("so it is", "pass", "logical"),
    ] {
        let answers = [wrong.to_string(), right.clone()];
        let (found, _) = ask_about(&["a", "b"], &calls, &[], ModelProfile::default(), &answers).await;
        let found = found.unwrap();
        assert!(
            matches!(found.as_slice(), [Finding::Pass { .. }, Finding::Fail { .. }]),
            "{wrong}: {found:?}"
        );
    }
}

/// A step that summarises makes no call; its evidence is what it summarises.
#[tokio::test]
async fn a_pass_may_point_at_an_earlier_result() {
    let result = |output: &str| EarlierResult {
        intent: "Count".to_owned(),
        output: output.to_owned(),
        left_out_bytes: 0,
    };
    let answers = [said("the count says 3", "pass", "logical").to_string()];
    let earlier = [result("3 files"), result("blue")];
    let (found, _) = ask_about(&["It is right"], &[], &earlier, ModelProfile::default(), &answers).await;
    let evidence = Evidence::Observation { text: "3 files".to_owned() };
    assert_eq!(found.unwrap(), [Finding::Pass { evidence }]);
    let (found, sent) = ask_about(&["It is right"], &[], &[], ModelProfile::default(), &[]).await;
    assert!(matches!(found.unwrap().as_slice(), [Finding::Fail { .. }]) && sent.is_empty());
}

/// 160 tokens are too few for a model that reasons, or that may.
#[tokio::test]
async fn a_reasoning_model_has_room() {
    let calls = [call(1, "3\n", true)];
    for (profile, least) in [
        (ModelProfile::of("gpt-4.1"), 160),
        (ModelProfile::default(), 4_096),
        (ModelProfile::of("gpt-5"), 16_000),
    ] {
        let answers = [said("it is 3", "pass", "logical").to_string()];
        let (_, sent) = ask_about(&["It is a number"], &calls, &[], profile, &answers).await;
        assert!((least..least + 320).contains(&sent[0].max_tokens), "{}", sent[0].max_tokens);
    }
}

/// Decision 8: after an invalid verdict the model is asked once more, and told why it is invalid.
#[tokio::test]
async fn a_contradiction_is_asked_for_once_more() {
    let pass = said("it is a number", "pass", "logical");
    let opposite = said("it is none", "fail", "logical");
    let table = [
        (said("no network", "pass", "environmental").to_string(), "its \"class\" is that of a fail"),
        (format!("{pass} {opposite}"), "other words beside"),
        (naming(7, "pass").to_string(), "it points at call 7, and there is none"),
        (naming(3, "pass").to_string(), "it points at call 3, which showed nothing"),
        (said(" ", "fail", "logical").to_string(), "a verdict has no reason"),
    ];
    for (first, told) in table {
        let (found, sent) = ask_one(&[first.clone(), pass.to_string()]).await;
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

        let (found, sent) = ask_one(&[first.clone(), first.clone()]).await;
        assert!(found.unwrap_err().to_string().contains(told), "{first}");
        assert_eq!(sent.len(), 2, "there is no third call");
    }
}

/// The second answer is read like the first, and there is no third.
#[tokio::test]
async fn two_calls_are_the_most() {
    let pass = said("it is a number", "pass", "logical").to_string();
    let torn = said("no network", "pass", "environmental").to_string();
    let (found, _) = ask_one(&[torn.clone(), pass.clone()]).await;
    assert!(matches!(found, Ok(Finding::Pass { .. })), "{found:?}");
    for answers in [
        [torn.clone(), "Yes.".to_owned()],
        [torn.clone(), format!("Sorry: {pass}")],
        ["Yes.".to_owned(), torn.clone()],
        [torn.clone(), format!("{pass}{torn}")],
    ] {
        let (found, sent) = ask_one(&answers).await;
        assert!(matches!(found, Err(JudgeError::Model(LlmError::Unusable { .. }))), "{answers:?}: {found:?}");
        assert_eq!(sent.len(), 2);
    }
}

/// A fail needs no evidence; an invalid call number does not change it.
#[tokio::test]
async fn a_fail_keeps_its_reason() {
    for (number, evidence) in
        [(2, evidence(2, "a.txt")), (3, evidence(3, "shell do 3")), (7, evidence(1, "3"))]
    {
        let (found, _) = ask_one(&[naming(number, "fail").to_string()]).await;
        let failed = Finding::Fail {
            failure_class: FailureClass::Logical,
            reason: "it is there".to_owned(),
            evidence: Some(evidence),
            also: Vec::new(),
        };
        assert_eq!(found.unwrap(), failed);
    }
}
