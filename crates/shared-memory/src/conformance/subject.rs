//! The memory under test, with a clock that the law moves, and test experiences.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use artoo_mkct_memory::{MemoryService, Template, matrix};
use artoo_types::{
    DreamReport, Entity, Level, Megram, MegramId, MegramState, MemoryQuery, MemoryReply, Origin, Potentials,
    SopRecord, Space,
};
use chrono::{DateTime, FixedOffset, TimeDelta};
use uuid::Uuid;

use super::{Factory, Now};

pub(super) struct Subject {
    pub(super) memory: Arc<dyn MemoryService>,
    today: Arc<AtomicI64>,
}

impl Subject {
    pub(super) fn new(make: &Factory) -> Self {
        let today = Arc::new(AtomicI64::new(0));
        let clock = Arc::clone(&today);
        let now: Now = Arc::new(move || day(clock.load(Ordering::SeqCst)));
        Self { memory: make(now), today }
    }

    /// Moves the clock.
    pub(super) fn on(&self, day: i64) -> &Self {
        self.today.store(day, Ordering::SeqCst);
        self
    }

    pub(super) fn write(&self, megram: Megram) -> Result<(), String> {
        self.memory.write(megram).map_err(|error| format!("a write failed: {error}"))
    }

    pub(super) fn write_all(&self, megrams: impl IntoIterator<Item = Megram>) -> Result<(), String> {
        megrams.into_iter().try_for_each(|megram| self.write(megram))
    }

    pub(super) async fn dream(&self) -> Result<DreamReport, String> {
        self.memory.dream(&Template).await.map_err(|error| format!("a cycle of the Dreamer failed: {error}"))
    }

    pub(super) async fn recall(&self, query: MemoryQuery) -> Result<MemoryReply, String> {
        self.memory.recall(&query).await.map_err(|error| format!("a recall failed: {error}"))
    }

    /// The potentials of the test pair.
    pub(super) async fn known(&self) -> Result<Potentials, String> {
        let (space, entity) = pair();
        self.memory.query_mk(&space, &entity).await.map_err(|error| format!("query_mk failed: {error}"))
    }

    /// The rules of the test pair.
    pub(super) async fn rules(&self) -> Result<Vec<SopRecord>, String> {
        let (space, entity) = pair();
        self.memory.query_c(&space, &entity).await.map_err(|error| format!("query_c failed: {error}"))
    }

    /// Asserts the potentials of the test pair, within a relative 1e-9.
    pub(super) async fn expect(&self, attention: f64, decision: f64, when: &str) -> Result<(), String> {
        let known = self.known().await?;
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * attention.max(1e-3);
        expect(near(known.attention, attention) && near(known.decision, decision), || {
            format!("{when}: attention {attention} and decision {decision} are due, found {known:?}")
        })
    }
}

/// Asserts a condition; otherwise returns what was found.
pub(super) fn expect(holds: bool, found: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(found()) }
}

pub(super) fn day(days: i64) -> DateTime<FixedOffset> {
    let start = DateTime::from_timestamp(1_767_225_600, 0).unwrap_or_default().fixed_offset();
    start.checked_add_signed(TimeDelta::days(days)).unwrap_or(start)
}

pub(super) fn id(number: u128) -> MegramId {
    MegramId::new(Uuid::from_u128(number))
}

pub(super) fn pair() -> (Space, Entity) {
    (Space::intent("Count the files"), Entity::local())
}

/// An experience of the test pair.
pub(super) fn experience(number: u128, state: MegramState, made_on: i64) -> Megram {
    let (space, entity) = pair();
    matrix::megram(id(number), state, day(made_on), space, entity, format!("lesson {number}"))
}

pub(super) fn experiences(numbers: std::ops::Range<u128>, state: MegramState, made_on: i64) -> Vec<Megram> {
    numbers.map(|number| experience(number, state, made_on)).collect()
}

/// A rule of the test pair.
pub(super) fn rule(number: u128, state: MegramState, made_on: i64) -> Megram {
    Megram { level: Level::C, k: 0.0, origin: Some(Origin::Person), ..experience(number, state, made_on) }
}

/// A law of the person.
pub(super) fn law(number: u128, made_on: i64) -> Megram {
    Megram { level: Level::T, ..rule(number, MegramState::Accept, made_on) }
}
