//! File format of events: separate types, so that the domain may change without the files.
//!
//! The order of fields and variants is the format. Additions go to the end of [`Record`], as a new variant;
//! nothing here is ever changed. A file of an older release contains older variants, and is read like any
//! other.

use std::sync::Arc;

use artoo_mkct_memory::Event;
use artoo_types::{Entity, Level, Megram, MegramId, MegramState, Origin, RunId, Space};
use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The content of a journal frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Line {
    Event(Record),
    Snapshot { seq: u64, hash: [u8; 32] },
}

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Record {
    Written(Box<WrittenMegram>),
    Recalled { id: [u8; 16], at: Instant },
    Consolidated { sop: [u8; 16], sources: Vec<[u8; 16]>, absorbed: Vec<[u8; 16]> },
    Demoted { id: [u8; 16], k: f64 },
    Forgotten { id: [u8; 16] },
}

/// A Megram.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WrittenMegram {
    id: [u8; 16],
    level: u8,
    state: u8,
    created_at: Instant,
    last_recalled_at: Option<Instant>,
    space: String,
    entity: String,
    content: String,
    f: f64,
    sigma: f64,
    k: f64,
    origin: u8,
    run: Option<[u8; 16]>,
}

/// A point in time with its zone's offset, exact to the nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Instant {
    seconds: i64,
    nanoseconds: u32,
    offset_seconds: i32,
}

/// A record that no release of artoo writes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {value}, which means nothing")]
pub struct WireError {
    field: &'static str,
    value: i64,
}

impl From<&Event> for Record {
    fn from(event: &Event) -> Self {
        let bytes = |ids: &[MegramId]| ids.iter().map(|id| id_bytes(*id)).collect();
        match event {
            Event::Written(megram) => Self::Written(Box::new(WrittenMegram::from(megram.as_ref()))),
            Event::Recalled { id, at } => Self::Recalled { id: id_bytes(*id), at: Instant::from(*at) },
            Event::Consolidated { sop, sources, absorbed } => {
                Self::Consolidated { sop: id_bytes(*sop), sources: bytes(sources), absorbed: bytes(absorbed) }
            }
            Event::Demoted { id, k } => Self::Demoted { id: id_bytes(*id), k: *k },
            Event::Forgotten { id } => Self::Forgotten { id: id_bytes(*id) },
        }
    }
}

impl TryFrom<Record> for Event {
    type Error = WireError;

    fn try_from(record: Record) -> Result<Self, WireError> {
        let ids = |bytes: Vec<[u8; 16]>| bytes.into_iter().map(id_of).collect();
        Ok(match record {
            Record::Written(megram) => Self::Written(Arc::new(Megram::try_from(*megram)?)),
            Record::Recalled { id, at } => Self::Recalled { id: id_of(id), at: at.time()? },
            Record::Consolidated { sop, sources, absorbed } => {
                Self::Consolidated { sop: id_of(sop), sources: ids(sources), absorbed: ids(absorbed) }
            }
            Record::Demoted { id, k } => Self::Demoted { id: id_of(id), k },
            Record::Forgotten { id } => Self::Forgotten { id: id_of(id) },
        })
    }
}

const LEVELS: [Level; 4] = [Level::M, Level::K, Level::C, Level::T];
/// By their numbers in records: this order is the format, independent of the table's order.
const STATES: [MegramState; 7] = [
    MegramState::Abandon,
    MegramState::Accept,
    MegramState::ChangeApproach,
    MegramState::Success,
    MegramState::BreakSymmetry,
    MegramState::ChangePath,
    MegramState::Refine,
];

impl From<&Megram> for WrittenMegram {
    fn from(megram: &Megram) -> Self {
        let (origin, run) = match megram.origin {
            None => (0, None),
            Some(Origin::Run(run)) => (1, Some(run.uuid().into_bytes())),
            Some(Origin::Person) => (2, None),
            Some(Origin::Dreamer) => (3, None),
            Some(Origin::Import) => (4, None),
            Some(Origin::Revoked(run)) => (5, Some(run.uuid().into_bytes())),
        };
        Self {
            id: id_bytes(megram.id),
            level: place(&LEVELS, megram.level),
            state: place(&STATES, megram.state),
            created_at: Instant::from(megram.created_at),
            last_recalled_at: megram.last_recalled_at.map(Instant::from),
            space: megram.space.as_str().to_owned(),
            entity: megram.entity.as_str().to_owned(),
            content: megram.content.clone(),
            f: megram.f,
            sigma: megram.sigma,
            k: megram.k,
            origin,
            run,
        }
    }
}

impl TryFrom<WrittenMegram> for Megram {
    type Error = WireError;

    fn try_from(written: WrittenMegram) -> Result<Self, WireError> {
        let origin = match (written.origin, written.run) {
            (0, None) => None,
            (1, Some(run)) => Some(Origin::Run(RunId::new(Uuid::from_bytes(run)))),
            (2, None) => Some(Origin::Person),
            (3, None) => Some(Origin::Dreamer),
            (4, None) => Some(Origin::Import),
            (5, Some(run)) => Some(Origin::Revoked(RunId::new(Uuid::from_bytes(run)))),
            (other, _) => return Err(WireError { field: "the origin", value: other.into() }),
        };
        Ok(Self {
            id: id_of(written.id),
            level: at(&LEVELS, written.level, "the level")?,
            created_at: written.created_at.time()?,
            last_recalled_at: written.last_recalled_at.map(Instant::time).transpose()?,
            space: Space::from_raw(written.space),
            entity: Entity::from_raw(written.entity),
            content: written.content,
            state: at(&STATES, written.state, "the state")?,
            f: written.f,
            sigma: written.sigma,
            k: written.k,
            origin,
        })
    }
}

impl From<DateTime<FixedOffset>> for Instant {
    fn from(time: DateTime<FixedOffset>) -> Self {
        Self {
            seconds: time.timestamp(),
            nanoseconds: time.timestamp_subsec_nanos(),
            offset_seconds: time.offset().local_minus_utc(),
        }
    }
}

impl Instant {
    pub(crate) fn time(self) -> Result<DateTime<FixedOffset>, WireError> {
        let utc = DateTime::from_timestamp(self.seconds, self.nanoseconds)
            .ok_or(WireError { field: "a time", value: self.seconds })?;
        let zone = FixedOffset::east_opt(self.offset_seconds)
            .ok_or(WireError { field: "a zone", value: self.offset_seconds.into() })?;
        Ok(utc.with_timezone(&zone))
    }
}

fn id_bytes(id: MegramId) -> [u8; 16] {
    id.uuid().into_bytes()
}

fn id_of(bytes: [u8; 16]) -> MegramId {
    MegramId::new(Uuid::from_bytes(bytes))
}

fn place<T: Copy + PartialEq>(all: &[T], one: T) -> u8 {
    all.iter().position(|other| *other == one).and_then(|place| u8::try_from(place).ok()).unwrap_or(u8::MAX)
}

fn at<T: Copy>(all: &[T], place: u8, field: &'static str) -> Result<T, WireError> {
    all.get(usize::from(place)).copied().ok_or(WireError { field, value: place.into() })
}
