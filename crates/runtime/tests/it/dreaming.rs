//! The Dreamer beside the runs: when it works, which model words its rules, and its record.

use std::{fs, sync::Arc, time::Duration};

use artoo_auditor::{LOG_NAME, verify};
use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_mkct_memory::{InMemory, MemoryService, Rules, matrix};
use artoo_runtime::Dreams;
use artoo_types::{Entity, MegramId, MegramState, MessageKind, SopRecord, Space};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    doubles::TokioClock,
    fixture::{House, question, say},
};

/// A memory with enough experience for a rule.
fn ripe() -> Arc<InMemory> {
    let now = || artoo_bus::Clock::now(&*TokioClock::new());
    let memory = InMemory::new(Rules::default(), now, || MegramId::new(Uuid::now_v7()));
    for number in 1..=6 {
        let id = MegramId::new(Uuid::from_u128(number));
        let (space, entity) = pair();
        let lesson = "looked with find".to_owned();
        memory.write(matrix::megram(id, MegramState::Accept, now(), space, entity, lesson)).unwrap();
    }
    Arc::new(memory)
}

fn pair() -> (Space, Entity) {
    (Space::intent("Look for lost files"), Entity::local())
}

async fn rules(memory: &InMemory) -> Vec<SopRecord> {
    let (space, entity) = pair();
    memory.query_c(&space, &entity).await.unwrap()
}

/// The lines of one kind in the audit log: sender and facts.
fn logged(house: &House, kind: &str) -> Vec<(Value, Value)> {
    let log = house.data_folder().join(LOG_NAME);
    assert!(verify(&log).unwrap().gaps.is_empty());
    let lines = fs::read_to_string(&log).unwrap();
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter(|line| line["kind"] == kind)
        .map(|line| (line["from"].clone(), line["facts"].clone()))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn after_a_run_rules_arise_in_the_words_of_a_model() {
    let (house, memory) = (House::new(), ripe());
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question("How many are there?")))
            .expect(Expect::purpose("executor"), Answer::json(say("3")))
            .expect(
                Expect::purpose("distiller").user_contains("looked with find"),
                Answer::json(json!({ "rule": "Look with find." })),
            ),
    );
    let artoo = house.quiet(&model).memory(memory.clone()).build().unwrap();
    let seen = house.run(&artoo, "How many are there?").await;
    assert_eq!(seen.count(MessageKind::ModelCall), 2, "not on the way of the run");
    tokio::time::sleep(Duration::from_secs(3)).await;
    model.assert_finished();
    let spent = artoo.dreamt();
    assert_eq!((spent.calls, spent.prompt_tokens > 0), (1, true), "{spent:?}");
    let words: Vec<String> = rules(&memory).await.into_iter().map(|rule| rule.content).collect();
    assert_eq!(words, ["Look with find."]);
    artoo.close().await;
    let reports = logged(&house, "dream_report");
    let [(from, facts)] = reports.as_slice() else { panic!("{reports:?}") };
    assert_eq!(
        (from, &facts["promoted"], &facts["forgotten"]),
        (&json!("shared_memory"), &json!(1), &json!(0))
    );
    let calls = logged(&house, "model_call");
    let mine = calls.iter().filter(|(from, _)| *from == "shared_memory").count();
    assert_eq!((mine, calls.len()), (1, 3), "the call is on record, outside of any run: {calls:?}");
}

/// A process that ends at once leaves its memory consolidated, without a model call, if code words its rules.
#[tokio::test]
async fn at_the_end_of_a_process_rules_arise_without_a_model() {
    let (house, memory) = (House::new(), ripe());
    let model = Arc::new(ScriptedModel::new());
    let artoo = house.builder(&model).dreams(Dreams::Code).memory(memory.clone()).build().unwrap();
    artoo.close().await;
    let rules: usize = memory.events().iter().filter(|event| is_rule(event)).count();
    assert_eq!(rules, 1);
    let reports = logged(&house, "dream_report");
    assert_eq!(reports.iter().map(|(_, facts)| &facts["promoted"]).collect::<Vec<_>>(), [&json!(1)]);
    assert_eq!(model.requests().len(), 0);
}

/// Where nothing dreams, what is due stays.
#[tokio::test(start_paused = true)]
async fn without_a_dreamer_what_is_due_stays() {
    let (house, memory) = (House::new(), ripe());
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question("How many are there?")))
            .expect(Expect::purpose("executor"), Answer::json(say("3"))),
    );
    let artoo = house.quiet(&model).dreams(Dreams::Off).memory(memory.clone()).build().unwrap();
    house.run(&artoo, "How many are there?").await;
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(artoo.dreamt().calls, 0);
    artoo.close().await;
    assert!(!memory.events().iter().any(is_rule));
    assert_eq!(logged(&house, "dream_report"), []);
}

/// A process in which nothing was learned reports nothing.
#[tokio::test]
async fn an_idle_dreamer_is_silent() {
    let house = House::new();
    let artoo = house.builder(&Arc::new(ScriptedModel::new())).build().unwrap();
    artoo.close().await;
    assert_eq!(logged(&house, "dream_report"), []);
}

fn is_rule(event: &artoo_mkct_memory::Event) -> bool {
    matches!(event, artoo_mkct_memory::Event::Consolidated { .. })
}
