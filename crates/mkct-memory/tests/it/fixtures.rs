//! Test fixtures: experiences and times.

use artoo_mkct_memory::{dreamer::Entry, matrix};
use artoo_types::{Entity, Level, Megram, MegramId, MegramState, Origin, Space};
use chrono::{DateTime, Duration, FixedOffset};
use proptest::prelude::*;
use uuid::Uuid;

/// An instant, in days since the tests began.
pub(crate) fn day(days: f64) -> DateTime<FixedOffset> {
    let start = DateTime::parse_from_rfc3339("2026-01-01T00:00:00+08:00").unwrap();
    start + Duration::milliseconds((days * 86_400_000.0).round() as i64)
}

pub(crate) fn id(number: u128) -> MegramId {
    MegramId::new(Uuid::from_u128(number))
}

pub(crate) fn pair() -> (Space, Entity) {
    (Space::intent("count the files"), Entity::local())
}

/// An experience of the test pair, created on a day.
pub(crate) fn experience(number: u128, state: MegramState, made_on: f64) -> Megram {
    let (space, entity) = pair();
    matrix::megram(id(number), state, day(made_on), space, entity, format!("lesson {number}"))
}

/// A rule of the test pair, created on a day.
pub(crate) fn rule(number: u128, state: MegramState, made_on: f64) -> Megram {
    Megram { level: Level::C, k: 0.0, origin: Some(Origin::Person), ..experience(number, state, made_on) }
}

pub(crate) fn entry(megram: Megram) -> Entry {
    Entry { megram, sources: Vec::new() }
}

pub(crate) fn any_state() -> impl Strategy<Value = MegramState> {
    proptest::sample::select(MegramState::ALL.as_slice())
}

/// Experiences of the test pair, of any state and level, created over a year; some were recalled.
pub(crate) fn any_megrams(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Megram>> {
    let level =
        prop_oneof![6 => Just(Level::M), 2 => Just(Level::K), 1 => Just(Level::C), 1 => Just(Level::T)];
    let one = (any_state(), level, 0.0f64..365.0, proptest::option::of(0.0f64..60.0));
    proptest::collection::vec(one, count).prop_map(|all| {
        let numbered = all.into_iter().enumerate();
        numbered
            .map(|(number, (state, level, made_on, recalled_after))| {
                let megram = experience(number as u128 + 1, state, made_on);
                let timeless = level == Level::C || level == Level::T;
                Megram {
                    level,
                    k: if timeless { 0.0 } else { megram.k },
                    last_recalled_at: recalled_after.map(|days| day(made_on + days)),
                    ..megram
                }
            })
            .collect()
    })
}

/// Equal, except for the rounding of sums of this size.
pub(crate) fn close(a: f64, b: f64, size: f64) -> bool {
    (a - b).abs() <= 1e-9 * size.abs() + 1e-290
}
