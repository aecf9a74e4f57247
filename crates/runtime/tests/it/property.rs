//! Whatever a model says, every run ends once, within its bounds, and no role breaks its contract.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use artoo_llm_client::{Completion, LlmClient, LlmError, Request, StopReason, Usage, doubles::ScriptedModel};
use artoo_types::{MessageKind, TerminalState, Turn};
use async_trait::async_trait;
use proptest::prelude::*;
use serde_json::json;

use crate::house::{House, open_question, question, say, steps, unreachable, verdict, watched};

/// One answer of a model that has lost its mind.
#[derive(Clone, Debug)]
enum Saying {
    Text(String),
    Error,
    Misconfigured,
    Hang,
    Panic,
    Late(String),
    Cut(String),
}

/// Says one thing after the other, to whoever asks; at the end it is unreachable.
struct Mad(Mutex<VecDeque<Saying>>);

#[async_trait]
impl LlmClient for Mad {
    fn model(&self) -> &str {
        "mad"
    }

    fn structured(&self) -> bool {
        false
    }

    async fn complete(&self, _request: &Request) -> Result<Completion, LlmError> {
        let saying = self.0.lock().unwrap().pop_front();
        let mut stop = StopReason::End;
        let text = match saying {
            Some(Saying::Text(text)) => text,
            Some(Saying::Late(text)) => {
                tokio::time::sleep(Duration::from_secs(45)).await;
                text
            }
            Some(Saying::Cut(text)) => {
                stop = StopReason::Length;
                text
            }
            Some(Saying::Hang) => std::future::pending().await,
            Some(Saying::Panic) => panic!("mad"),
            Some(Saying::Misconfigured) => return Err(LlmError::Configuration { reason: "mad".to_owned() }),
            Some(Saying::Error) | None => return Err(unreachable()),
        };
        Ok(Completion { text, stop, usage: Usage::default(), model: "mad".to_owned() })
    }
}

/// Something that some role may have asked for.
fn sensible() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(json!({"intent": "Count the apples"})),
        Just(question("Count apples")),
        Just(open_question("Name a colour")),
        Just(steps(&[("Count apples", 1), ("Count pears", 1), ("Add them", 2)])),
        (0..5_u32).prop_map(|n| say(&n.to_string())),
        (0..5_u32).prop_map(|n| say(&"blue ".repeat(n as usize))),
        Just(json!({"tool": "shell", "arguments": {"command": "true"}, "output_is_answer": true})),
        Just(json!({"answer": "7"})),
        Just(json!({"give_up": "no idea"})),
        any::<bool>().prop_map(verdict),
    ]
    .prop_map(|value| value.to_string())
}

fn saying() -> impl Strategy<Value = Saying> {
    let senseless = prop_oneof![
        ".{0,40}",
        Just(String::new()),
        Just("null".to_owned()),
        Just("{\"subtasks\": []}".to_owned()),
        Just("{\"tool\": 7, \"arguments\": []}".to_owned()),
        Just("[".repeat(200)),
    ];
    prop_oneof![
        14 => sensible().prop_map(Saying::Text),
        2 => senseless.prop_map(Saying::Text),
        1 => sensible().prop_map(Saying::Late),
        1 => sensible().prop_map(Saying::Cut),
        1 => Just(Saying::Error),
        1 => Just(Saying::Misconfigured),
        1 => Just(Saying::Hang),
        1 => Just(Saying::Panic),
    ]
}

/// What a well-behaved model says in the order in which a run asks, with one saying exchanged: most mad sequences end while
/// planning, these go deep.
fn nearly_sane() -> impl Strategy<Value = Vec<Saying>> {
    let sane = [
        steps(&[("Count apples", 1), ("Count pears", 1), ("Add them", 2)]),
        say("1"),
        say("2"),
        say("3"),
        steps(&[("Add them", 1)]),
        say("4"),
        open_question("Name a colour"),
        say("blue"),
        verdict(true),
    ];
    (prop::collection::vec((0..sane.len(), saying()), 1..4), any::<bool>()).prop_map(
        move |(changes, twice)| {
            let mut script: Vec<Saying> = sane.iter().map(|value| Saying::Text(value.to_string())).collect();
            if twice {
                script.extend(script.clone());
            }
            for (at, saying) in changes {
                script[at] = saying;
            }
            script
        },
    )
}

fn check(script: Vec<Saying>, second_derivation: bool, turns: bool) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let house = House::new();
        let artoo = house
            .quiet(&Arc::new(ScriptedModel::new()))
            .model(Arc::new(Mad(Mutex::new(script.into()))))
            .second_derivation(second_derivation)
            .build()
            .unwrap();
        let mut request = house.request("Count the apples and the pears");
        if turns {
            request.turns = vec![Turn { input: "Hello".to_owned(), result: "Hello".to_owned() }];
        }
        let max_replans = request.limits.max_replans;
        // What must be true of every run is checked there: one result, a whole journal, no broken contract.
        let seen = watched(artoo.start(request).unwrap()).await;
        assert!(seen.result.replans <= max_replans);
        assert!(seen.count(MessageKind::Plan) <= max_replans as usize + 1);
        if seen.result.directive == TerminalState::Accept {
            assert!(seen.result.unmet.is_empty() && seen.result.fault.is_none());
            assert!(seen.count(MessageKind::ToolFinished) > 0, "nothing is accepted that no tool showed");
        }
        artoo.close().await;
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 260, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_run_ends_once_whatever_its_model_says(
        script in prop::collection::vec(saying(), 0..30), second_derivation: bool, turns: bool,
    ) {
        check(script, second_derivation, turns);
    }

    #[test]
    fn every_run_ends_once_however_its_model_strays(script in nearly_sane(), second_derivation: bool) {
        check(script, second_derivation, false);
    }
}
