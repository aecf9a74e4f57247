//! The store as a whole.

use std::sync::Arc;

use artoo_memory_store::operator::{Filter, Operator, Part};
use artoo_memory_store::{Options, Store};
use artoo_mkct_memory::{MemoryService, Template};
use artoo_types::{Level, Megram, MegramState, MemoryAction, MemoryQuery, Origin, RecallReason};

use crate::slow_disk::SlowDisk;
use crate::store_fixtures::{House, id, is_in_a_file, megram, pair};

const ALL: Filter = Filter { level: None, space: None, like: None, limit: 1_000 };

fn question(name: &str) -> MemoryQuery {
    MemoryQuery { pairs: vec![pair(name)], like: Some(name.to_owned()) }
}

#[tokio::test]
async fn what_one_process_learns_the_next_one_knows() {
    let house = House::new();
    let store = house.open();
    store
        .write(megram(1, MegramState::Accept, 0, "count the files", "count the files: find -type f worked"))
        .unwrap();
    store.close().await.unwrap();

    house.on(1);
    let next = house.open();
    let reply = next.recall(&question("count the files")).await.unwrap();
    assert_eq!(reply.recalled[0].potentials.action, MemoryAction::Exploit);
    assert_eq!(reply.recalled[0].experiences[0].content, "count the files: find -type f worked");
    assert_eq!(next.notices(), []);
    next.close().await.unwrap();
}

/// Lesson 82: a second process never fails because another one runs.
#[tokio::test]
async fn lesson_82_two_at_once_see_what_the_other_committed() {
    let house = House::new();
    let (first, second) = (house.open(), house.open());
    second.write(megram(1, MegramState::Accept, 0, "sort the list", "sort -n")).unwrap();
    second.flush().await.unwrap();
    let TagOf(space, entity) = TagOf::new("sort the list");
    assert_eq!(first.query_mk(&space, &entity).await.unwrap().attention, 0.9);
    first.write(megram(2, MegramState::Abandon, 0, "sort the list", "no")).unwrap();
    first.flush().await.unwrap();
    assert!((second.query_mk(&space, &entity).await.unwrap().attention - 1.85).abs() < 1e-9);
    // The owner ends, and the other takes over.
    first.close().await.unwrap();
    second.write(megram(3, MegramState::Accept, 0, "sort the list", "yes")).unwrap();
    second.close().await.unwrap();
    assert!((house.open().query_mk(&space, &entity).await.unwrap().attention - 2.75).abs() < 1e-9);
}

/// A run is revoked from another process than the one that owns the memory; it is so for both, for the next one, once and for all.
#[tokio::test]
async fn a_run_is_revoked_from_another_process_and_stays_so() {
    let house = House::new();
    let (owner, other) = (house.open(), house.open());
    let run = artoo_types::RunId::new(uuid::Uuid::from_u128(77));
    let learned = megram(1, MegramState::Accept, 0, "sort the list", "sort -n");
    owner.write(Megram { origin: Some(Origin::Run(run)), ..learned.clone() }).unwrap();
    owner.flush().await.unwrap();
    let revoked = other.revoke(run, "they undid it").await.unwrap();
    other.flush().await.unwrap();
    assert_eq!(revoked.len(), 1);
    let TagOf(space, entity) = TagOf::new("sort the list");
    let known = owner.query_mk(&space, &entity).await.unwrap();
    assert_eq!((known.decision, known.action), (0.0, MemoryAction::Caution));
    assert_eq!(owner.revoke(run, "once more").await.unwrap(), []);
    other.close().await.unwrap();
    owner.close().await.unwrap();

    let store = house.open();
    assert_eq!(store.revoke(run, "once more").await.unwrap(), []);
    let listed = store.list(&ALL).unwrap();
    let told: Vec<(&str, Option<Origin>)> =
        listed.iter().map(|one| (one.megram.content.as_str(), one.megram.origin)).collect();
    let reason = "Rejected by the user: they undid it";
    assert_eq!(told, [(reason, Some(Origin::Revoked(run))), ("sort -n", Some(Origin::Run(run)))]);
    let recalled = store.recall_look(&question("sort the list")).unwrap().recalled;
    let told: Vec<&str> =
        recalled.iter().flat_map(|known| &known.experiences).map(|told| told.content.as_str()).collect();
    assert_eq!(told, [reason], "the experience is kept, and no longer recalled");
    assert_eq!(store.verify().unwrap().findings, []);
    store.rebuild_index().unwrap();
    store.close().await.unwrap();
}

