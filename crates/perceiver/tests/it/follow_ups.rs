//! Tests with the follow-up suite: next messages in eight languages, with answers written by an expert.
//!
//! They show how R1 handles good answers, and that the prompt contains what they need. How well a model
//! answers is not tested here.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::Arc,
};

use artoo_llm_client::{
    Origin,
    doubles::{Answer, Expect, ScriptedModel},
    fenced,
};
use artoo_perceiver::{
    ASKING_PROMPT, DefaultPerceiver, Dialogue, Perceived, Perceiver as _, SYSTEM_PROMPT,
    conformance::SaidNext,
};
use artoo_types::Turn;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::fixtures::client;

fn read<T: DeserializeOwned>(name: &str) -> T {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/follow-ups")).join(name);
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn cases() -> Vec<SaidNext> {
    read("cases.json")
}

/// The whole variable part of the prompt: the turns, their results fenced, and the message last.
fn told(case: &SaidNext) -> String {
    let turns = case.turns.iter().zip(1..).map(|(Turn { input, result, .. }, number)| {
        format!("Turn {number}\nuser: {input}\nresult:\n{}\n\n", fenced(Origin::SubTask, result))
    });
    let turns: String = turns.collect();
    format!("{turns}Now: Thursday 1970-01-01 00:00 (UTC)\nNewest message: {}", case.message)
}

/// The intent of a case if the model gives this answer.
async fn intent(case: &SaidNext, person: bool, answer: Value) -> String {
    let (schema, system) = if person {
        ("resolved_or_open", format!("{SYSTEM_PROMPT}{ASKING_PROMPT}"))
    } else {
        ("resolved_request", SYSTEM_PROMPT.to_owned())
    };
    let prompt = told(case);
    let expect = Expect::purpose("perceiver").schema(schema).when("the prompt, whole", move |sent| {
        *sent.system == system && sent.messages.iter().map(|message| &message.content).eq([&prompt])
    });
    let model = Arc::new(ScriptedModel::new().expect(expect, Answer::json(answer)));
    let perceived = DefaultPerceiver.perceive(&case.request(), &Dialogue::new(person), &client(&model)).await;
    model.assert_finished();
    let Ok(Perceived::Task(task)) = perceived else { panic!("{}: {perceived:?}", case.id) };
    assert_eq!(task.raw_input, case.message, "{}", case.id);
    task.intent
}

#[tokio::test]
async fn what_people_say_next_is_understood() {
    let answers: BTreeMap<String, Value> = read("by-hand.json");
    for case in cases() {
        let meant = answers[&case.id]["intent"].as_str().unwrap();
        let intents = [
            intent(&case, false, json!({"intent": meant})).await,
            intent(&case, true, json!({"questions": [], "intent": meant})).await,
        ];
        for intent in intents {
            assert_eq!(case.check(&intent), Ok(()));
            // Planner, executor and judges have the person's own words, too.
            let both = format!("{meant}\n(In the user's words: {})", case.message);
            assert_eq!(intent, if case.open { both } else { case.message.clone() }, "{}", case.id);
        }
    }
}

/// As small models do. If nothing was open, the result would repeat the earlier task and lose the new
/// message.
#[tokio::test]
async fn a_model_that_repeats_the_last_request_does_not_lose_the_message() {
    for case in cases() {
        let last = &case.turns.last().unwrap().input;
        let both = format!("{last}\n(In the user's words: {})", case.message);
        assert_eq!(intent(&case, false, json!({"intent": last})).await, both, "{}", case.id);
    }
}

#[test]
fn the_suite_is_what_it_says() {
    let cases = cases();
    let answers: BTreeMap<String, Value> = read("by-hand.json");
    let ids: BTreeSet<&String> = cases.iter().map(|case| &case.id).collect();
    assert_eq!(ids.len(), cases.len());
    assert_eq!(ids, answers.keys().collect());
    assert!(cases.len() >= 40 && cases.iter().filter(|case| !case.open).count() >= 10);
    assert!(cases.iter().map(|case| &case.language).collect::<BTreeSet<_>>().len() >= 6);
    for case in &cases {
        let turns = case.turns.iter().map(|turn| format!("{}\n{}\n", turn.input, turn.result));
        let said: String = turns.chain([case.message.clone()]).collect();
        let unsaid: Vec<&String> = case.must.iter().filter(|fact| !said.contains(*fact)).collect();
        assert_eq!(unsaid, Vec::<&String>::new(), "{}", case.id);
        // A copy of the message is right if nothing is open, and only then; a copy of an earlier message
        // never is.
        assert_eq!(case.check(&case.message).is_ok(), !case.open, "{}", case.id);
        let earlier = case.turns.iter().find(|turn| case.check(&turn.input).is_ok());
        assert_eq!(earlier, None, "{}", case.id);
    }
}
