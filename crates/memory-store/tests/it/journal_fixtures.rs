//! Test fixtures: journals.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_memory_store::journal::{Entry, Journal, Notice, Position};
use artoo_mkct_memory::{Event, matrix};
use artoo_types::{Entity, MegramId, MegramState, Space};
use chrono::{DateTime, FixedOffset};
use uuid::Uuid;

use crate::faulty_disk::FaultyDisk;

pub(crate) const FOLDER: &str = "/data/memory";

pub(crate) fn disk() -> FaultyDisk {
    FaultyDisk::new(Path::new(FOLDER))
}

pub(crate) fn at() -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339("2026-11-23T08:00:00+02:00").unwrap()
}

/// The event of a number.
pub(crate) fn event(number: u64) -> Event {
    Event::Forgotten { id: MegramId::new(Uuid::from_u128(number.into())) }
}

/// An experience with this content.
pub(crate) fn written(number: u64, content: impl Into<String>) -> Event {
    let id = MegramId::new(Uuid::from_u128(number.into()));
    let (space, entity) = (Space::intent("count the files"), Entity::local());
    Event::Written(Arc::new(matrix::megram(id, MegramState::Success, at(), space, entity, content.into())))
}

pub(crate) fn batch(events: impl IntoIterator<Item = Event>) -> Vec<(DateTime<FixedOffset>, Entry)> {
    events.into_iter().map(|event| (at(), Entry::Event(event))).collect()
}

/// The result of `open`.
pub(crate) struct Opened {
    pub(crate) journal: Journal,
    pub(crate) entries: Vec<(u64, Entry)>,
    pub(crate) notices: Vec<Notice>,
}

pub(crate) fn open(disk: &FaultyDisk) -> Opened {
    open_from(disk, Position::START)
}

pub(crate) fn open_from(disk: &FaultyDisk, from: Position) -> Opened {
    let (journal, entries, notices) = Journal::open(Path::new(FOLDER), Arc::new(disk.clone()), from).unwrap();
    Opened { journal, entries, notices }
}

impl Opened {
    /// Asserts the events of these numbers, each under its number.
    pub(crate) fn assert_has(&self, numbers: impl IntoIterator<Item = u64>) {
        let expected: Vec<_> =
            numbers.into_iter().map(|number| (number, Entry::Event(event(number)))).collect();
        assert_eq!(self.entries, expected);
    }
}

pub(crate) fn segment(first: u64) -> PathBuf {
    Path::new(FOLDER).join(format!("journal/{first:020}.log"))
}
