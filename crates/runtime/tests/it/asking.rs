//! Clarification questions: the clock is paused, the answer counts, and without a person nothing is asked.

use std::{sync::Arc, time::Duration};

use artoo_bus::{Observed, Observer};
use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_types::{FaultKind, Message, MessageKind, TerminalState, Turn};
use serde_json::json;

use crate::fixture::{House, question, say, watched};

fn turn() -> Turn {
    Turn::new("What is there?", "docs and logs")
}

fn model() -> Arc<ScriptedModel> {
    let unclear = json!({"questions": ["docs or logs?"], "intent": ""});
    Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("perceiver").schema("resolved_or_open"), Answer::json(unclear))
            .expect(
                Expect::purpose("perceiver").user_contains("The user answered: logs"),
                Answer::json(json!({"questions": [], "intent": "Count the logs"})),
            )
            .always(
                Expect::purpose("planner").user_contains("Count the logs"),
                Answer::json(question("Count")),
            )
            .always(Expect::purpose("executor"), Answer::json(say("3"))),
    )
}

/// Waits for the question and returns its round.
async fn asked(observer: &mut Observer) -> u32 {
    loop {
        let Some(Observed::Message(envelope)) = observer.recv().await else { panic!("no question came") };
        if let Message::ClarificationRequested(asked) = envelope.message.as_ref() {
            return asked.round;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_clock_and_the_deadlines_rest_while_a_person_is_asked() {
    let house = House::new();
    let model = model();
    let artoo = house.quiet(&model).build().unwrap();
    let mut request = house.request("count it");
    (request.turns, request.person_present) = (vec![turn()], true);
    let run = artoo.start(request).unwrap();
    let (mut observer, answerer) = (run.observe(1000), run.answerer());
    answerer.answer(9, "to nobody's question".to_owned());
    let folder = run.folder().to_owned();
    let finished = tokio::spawn(run.finished());
    let round = asked(&mut observer).await;
    // Ten times as long as R1 may think.
    tokio::time::sleep(Duration::from_secs(1800)).await;
    answerer.answer(round, "logs".to_owned());
    let seen = crate::fixture::recorded(finished.await.unwrap(), &folder);
    model.assert_finished();
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
    let elapsed = seen.envelopes.last().unwrap().elapsed_ms;
    assert!(elapsed < 60_000, "{elapsed} ms, of which half an hour were the person's");
    let types: Vec<String> = seen
        .lines()
        .iter()
        .map(|line| serde_json::to_value(line).unwrap()["type"].as_str().unwrap().to_owned())
        .filter(|name| name.starts_with("clarification."))
        .collect();
    assert_eq!(types, ["clarification.requested", "clarification.answered"]);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_ends_a_run_that_waits_for_an_answer() {
    let house = House::new();
    let unclear = json!({"questions": ["docs or logs?"], "intent": ""});
    let model = Arc::new(ScriptedModel::new().expect(Expect::purpose("perceiver"), Answer::json(unclear)));
    let artoo = house.quiet(&model).build().unwrap();
    let mut request = house.request("count it");
    (request.turns, request.person_present) = (vec![turn()], true);
    let run = artoo.start(request).unwrap();
    let (mut observer, canceller, folder) = (run.observe(1000), run.canceller(), run.folder().to_owned());
    let finished = tokio::spawn(run.finished());
    asked(&mut observer).await;
    canceller.cancel();
    let seen = crate::fixture::recorded(finished.await.unwrap(), &folder);
    assert_eq!((seen.fault(), seen.exit_code()), (Some(FaultKind::Cancelled), 130));
}

#[tokio::test(start_paused = true)]
async fn without_a_person_nothing_is_asked() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("perceiver")
                    .schema("resolved_request")
                    .user_contains("What is there?")
                    .user_contains("docs and logs"),
                Answer::json(json!({"intent": "Count the logs"})),
            )
            .always(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::json(say("3"))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let mut request = house.request("count it");
    request.turns = vec![turn()];
    let seen = watched(artoo.start(request).unwrap()).await;
    model.assert_finished();
    assert_eq!((seen.count(MessageKind::ClarificationRequested), seen.exit_code()), (0, 0));
}
