//! Iteration over the whole state.

use artoo_types::{Megram, MegramId, TagPair};

use super::facts::Known;
use super::key::{self, PairKey};
use super::record::{EntryRecord, PairRecord, decode, meaningless};
use super::{Base, State};
use crate::table::{Row, Table, TableError};

/// A Megram with its history.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered {
    /// Its current form.
    pub megram: Megram,
    /// Whether it is consolidated into a rule, and no longer live.
    pub is_consolidated: bool,
    /// Its sources.
    pub sources: Vec<MegramId>,
}

impl Remembered {
    fn of(known: &Known) -> Option<Self> {
        Some(Self {
            megram: known.current()?,
            is_consolidated: known.is_consolidated,
            sources: known.provenance.as_ref().map(|ids| ids.to_vec()).unwrap_or_default(),
        })
    }
}

impl State {
    /// Every pair with a live Megram, in arbitrary order.
    pub fn pairs(&self) -> impl Iterator<Item = Result<TagPair, TableError>> {
        let changed = self.pairs.iter().filter(|(_, pair)| pair.counts.live > 0);
        let changed = changed.map(|((space, entity), _)| Ok(TagPair::new(space.clone(), entity.clone())));
        let unchanged = self.rows(key::PAIR).filter_map(|(table, row)| {
            let read = |row: Row| {
                let key = PairKey::at_end(row.key()).ok_or_else(|| meaningless(table, &row))?;
                let record: PairRecord = decode(table, &row)?;
                let is_here = !self.resident.contains(&key) && record.live > 0;
                Ok(is_here.then(|| record.pair()))
            };
            row.and_then(read).transpose()
        });
        changed.chain(unchanged)
    }

    /// Every Megram that is not forgotten, in arbitrary order.
    pub fn megrams(&self) -> impl Iterator<Item = Result<Remembered, TableError>> {
        let changed = self.known.values().filter_map(|known| Remembered::of(known).map(Ok));
        let unchanged = self.rows(key::ENTRY).filter_map(move |(table, row)| {
            let read = |row: Row| {
                let id = key::id_at_end(row.key()).ok_or_else(|| meaningless(table, &row))?;
                if self.known.contains_key(&id) {
                    return Ok(None);
                }
                Ok(Remembered::of(&decode::<EntryRecord>(table, &row)?.known(table, &row)?))
            };
            row.and_then(read).transpose()
        });
        changed.chain(unchanged)
    }

    /// One Megram with its history; `None` if it is unknown or forgotten.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`].
    pub fn remembered(&self, id: MegramId) -> Result<Option<Remembered>, TableError> {
        Ok(Remembered::of(&self.look_up(id)?))
    }

    /// Reads the whole table and verifies its checksums.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`].
    pub fn verify(&self) -> Result<(), TableError> {
        self.table.as_ref().map_or(Ok(()), |base| base.table.verify())
    }

    fn rows(&self, class: &'static [u8]) -> impl Iterator<Item = (&Table, Result<Row, TableError>)> {
        let table = self.table.as_ref().map(|Base { table, .. }| table.as_ref());
        table.into_iter().flat_map(move |table| table.scan(class, &[]).map(move |row| (table, row)))
    }
}
