//! Stored values of the state in a table: separate types, as in [`crate::wire`], so that the state may change
//! without the files.

use std::sync::Arc;

use artoo_mkct_memory::sums::{Slot, Slots};
use artoo_mkct_memory::{Bankruptcy, Rules};
use artoo_types::{Entity, Megram, MegramId, Space, TagPair};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use uuid::Uuid;

use super::facts::{Class, Known};
use super::key::PairKey;
use crate::table::{Part, Row, Table, TableError};
use crate::wire::{Instant, WrittenMegram};

/// Value of class `e`.
#[derive(Serialize, Deserialize)]
pub(super) struct EntryRecord {
    megram: WrittenMegram,
    marks: Marks,
}

/// The events of a Megram.
#[derive(Serialize, Deserialize)]
pub(super) struct Marks {
    provenance: Option<Vec<[u8; 16]>>,
    is_consolidated: bool,
    demoted_k: Option<f64>,
    recalled_at: Option<Instant>,
}

/// Value of class `i`.
#[derive(Serialize, Deserialize)]
pub(super) enum PlaceRecord {
    Entry { pair: [u8; 20], class: u8 },
    Forgotten,
    Marked(Marks),
}

/// Value of class `p`.
#[derive(Serialize, Deserialize)]
pub(super) struct PairRecord {
    space: String,
    entity: String,
    pub(super) live: u64,
    pub(super) consolidated: u64,
    pub(super) touched_ms: i64,
    /// `i64::MIN` means immediately, `None` never.
    pub(super) due_ms: Option<i64>,
    latest_ms: i64,
    slots: Vec<SlotRecord>,
}

#[derive(Serialize, Deserialize)]
struct SlotRecord {
    k: f64,
    reference_ms: i64,
    positive: f64,
    negative: f64,
    peak: f64,
    entries: u64,
}

/// Value of class `w`.
#[derive(Serialize, Deserialize)]
pub(super) struct WordsRecord {
    space: String,
    entity: String,
    pub(super) grams: Vec<u32>,
}

/// Value of class `m`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct MetaRecord {
    pub(super) rules: RulesRecord,
    pub(super) greatest_id: [u8; 16],
    pub(super) counts: Counts,
}

/// The rules by which the due times were computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RulesRecord {
    forget_below: f64,
    forget_min_age_days: f64,
    promote_attention: f64,
    promote_decision: f64,
    falls_when_negative: bool,
}

/// Counts of the whole state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counts {
    /// Live Megrams of M, K, C and T.
    pub(super) levels: [u64; 4],
    pub(super) consolidated: u64,
    pub(super) forgotten: u64,
    pub(super) pairs: u64,
}

pub(super) fn encode<T: Serialize>(table: &std::path::Path, record: &T) -> Result<Vec<u8>, TableError> {
    postcard::to_stdvec(record).map_err(|_| TableError::Damaged {
        path: table.to_owned(),
        part: Part::Record,
        offset: 0,
        flaw: "it cannot be written",
    })
}

/// Reads a row's value.
pub(super) fn decode<T: DeserializeOwned>(table: &Table, row: &Row) -> Result<T, TableError> {
    match postcard::take_from_bytes(row.value()) {
        Ok((record, [])) => Ok(record),
        Ok(_) | Err(_) => Err(meaningless(table, row)),
    }
}

/// The error for an unreadable row.
pub(super) fn meaningless(table: &Table, row: &Row) -> TableError {
    let path = table.path().to_owned();
    TableError::Damaged { path, part: Part::Record, offset: row.offset(), flaw: "it means nothing" }
}

impl EntryRecord {
    /// `None` without a Megram.
    pub(super) fn of(known: &Known) -> Option<Self> {
        Some(Self { megram: WrittenMegram::from(known.megram.as_deref()?), marks: Marks::of(known) })
    }

    pub(super) fn known(self, table: &Table, row: &Row) -> Result<Known, TableError> {
        let megram = Megram::try_from(self.megram).map_err(|_| meaningless(table, row))?;
        Ok(Known { megram: Some(Arc::new(megram)), ..self.marks.known(table, row)? })
    }
}

