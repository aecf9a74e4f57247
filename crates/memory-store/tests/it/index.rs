//! The index's answers compared with a plain map.

use artoo_memory_store::index::{Change, Entry, IndexError, Page, Record, RecordDigest, changes, touched};
use artoo_mkct_memory::{Event, MemoryFold};
use artoo_types::{Entity, Level, Megram, MegramId, Space, TagPair};
use proptest::prelude::*;
use rusty_leveldb::{DB, LdbIterator as _, Options};

use crate::index_fixtures::{Truth, Wrong, day, id, live, megram, open, place, position};

const WHOLE: Page = Page { after: None, limit: usize::MAX };

#[tokio::test]
async fn a_new_index_knows_nothing() {
    let place = place();
    let folder = place.path().join("deep/index");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("LOG"), "of a tool that found nothing").unwrap();
    let index = open(&folder).await.unwrap();
    assert_eq!(index.position().await.unwrap(), None);
    Truth::default().is_told_by(&index).await.unwrap();
    index.close().await;
}

#[tokio::test]
async fn the_keys_are_those_of_the_specification() {
    let place = place();
    let index = open(place.path()).await.unwrap();
    let rule = Megram { level: Level::C, k: 0.0, ..megram(2) };
    index
        .project(vec![Entry::Live(megram(5)), Entry::Consolidated(megram(6)), Entry::Live(rule)], position(3))
        .await
        .unwrap();
    index.close().await;

    let mut keys = Vec::new();
    let mut db = DB::open(place.path(), Options::default()).unwrap();
    let mut entries = db.new_iter().unwrap();
    while let Some((key, value)) = entries.next() {
        let value = String::from_utf8(value).unwrap();
        keys.push(format!("{} -> {value}", String::from_utf8(key).unwrap()));
    }
    insta::assert_snapshot!(keys.join("\n"));
}

#[tokio::test]
async fn long_answers_come_in_pages() {
    let place = place();
    let index = open(place.path()).await.unwrap();
    let pair = megram(0).pair();
    let filed = |number: u64| Megram {
        space: pair.space.clone(),
        entity: pair.entity.clone(),
        level: Level::K,
        ..megram(number)
    };
    let entries: Vec<Entry> = (0..2_345).map(|number| Entry::Live(filed(number))).collect();
    index.project(entries, position(2_345)).await.unwrap();
    let ids = |records: Vec<Record>| records.iter().map(|record| record.megram.id).collect::<Vec<_>>();
    let expected = |from: u64, to: u64| (from..to).map(id).collect::<Vec<_>>();

    assert_eq!(ids(index.of_pair(pair.clone(), WHOLE).await.unwrap()), expected(0, 2_345));
    for (after, limit, from, to) in [
        (None, 7, 0, 7),
        (Some(6), 1_001, 7, 1_008),
        (Some(2_340), 99, 2_341, 2_345),
        (Some(2_344), 9, 2_345, 2_345),
        (None, 0, 0, 0),
    ] {
        let page = Page { after: after.map(id), limit };
        assert_eq!(ids(index.of_pair(pair.clone(), page).await.unwrap()), expected(from, to), "{page:?}");
        assert_eq!(ids(index.of_level(Level::K, page).await.unwrap()), expected(from, to), "{page:?}");
        assert_eq!(ids(index.all(page).await.unwrap()), expected(from, to), "{page:?}");
    }
    let other = TagPair::new(Space::from_raw("intent:count"), pair.entity);
    assert_eq!(index.of_pair(other, WHOLE).await.unwrap(), [], "the beginning of a tag is another tag");
    index.close().await;
}

#[tokio::test]
async fn what_is_too_long_is_cut_and_marked() {
    let place = place();
    let index = open(place.path()).await.unwrap();
    let of = |number, space: String, content: String| Megram {
        space: Space::from_raw(space),
        content,
        ..megram(number)
    };
    let entries = [
        of(1, "s".into(), "ä".repeat(500_000)),
        of(2, "s".into(), "\0".repeat(500_000)),
        of(3, "s".into(), "\"\n".repeat(15_360)), // 61,440 bytes of JSON: just what fits
        of(4, "x".repeat(1_000_000), "c".into()),
        of(5, "x".repeat(1_000_001), "c".into()),
        of(6, "\0\n|%".repeat(100), "\u{feff}|\0".into()),
    ];
    let mut truth = Truth::default();
    truth.take(&entries.clone().map(Entry::Live));
    index.project(entries.clone().map(Entry::Live).to_vec(), position(6)).await.unwrap();
    truth.is_told_by(&index).await.unwrap();

    let found = index.get((1..=6).map(id).collect()).await.unwrap();
    assert_eq!(
        found.iter().map(|record| record.cut).collect::<Vec<_>>(),
        [true, true, false, true, true, false]
    );
    assert!(found.iter().all(|record| serde_json::to_vec(record).unwrap().len() <= 64 * 1024));
    assert_eq!(found[0].megram.content.len(), 60 * 1024);
    assert_ne!(found[3].megram.space, found[4].megram.space, "two long tags that begin alike stay two");
    for megram in &entries {
        assert!(!index.of_pair(megram.pair(), WHOLE).await.unwrap().is_empty());
    }
    index.close().await;
}

