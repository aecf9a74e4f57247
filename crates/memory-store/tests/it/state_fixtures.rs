//! Test fixtures: memories.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_memory_store::journal::Position;
use artoo_memory_store::state::State;
use artoo_mkct_memory::{Event, Rules, matrix};
use artoo_types::{Entity, Level, Megram, MegramId, MegramState, Space, TagPair};
use chrono::{DateTime, Duration, FixedOffset};
use uuid::Uuid;

use crate::faulty_disk::FaultyDisk;

pub(crate) fn day(days: f64) -> DateTime<FixedOffset> {
    let start = DateTime::parse_from_rfc3339("2026-01-01T00:00:00+08:00").unwrap();
    start + Duration::milliseconds((days * 86_400_000.0).round() as i64)
}

pub(crate) fn id(number: u64) -> MegramId {
    MegramId::new(Uuid::from_u128(u128::from(number) + (1 << 100)))
}

pub(crate) fn pair(number: u64) -> TagPair {
    match number {
        0 => TagPair::new(Space::intent("count the files"), Entity::local()),
        n => TagPair::new(Space::from_raw(format!("tool:t|{n}\0")), Entity::path(&format!("/x\n{n}"))),
    }
}

pub(crate) fn megram(number: u64, of: &TagPair, state: MegramState, level: Level, made_on: f64) -> Megram {
    let (space, entity) = (of.space.clone(), of.entity.clone());
    let raw =
        matrix::megram(id(number), state, day(made_on), space, entity, format!("lesson{number} of many"));
    let is_timeless = level == Level::C || level == Level::T;
    Megram { level, k: if is_timeless { 0.0 } else { raw.k }, ..raw }
}

pub(crate) fn written(megram: &Megram) -> Event {
    Event::Written(Arc::new(megram.clone()))
}

/// The words of a text, as hashes.
pub(crate) fn grams(text: &str) -> Vec<u32> {
    let mut hashes: Vec<u32> = text.split_whitespace().map(|word| crc32fast::hash(word.as_bytes())).collect();
    hashes.sort_unstable();
    hashes
}

pub(crate) fn disk() -> FaultyDisk {
    FaultyDisk::new(Path::new("/snapshot"))
}

pub(crate) fn path() -> PathBuf {
    PathBuf::from("/snapshot/1.table")
}

/// The state after a compaction, as the next process finds it.
pub(crate) fn reopened(state: &State, disk: &FaultyDisk, rules: Rules, now: DateTime<FixedOffset>) -> State {
    let covers = Position { seq: state.covers().seq + 1, chain: [9; 32] };
    let table = state.compact(disk, &path(), covers, now).unwrap();
    let state = State::open(table, rules, grams).unwrap();
    assert_eq!(state.covers(), covers);
    state
}