impl Marks {
    pub(super) fn of(known: &Known) -> Self {
        let bytes = |ids: &Arc<[MegramId]>| ids.iter().map(|id| id.uuid().into_bytes()).collect();
        Self {
            provenance: known.provenance.as_ref().map(bytes),
            is_consolidated: known.is_consolidated,
            demoted_k: known.demoted_k,
            recalled_at: known.recalled_at.map(Instant::from),
        }
    }

    pub(super) fn known(self, table: &Table, row: &Row) -> Result<Known, TableError> {
        let ids =
            |ids: Vec<[u8; 16]>| ids.into_iter().map(|id| MegramId::new(Uuid::from_bytes(id))).collect();
        let recalled_at = self.recalled_at.map(Instant::time).transpose();
        Ok(Known {
            megram: None,
            provenance: self.provenance.map(ids),
            is_consolidated: self.is_consolidated,
            demoted_k: self.demoted_k,
            recalled_at: recalled_at.map_err(|_| meaningless(table, row))?,
            is_forgotten: false,
        })
    }
}

impl PlaceRecord {
    /// The location of an id.
    pub(super) fn of(known: &Known, pair: impl FnOnce(&Megram) -> PairKey) -> Self {
        match (&known.megram, known.class()) {
            (Some(megram), Some(class)) => Self::Entry { pair: pair(megram).0, class: class as u8 },
            (Some(_), None) | (None, _) if known.is_forgotten => Self::Forgotten,
            (Some(_), None) | (None, _) => Self::Marked(Marks::of(known)),
        }
    }

    /// The location of an entry, as in its key; `None` if there is no entry.
    pub(super) fn entry(&self) -> Option<(PairKey, Option<Class>)> {
        match self {
            Self::Entry { pair, class } => Some((PairKey(*pair), Class::from_number(*class))),
            Self::Forgotten | Self::Marked(_) => None,
        }
    }
}

impl PairRecord {
    pub(super) fn of(pair: TagPairRef<'_>, slots: &Slots, counts: PairCounts, due_ms: Option<i64>) -> Self {
        let slot = |slot: &Slot| {
            let Slot { k, reference_ms, positive, negative, peak, entries } = *slot;
            SlotRecord { k, reference_ms, positive, negative, peak, entries }
        };
        Self {
            space: pair.0.as_str().to_owned(),
            entity: pair.1.as_str().to_owned(),
            live: counts.live,
            consolidated: counts.consolidated,
            touched_ms: counts.touched_ms,
            due_ms,
            latest_ms: slots.latest_ms(),
            slots: slots.slots().iter().map(slot).collect(),
        }
    }

    pub(super) fn slots(&self) -> Slots {
        let slot = |slot: &SlotRecord| {
            let SlotRecord { k, reference_ms, positive, negative, peak, entries } = *slot;
            Slot { k, reference_ms, positive, negative, peak, entries }
        };
        Slots::from_parts(self.slots.iter().map(slot).collect(), self.latest_ms)
    }

    pub(super) fn pair(&self) -> TagPair {
        TagPair::new(Space::from_raw(self.space.clone()), Entity::from_raw(self.entity.clone()))
    }
}

/// A pair's names.
pub(super) type TagPairRef<'a> = (&'a Space, &'a Entity);

/// Counts of a pair, and when it was last changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PairCounts {
    pub(super) live: u64,
    pub(super) consolidated: u64,
    pub(super) touched_ms: i64,
}

impl Default for PairCounts {
    fn default() -> Self {
        Self { live: 0, consolidated: 0, touched_ms: i64::MIN }
    }
}

impl WordsRecord {
    pub(super) fn of(pair: TagPairRef<'_>, grams: Vec<u32>) -> Self {
        Self { space: pair.0.as_str().to_owned(), entity: pair.1.as_str().to_owned(), grams }
    }

    pub(super) fn words(self) -> (TagPair, Vec<u32>) {
        (TagPair::new(Space::from_raw(self.space), Entity::from_raw(self.entity)), self.grams)
    }
}

impl From<&Rules> for RulesRecord {
    fn from(rules: &Rules) -> Self {
        // The rate of a demoted rule decided nothing before its demotion.
        Self {
            forget_below: rules.forget_below,
            forget_min_age_days: rules.forget_min_age_days,
            promote_attention: rules.promote_attention,
            promote_decision: rules.promote_decision,
            falls_when_negative: match rules.bankruptcy {
                Bankruptcy::Contradicted => false,
                Bankruptcy::Negative => true,
            },
        }
    }
}