#[tokio::test]
async fn a_position_goes_with_what_it_stands_for() {
    let place = place();
    let mut truth = Truth::default();
    for round in 1..=4 {
        let index = open(place.path()).await.unwrap();
        let before = (round > 1).then(|| position(round - 1));
        assert_eq!(index.position().await.unwrap(), before);
        let entries = live(round * 10..round * 10 + 15); // some of them again
        truth.take(&entries);
        index.project(entries, position(round)).await.unwrap();
        assert_eq!(index.position().await.unwrap(), Some(position(round)));
        truth.is_told_by(&index).await.unwrap();
        index.close().await;
    }
}

#[tokio::test]
async fn of_two_entries_of_an_id_the_last_counts() {
    let place = place();
    let index = open(place.path()).await.unwrap();
    let rule = Megram { level: Level::C, ..megram(1) };
    let fallen = Megram { level: Level::K, ..megram(1) };
    let entries =
        vec![Entry::Live(rule), Entry::Live(megram(2)), Entry::Live(fallen.clone()), Entry::Forgotten(id(2))];
    index.project(entries, position(1)).await.unwrap();
    let mut truth = Truth::default();
    truth.take(&[Entry::Live(fallen)]);
    truth.is_told_by(&index).await.unwrap();
    index.close().await;
}

#[tokio::test]
async fn a_rebuild_takes_the_place_of_whatever_was_there() {
    let place = place();
    let folder = place.path().join("index");
    let mut truth = Truth::default();
    truth.take(&live(100..1_300));
    let disk = || std::sync::Arc::new(artoo_memory_store::disk::RealDisk);
    let rebuild = || artoo_memory_store::index::Index::rebuild(&folder, disk(), truth.entries(), position(9));
    let check = async || {
        let index = rebuild().await.unwrap();
        assert_eq!(index.position().await.unwrap(), Some(position(9)));
        truth.is_told_by(&index).await.unwrap();
        index
    };
    let index = check().await; // of nothing
    let error = rebuild().await.err().unwrap();
    assert!(matches!(error, IndexError::Locked { .. }), "{error}");
    truth.is_told_by(&index).await.unwrap();
    index.close().await;
    check().await.close().await; // of an index
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "in the way").unwrap();
    check().await.close().await; // of a file
    // The remains of an interrupted rebuild.
    std::fs::rename(&folder, place.path().join("index.old")).unwrap();
    std::fs::create_dir(place.path().join("index.new")).unwrap();
    std::fs::write(place.path().join("index.new/000003.log"), "half").unwrap();
    check().await.close().await;
    let left: Vec<_> =
        std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["index"]);

    let entries = truth.entries().map(|entry| entry.map_err(|never| match never {}));
    let broken = entries.take(1_100).chain([Err(std::io::Error::other("a bad sector"))]);
    let error =
        artoo_memory_store::index::Index::rebuild(&folder, disk(), broken, position(10)).await.err().unwrap();
    assert!(matches!(error, IndexError::Source(_)), "{error}");
    let index = open(&folder).await.unwrap();
    assert_eq!(
        index.position().await.unwrap(),
        Some(position(9)),
        "the old one stays until the new one is whole"
    );
    truth.is_told_by(&index).await.unwrap();
    index.close().await;
}

#[test]
fn an_event_touches_whom_it_names() {
    let consolidated = Event::Consolidated { sop: id(1), sources: vec![id(2), id(3)], absorbed: vec![id(4)] };
    for (event, ids) in [
        (Event::Written(megram(7).into()), vec![id(7)]),
        (Event::Recalled { id: id(7), at: day(1.0) }, vec![id(7)]),
        (Event::Demoted { id: id(7), k: 0.05 }, vec![id(7)]),
        (Event::Forgotten { id: id(7) }, vec![id(7)]),
        (consolidated, vec![id(1), id(2), id(3), id(4)]),
    ] {
        assert_eq!(touched(&event), ids);
    }
}

#[test]
fn digests_tell_records_apart_and_not_their_spelling() {
    let one = megram(1);
    let mut other = one.clone();
    other.k += 1e-16;
    assert_ne!(RecordDigest::of(&one), RecordDigest::of(&other), "the last bit of a number counts");
    let spelled = serde_json::to_string_pretty(&one).unwrap();
    let read: Record = serde_json::from_str(&spelled).unwrap();
    assert_eq!(read.digest(), RecordDigest::of(&one));
}

