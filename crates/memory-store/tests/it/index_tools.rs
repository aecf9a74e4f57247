//! An index written by C++ LevelDB (`tests/fixtures/index-cpp/make.py`): other tools may create and repair
//! the files, and they are trusted if they match the truth.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_memory_store::disk::RealDisk;
use artoo_memory_store::index::{Doubt, Entry, Index, Position};
use artoo_types::{Entity, Level, Megram, MegramState, Origin, Space};
use chrono::DateTime;

use crate::index_fixtures::{Truth, Wrong, id, live, open, place, position};

/// The Megram that the script writes.
fn megram(number: u64) -> Megram {
    let at = |text: &str| DateTime::parse_from_rfc3339(text).unwrap();
    let rule = number.is_multiple_of(7);
    Megram {
        id: id(number),
        level: if rule { Level::C } else { Level::M },
        created_at: at(&format!("2026-01-{:02}T09:00:00+08:00", 1 + number % 28)),
        last_recalled_at: number.is_multiple_of(5).then(|| at("2026-02-01T09:00:00.250+08:00")),
        space: Space::from_raw(format!("intent:laske|tiedostot {}", number % 3)),
        entity: Entity::local(),
        content: format!("opittu {number}: find -iname löysi sen"),
        state: MegramState::Accept,
        f: 0.9,
        sigma: 1.0,
        k: if rule { 0.0 } else { 0.05 },
        origin: (number % 2 == 1).then_some(Origin::Person),
    }
}

fn entries() -> Vec<Entry> {
    let there = (0..120).filter(|number| number % 9 != 0 || *number >= 90);
    there.map(|number| Entry::Live(megram(number))).collect()
}

fn copied(place: &Path) -> PathBuf {
    let to = place.join("index");
    std::fs::create_dir(&to).unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/index-cpp/index");
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    to
}

const AT: Position = Position { seq: 4, chain: [3; 32], count: 110 };

#[tokio::test]
async fn an_index_of_other_tools_is_read_and_carried_on() {
    let place = place();
    let folder = copied(place.path());
    let mut truth = Truth::default();
    truth.take(&entries());
    let index = open(&folder).await.unwrap();
    assert_eq!(index.position().await.unwrap(), Some(AT));
    truth.is_told_by(&index).await.unwrap();
    let more: Vec<Entry> =
        live(200..260).into_iter().chain([Entry::Forgotten(id(1)), Entry::Consolidated(megram(2))]).collect();
    truth.take(&more);
    index.project(more, position(5)).await.unwrap();
    truth.is_told_by(&index).await.unwrap();
    index.compact().await.unwrap();
    index.close().await;
    let index = open(&folder).await.unwrap();
    assert_eq!(index.position().await.unwrap(), Some(position(5)));
    truth.is_told_by(&index).await.unwrap();
    index.close().await;
}

#[tokio::test]
async fn one_that_says_something_else_is_not_believed() {
    let other = Megram { content: "opittu 5: find -iname löysi sen.".to_owned(), ..megram(5) };
    let elsewhere = Megram { entity: Entity::path("/tmp"), ..megram(5) };
    let weaker = Megram { f: 0.899_999_999_999_999_9, ..megram(5) };
    for (change, doubt) in [
        (Entry::Live(other), Doubt::Differs(id(5))),
        (Entry::Live(elsewhere), Doubt::Differs(id(5))),
        (Entry::Live(weaker), Doubt::Differs(id(5))),
        (Entry::Forgotten(id(5)), Doubt::Unexpected(id(5))),
        (Entry::Live(megram(9)), Doubt::Missing(id(9))),
        (Entry::Consolidated(megram(5)), Doubt::Unexpected(id(5))), // it counts in its pair there
    ] {
        let place = place();
        let folder = copied(place.path());
        let mut truth = Truth::default();
        truth.take(&entries());
        truth.take(&[change]);
        let index = open(&folder).await.unwrap();
        match truth.is_told_by(&index).await {
            Err(Wrong::Doubt(found)) => assert_eq!(found, doubt),
            other => panic!("{doubt}: {other:?}"),
        }
        index.close().await;
        let index = Index::rebuild(&folder, Arc::new(RealDisk), truth.entries(), position(9)).await.unwrap();
        truth.is_told_by(&index).await.unwrap();
        index.close().await;
    }
}