/// What is in the snapshot and what became part of a rule is revoked too.
#[tokio::test]
async fn what_became_part_of_a_rule_is_revoked_by_an_experience_against_the_rule() {
    let house = House::new();
    let store = house.open();
    let run = |number| artoo_types::RunId::new(uuid::Uuid::from_u128(number));
    for number in 1..=1_200 {
        let name = format!("task {}", number % 40);
        let learned = megram(number, MegramState::Success, 0, &name, "sort -n");
        store.write(Megram { origin: Some(Origin::Run(run(number))), ..learned }).unwrap();
    }
    store.dream(&Template).await.unwrap();
    store.close().await.unwrap();
    assert_eq!(std::fs::read_dir(house.memory().join("snapshot")).unwrap().count(), 1);
    let store = house.open();
    let revoked = store.revoke(run(7), "they undid it").await.unwrap();
    assert_eq!(revoked.len(), 1);
    let TagOf(space, entity) = TagOf::new("task 7");
    let known = store.query_mk(&space, &entity).await.unwrap();
    assert!((known.decision - (0.80 - 0.85)).abs() < 1e-9, "{known:?}");
    assert_eq!(store.revoke(run(7), "once more").await.unwrap(), []);
    store.close().await.unwrap();
}

/// Events that are still queued when the cycle ends count for the length of the journal.
#[tokio::test]
async fn a_slow_disk_does_not_make_a_long_journal_pass_for_a_short_one() {
    let house = House::new();
    let store = Store::open(Options { disk: Arc::new(SlowDisk), ..house.options() }).unwrap();
    for number in 0..1_200 {
        let name = format!("task {}", number % 40);
        store.write(megram(number, MegramState::Success, 0, &name, "sort -n")).unwrap();
    }
    store.dream(&Template).await.unwrap();
    store.close().await.unwrap();
    assert_eq!(std::fs::read_dir(house.memory().join("snapshot")).unwrap().count(), 1);
}

/// A model that words every rule alike, and counts how often it was asked.
struct Wording(std::sync::atomic::AtomicU32);

#[async_trait::async_trait]
impl artoo_mkct_memory::Distiller for Wording {
    async fn distil(&self, _: artoo_types::Polarity, _: &[Megram]) -> Option<String> {
        self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Some("worded".to_owned())
    }
}

/// A model is asked twenty times a day, whichever process dreams; all rules arise all the same.
#[tokio::test]
async fn a_model_words_twenty_rules_a_day() {
    let house = House::new();
    let model = Wording(0.into());
    let asked = || model.0.load(std::sync::atomic::Ordering::SeqCst);
    for (day, tasks, expected) in [(0, 0..15, 15), (0, 15..30, 20), (1, 30..35, 25)] {
        house.on(day);
        let store = house.open();
        for task in tasks.clone() {
            for number in 0..10 {
                let name = format!("task {task}");
                store.write(megram(task * 10 + number, MegramState::Success, day, &name, "sort -n")).unwrap();
            }
        }
        let did = store.dream(&model).await.unwrap();
        assert_eq!((did.promoted.len() as u128, asked()), (tasks.end - tasks.start, expected), "day {day}");
        store.close().await.unwrap();
    }
    let store = house.open();
    let rules = store.list(&Filter { level: Some(Level::C), ..ALL }).unwrap();
    let worded = rules.iter().filter(|rule| rule.megram.content == "worded").count();
    assert_eq!((rules.len(), worded), (35, 25));
    store.close().await.unwrap();
}

struct TagOf(artoo_types::Space, artoo_types::Entity);

impl TagOf {
    fn new(name: &str) -> Self {
        let pair = pair(name);
        Self(pair.space, pair.entity)
    }
}

#[tokio::test]
async fn a_snapshot_changes_no_answer() {
    let house = House::new();
    let store = house.open();
    for number in 0..1_200 {
        let name = format!("task {} of the day", number % 40);
        store.write(megram(number, MegramState::Success, 0, &name, &format!("lesson {number}"))).unwrap();
    }
    let before = (store.list(&ALL).unwrap(), store.recall_look(&question("task 7 of the day")).unwrap());
    store.dream(&Template).await.unwrap();
    let rules = store.stats().unwrap().levels.c;
    assert_eq!(rules, 40, "thirty successes are a practice");
    let dreamt = store.recall_look(&question("task 7 of the day")).unwrap();
    store.close().await.unwrap();
    assert_eq!(std::fs::read_dir(house.memory().join("snapshot")).unwrap().count(), 1);

    let next = house.open();
    assert_eq!(next.recall_look(&question("task 7 of the day")).unwrap(), dreamt);
    assert_eq!(before.0.len(), 1_000);
    assert_eq!(next.list(&Filter { limit: 2_000, ..ALL }).unwrap().len(), 1_240);
    let practice = &next.list(&Filter { level: Some(Level::C), ..ALL }).unwrap()[0];
    assert_eq!(next.show(practice.megram.id).unwrap().unwrap().sources.len(), 30);
    assert_eq!(next.verify().unwrap().findings, []);
    next.close().await.unwrap();
}