/// One step of a memory's life.
#[derive(Clone, Debug)]
enum Step {
    Happens(Vec<Event>),
    Reopen,
    Compact,
    Rebuild,
}

fn any_event() -> impl Strategy<Value = Event> {
    let number = || 0..24u64;
    let ids = || proptest::collection::vec(number().prop_map(id), 0..4);
    prop_oneof![
        6 => number().prop_map(|number| Event::Written(megram(number).into())),
        2 => (number(), 0.0..99.0).prop_map(|(number, days)| Event::Recalled { id: id(number), at: day(days) }),
        2 => (number(), ids(), ids()).prop_map(|(sop, sources, absorbed)| Event::Consolidated { sop: id(sop), sources, absorbed }),
        1 => number().prop_map(|number| Event::Demoted { id: id(number), k: 0.05 }),
        1 => number().prop_map(|number| Event::Forgotten { id: id(number) }),
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        9 => proptest::collection::vec(any_event(), 1..9).prop_map(Step::Happens),
        2 => Just(Step::Reopen),
        1 => Just(Step::Compact),
        1 => Just(Step::Rebuild),
    ]
}

fn entry(fold: &MemoryFold, id: MegramId) -> Entry {
    let Some(megram) = fold.current(id) else { return Entry::Forgotten(id) };
    let live = fold.entries(&megram.space, &megram.entity).iter().any(|entry| entry.megram.id == id);
    if live { Entry::Live(megram) } else { Entry::Consolidated(megram) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn whatever_happens_the_index_says_what_the_state_says(steps in proptest::collection::vec(any_step(), 1..24)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let place = place();
            let folder = place.path().join("index");
            let mut index = open(&folder).await.unwrap();
            let (mut fold, mut truth, mut sequence) = (MemoryFold::default(), Truth::default(), 0);
            for step in steps {
                match step {
                    Step::Happens(events) => {
                        let mut ids = Vec::new();
                        for event in &events {
                            fold.apply(event);
                            ids.extend(touched(event));
                        }
                        sequence += events.len() as u64;
                        let entries: Vec<Entry> = ids.into_iter().map(|id| entry(&fold, id)).collect();
                        truth.take(&entries);
                        index.project(entries, position(sequence)).await.unwrap();
                    }
                    Step::Reopen => {
                        index.close().await;
                        index = open(&folder).await.unwrap();
                    }
                    Step::Compact => index.compact().await.unwrap(),
                    Step::Rebuild => {
                        index.close().await;
                        let disk = std::sync::Arc::new(artoo_memory_store::disk::RealDisk);
                        index = artoo_memory_store::index::Index::rebuild(&folder, disk, truth.entries(), position(sequence))
                            .await
                            .unwrap();
                    }
                }
            }
            let told = index.position().await.unwrap();
            assert!(told == Some(position(sequence)) || (told.is_none() && sequence == 0), "{told:?}");
            let mut whole = Truth::default(); // of the whole state, not only of what was touched
            whole.take(&(0..24).map(|number| entry(&fold, id(number))).collect::<Vec<_>>());
            let told: Result<(), Wrong> = whole.is_told_by(&index).await;
            told.unwrap();
            index.close().await;
        });
    }

    #[test]
    fn changes_make_the_keys_equal_to_the_entry(number in 0..99u64, held in any::<Option<(u8, bool)>>(), now in 0..3u8) {
        let held = held.map(|(level, recalled)| Megram {
            level: crate::index_fixtures::LEVELS[usize::from(level % 4)],
            last_recalled_at: recalled.then(|| day(3.0)),
            ..megram(number)
        });
        let now = match now {
            0 => Entry::Live(megram(number)),
            1 => Entry::Consolidated(megram(number)),
            _ => Entry::Forgotten(id(number)),
        };
        let mut keys = std::collections::BTreeMap::new();
        let apply = |keys: &mut std::collections::BTreeMap<String, Vec<u8>>, some: Vec<Change>| for change in some {
            match change {
                Change::Put { key, value } => drop(keys.insert(key, value)),
                Change::Delete { key } => drop(keys.remove(&key)),
            }
        };
        if let Some(held) = &held {
            apply(&mut keys, changes(None, &Entry::Live(held.clone())));
        }
        apply(&mut keys, changes(held.as_ref(), &now));
        let mut fresh = std::collections::BTreeMap::new();
        apply(&mut fresh, changes(None, &now));
        prop_assert_eq!(keys, fresh);
    }
}

#[test]
fn pairs_that_share_a_separator_stay_apart() {
    let one = Megram { space: Space::from_raw("a|b"), entity: Entity::from_raw("c"), ..megram(1) };
    let other = Megram { space: Space::from_raw("a"), entity: Entity::from_raw("b|c"), ..megram(1) };
    assert_ne!(changes(None, &Entry::Live(one)), changes(None, &Entry::Live(other)));
}
