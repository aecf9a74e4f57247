//! Exports, and imports of foreign files.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use artoo_memory_store::import_export::{ExchangeError, Imported, MAX_LINE, TOLD, export, import};
use artoo_memory_store::{Operator, ReadOnly};
use artoo_mkct_memory::{InMemory, MemoryService, Rules, Template, matrix};
use artoo_types::{
    Entity, Level, Megram, MegramId, MegramState, MemoryAction, MemoryQuery, Origin, Space, TagPair,
};
use chrono::{DateTime, Duration, FixedOffset};
use proptest::prelude::*;
use uuid::Uuid;

fn now() -> DateTime<FixedOffset> {
    "2026-11-23T09:00:00+01:00".parse().unwrap()
}

fn id(number: u64) -> MegramId {
    MegramId::new(Uuid::from_u128(number.into()))
}

fn memory() -> InMemory {
    let next = AtomicU64::new(1_000_000);
    InMemory::new(Rules::default(), now, move || id(next.fetch_add(1, Ordering::Relaxed)))
}

fn experience(number: u64, state: MegramState, content: &str) -> Megram {
    let at = now() - Duration::days(1);
    matrix::megram(id(number), state, at, Space::intent("count"), Entity::local(), content.to_owned())
}

fn exported(memory: &InMemory) -> String {
    let mut bytes = Vec::new();
    export(memory, now(), &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

async fn imported(memory: &InMemory, text: &[u8]) -> Result<Imported, ExchangeError> {
    import(memory, now(), &|text: &str| text.replace("hunter2", "[secret]"), &mut &*text).await
}

const HEADER: &str = r#"{"artoo_memory":1,"made_at":"2026-11-23T09:00:00+01:00","megrams":{"M":1,"K":0,"C":0,"T":0},"consolidated":0}"#;

/// A line with one modification.
fn line(change: impl FnOnce(&mut serde_json::Value)) -> String {
    let mut value =
        serde_json::json!({"megram": experience(1, MegramState::Accept, "glob"), "provenance": {}});
    change(&mut value);
    value.to_string()
}

#[tokio::test]
async fn what_goes_out_comes_in_as_experience() {
    let here = memory();
    for number in 1..=7 {
        here.write(experience(number, MegramState::Accept, "glob works")).unwrap();
    }
    here.dream(&Template).await.unwrap();
    let law = Megram {
        level: Level::T,
        k: 0.0,
        origin: Some(Origin::Person),
        ..experience(8, MegramState::Success, "be brief, hunter2")
    };
    here.write(law).unwrap();
    let text = exported(&here);
    assert_eq!(text, exported(&here), "the same memory, the same lines");

    let there = memory();
    let found = imported(&there, text.as_bytes()).await.unwrap();
    let expected = Imported { taken: 2, lowered: 2, consolidated: 7, ..Imported::default() };
    assert_eq!(found, expected);
    let mut taken = Vec::new();
    there
        .all(&mut |megram, _| {
            taken.push(megram.clone());
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    for megram in &taken {
        assert_eq!((megram.level, megram.k, megram.origin), (Level::K, 0.05, Some(Origin::Import)));
    }
    assert_eq!(taken[0].content, "be brief, [secret]");
    let again = imported(&there, text.as_bytes()).await.unwrap();
    assert_eq!(again, Imported { duplicates: 2, consolidated: 7, ..Imported::default() });
}

#[tokio::test]
async fn a_wrong_first_line_brings_nothing_in() {
    let good = line(|_| {});
    for first in [
        "",
        "\n",
        "null",
        "[]",
        "{}",
        r#"{"artoo_memory":2}"#,
        r#"{"artoo_memory":1}"#,
        r#"{"artoo_memory":1,"made_at":"2026-11-23T09:00:00+01:00","megrams":{"M":-1,"K":0,"C":0,"T":0},"consolidated":0}"#,
        &"x".repeat(MAX_LINE as usize + 2),
        "\u{fffd}",
    ] {
        let memory = memory();
        let error = imported(&memory, format!("{first}\n{good}\n").as_bytes()).await.unwrap_err();
        assert!(matches!(error, ExchangeError::Header(_) | ExchangeError::Version(2)), "{error:?}");
        assert_eq!(memory.events(), []);
    }
}

#[tokio::test]
async fn a_strangers_line_is_held_to_the_rules() {
    let refused: [(&str, String); 17] = [
        ("f is 2", line(|line| line["megram"]["f"] = 2.0.into())),
        ("sigma is -3", line(|line| line["megram"]["sigma"] = (-3.0).into())),
        ("k is -1", line(|line| line["megram"]["k"] = (-1.0).into())),
        ("f is 1e308, not from 0 to 1", line(|line| line["megram"]["f"] = 1e308.into())),
        ("sigma is -1e308, not from -1 to 1", line(|line| line["megram"]["sigma"] = (-1e308).into())),
        ("k is 1e308, not a rate per day, from 0 to 1000", line(|line| line["megram"]["k"] = 1e308.into())),
        ("number out of range", line(|line| line["megram"]["k"] = 4711.into()).replace("4711", "1e309")),
        ("expected value", line(|line| line["megram"]["k"] = 4711.into()).replace("4711", "NaN")),
        (
            "created_at is -262143",
            line(|line| line["megram"]["created_at"] = "-262143-01-01T00:00:00Z".into()),
        ),
        ("created_at is +10000", line(|line| line["megram"]["created_at"] = "+10000-01-01T00:00:00Z".into())),
        (
            "last_recalled_at is 1969-12-31 23:59:59 +00:00, not of the years 1970 to 9999",
            line(|line| line["megram"]["last_recalled_at"] = "1969-12-31T23:59:59Z".into()),
        ),
        ("empty tag", line(|line| line["megram"]["space"] = "".into())),
        ("layers C and T are timeless", line(|line| line["megram"]["level"] = "C".into())),
        ("it is no Megram", line(|line| line["megram"]["id"] = "1".into())),
        ("it is no Megram", line(|line| line["more"] = 1.into())),
        ("it is no Megram", "{".repeat(100_000)),
        ("longer than", line(|line| line["megram"]["content"] = "x".repeat(MAX_LINE as usize).into())),
    ];
    for (why, line) in refused {
        let memory = memory();
        let found = imported(&memory, format!("{HEADER}\n{line}\n").as_bytes()).await.unwrap();
        assert_eq!((found.taken, found.refused), (0, 1), "{why}");
        assert!(found.told[0].why.contains(why) && found.told[0].line == 2, "{:?} is not {why}", found.told);
        assert!(found.told[0].why.len() < 160, "{:?}", found.told);
        assert_eq!(memory.events(), []);
    }
}

/// Not timeless, not of the future, and no stronger than its kind, whatever the line says.
#[tokio::test]
async fn a_claim_of_strength_is_not_believed() {
    let claim = line(|line| {
        let megram = &mut line["megram"];
        (megram["k"], megram["f"], megram["sigma"]) = (0.0.into(), 1.0.into(), (-1.0).into());
        megram["created_at"] = "9999-01-01T00:00:00Z".into();
        megram["last_recalled_at"] = "9999-01-01T00:00:00Z".into();
        megram["origin"] = "person".into();
    });
    let memory = memory();
    imported(&memory, format!("{HEADER}\n{claim}").as_bytes()).await.unwrap();
    let expected = Megram {
        created_at: now(),
        last_recalled_at: Some(now()),
        origin: Some(Origin::Import),
        ..experience(1, MegramState::Accept, "glob")
    };
    assert_eq!(memory.get(id(1)), Some(expected));
}

#[tokio::test]
async fn what_was_forgotten_is_not_brought_back_and_conflicts_are_told() {
    let memory = memory();
    memory.write(experience(1, MegramState::Accept, "glob")).unwrap();
    memory.write(experience(2, MegramState::Accept, "mine")).unwrap();
    let text = exported(&memory).replace("mine", "theirs");
    Operator::forget(&memory, &[id(1)]).unwrap();
    let found = imported(&memory, text.as_bytes()).await.unwrap();
    assert_eq!((found.taken, found.refused), (0, 2));
    assert!(
        found.told[0].why.contains("forgotten here") && found.told[1].why.contains("other content"),
        "{found:?}"
    );
    assert_eq!(memory.get(id(1)), None);
    assert_eq!(memory.get(id(2)).unwrap().content, "mine");
}

#[tokio::test]
async fn a_file_that_was_cut_off_is_told() {
    let here = memory();
    (1..=5).for_each(|number| here.write(experience(number, MegramState::Accept, "glob")).unwrap());
    let text = exported(&here);
    let half = &text[..text.len() - 40];
    let found = imported(&memory(), half.as_bytes()).await.unwrap();
    assert_eq!((found.taken, found.refused, found.missing), (4, 1, 0));
    let found = imported(&memory(), text.lines().next().unwrap().as_bytes()).await.unwrap();
    assert_eq!((found.taken, found.missing), (0, 5));
}

#[tokio::test]
async fn of_many_bad_lines_the_first_are_told() {
    let text = format!("{HEADER}\n{}", "no\n".repeat(1_000));
    let found = imported(&memory(), text.as_bytes()).await.unwrap();
    assert_eq!((found.refused, found.told.len()), (1_000, TOLD));
}

#[tokio::test]
async fn who_only_reads_leaves_no_trace() {
    let memory = Arc::new(memory());
    memory
        .write(Megram {
            level: Level::C,
            k: 0.0,
            origin: Some(Origin::Person),
            ..experience(1, MegramState::Success, "glob")
        })
        .unwrap();
    let before = memory.events();
    let reader = ReadOnly::new(Arc::clone(&memory) as _);
    let pair = TagPair::new(Space::intent("count"), Entity::local());
    reader.write(experience(2, MegramState::Accept, "x")).unwrap();
    let reply = reader.recall(&MemoryQuery { pairs: vec![pair.clone()], like: None }).await.unwrap();
    assert_eq!(reply.recalled[0].sops.len(), 1);
    assert_eq!(reader.query_c(&pair.space, &pair.entity).await.unwrap().len(), 1);
    assert_eq!(reader.query_mk(&pair.space, &pair.entity).await.unwrap().action, MemoryAction::Exploit);
    reader.record_negative_feedback(id(1), "no").await.unwrap();
    reader.dream(&Template).await.unwrap();
    reader.flush().await.unwrap();
    assert_eq!(memory.events(), before);
}

proptest! {
    /// For any file an import terminates, and imports neither rule nor law.
    #[test]
    fn no_file_brings_in_a_rule(lines in proptest::collection::vec("\\PC{0,80}|[\\x00-\\xff]{0,40}", 0..12), header in any::<bool>()) {
        let mut text = if header { format!("{HEADER}\n{}\n", line(|line| line["megram"]["k"] = 0.0.into())) } else { String::new() };
        text.push_str(&lines.join("\n"));
        let memory = memory();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let _ = runtime.block_on(imported(&memory, text.as_bytes()));
        memory.all(&mut |megram, _| {
            assert!(matches!(megram.level, Level::M | Level::K) && megram.k > 0.0);
            std::ops::ControlFlow::Continue(())
        }).unwrap();
    }
}