#[tokio::test]
async fn what_is_forgotten_is_in_no_file() {
    let house = House::new();
    let store = house.open();
    for number in 0..50 {
        store.write(megram(number, MegramState::Accept, 0, "pay the bill", "usual")).unwrap();
    }
    store.write(megram(77, MegramState::Accept, 0, "pay the bill", "the PLATYPUS account")).unwrap();
    store.rebuild_index().unwrap();
    assert!(is_in_a_file(&house.memory(), "PLATYPUS"));
    let result = store.forget(&[id(77), id(78)]).unwrap();
    assert_eq!((result.forgotten, result.unknown), (vec![id(77)], vec![id(78)]));
    assert!(!is_in_a_file(&house.memory(), "PLATYPUS"));
    assert_eq!(store.show(id(77)).unwrap(), None);
    // Its id stays taken: no import brings it back.
    let again = store.write(megram(77, MegramState::Accept, 0, "pay the bill", "the PLATYPUS account"));
    assert!(again.is_err());
    assert_eq!(store.verify().unwrap().findings, []);
    store.close().await.unwrap();
    assert_eq!(house.open().list(&Filter { limit: 100, ..ALL }).unwrap().len(), 50);
}

/// The index answers nothing that the journal does not confirm.
#[tokio::test]
async fn without_its_index_or_with_a_damaged_one_it_answers_the_same() {
    let house = House::new();
    let store = house.open();
    for number in 0..300 {
        let name = format!("kind {}", number % 7);
        store.write(megram(number, MegramState::Accept, 0, &name, &format!("lesson {number}"))).unwrap();
    }
    store.dream(&Template).await.unwrap();
    let rules = Filter { level: Some(Level::C), ..ALL };
    let answers = |store: &artoo_memory_store::Store| {
        (store.list(&rules).unwrap(), store.find_prefix("00000000", 5).unwrap(), store.show(id(5)).unwrap())
    };
    let expected = answers(&store);
    assert_eq!(expected.0.len(), 7);
    store.close().await.unwrap();
    let index = house.memory().join("index");
    std::fs::remove_dir_all(&index).unwrap();
    let store = house.open();
    assert_eq!(answers(&store), expected);
    store.close().await.unwrap();
    for round in 0..20 {
        for entry in std::fs::read_dir(&index).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            let length = bytes.len();
            if length > 0 {
                bytes[(round * 7919) % length] ^= 0x5a;
                std::fs::write(&path, bytes).unwrap();
            }
        }
        let store = house.open();
        assert_eq!(answers(&store), expected, "round {round}");
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn similar_requests_are_found_over_processes() {
    let house = House::new();
    let store = house.open();
    let lesson = "Done: how many .txt are there. Steps: Count the .txt files. find -name '*.txt' | wc -l";
    store.write(megram(1, MegramState::Accept, 0, "how many .txt are there", lesson)).unwrap();
    store.write(megram(2, MegramState::Accept, 0, "resize holiday photos", "convert -resize 50%")).unwrap();
    store.close().await.unwrap();
    let reply = house.open().recall(&question("count the text files")).await.unwrap();
    let [asked, similar] = reply.recalled.as_slice() else { panic!("{reply:?}") };
    assert_eq!(asked.reason, RecallReason::Asked);
    assert_eq!(similar.pair, pair("how many .txt are there"));
}

#[tokio::test]
async fn a_clock_that_is_set_back_or_forward_breaks_nothing() {
    let house = House::new();
    let store = house.open();
    let TagOf(space, entity) = TagOf::new("wind the clock");
    for (number, on) in [(1, 0), (2, 3_650), (3, -3_650)] {
        house.on(on);
        store.write(megram(number, MegramState::Accept, on, "wind the clock", "tick")).unwrap();
        let known = store.query_mk(&space, &entity).await.unwrap();
        assert!(known.attention.is_finite() && known.attention >= 0.9, "{known:?}");
        store.dream(&Template).await.unwrap();
    }
    store.close().await.unwrap();
    house.on(0);
    let next = house.open();
    assert!(next.query_mk(&space, &entity).await.unwrap().attention >= 0.9);
    assert!(next.verify().unwrap().findings.iter().all(|finding| finding.part != Part::Journal));
    next.close().await.unwrap();
}
