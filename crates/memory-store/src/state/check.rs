//! Checks the maintained sums against recomputed ones.

use std::cmp::Reverse;

use artoo_types::TagPair;
use sha2::{Digest as _, Sha256};

use super::key::{self, PairKey};
use super::record::{PairRecord, TagPairRef, decode};
use super::{Base, State};
use crate::table::TableError;

impl State {
    /// Recomputes one pair term by term, and replaces its sums if they differ by more than 1e-9 of their
    /// size. Each `n` selects a pair, and all numbers together select them all. Returns how many were
    /// corrected.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`].
    pub fn check_one(&mut self, n: u64) -> Result<u64, TableError> {
        let Some(pair) = self.some_pair(n)? else { return Ok(0) };
        let (space, entity) = (&pair.space, &pair.entity);
        let exact = self.direct((space, entity))?;
        let summed = match self.pairs.get(space, entity) {
            Some(held) if held.is_stale => None,
            Some(held) => Some(held.slots.clone()),
            None => self.pair_record(PairKey::of(space, entity))?.map(|record| record.slots()),
        };
        if summed.is_some_and(|summed| summed.agree_with(&exact)) {
            return Ok(0);
        }
        self.hold(space, entity)?;
        if let Some(held) = self.pairs.get_mut(space, entity) {
            held.slots = exact;
            held.is_stale = false;
        }
        Ok(1)
    }

    /// The pair with the first key at or after a position derived from `n`.
    fn some_pair(&self, n: u64) -> Result<Option<TagPair>, TableError> {
        let place: [u8; 32] = Sha256::digest(n.to_le_bytes()).into();
        let from = place.first_chunk().copied().map_or(PairKey([0; 20]), PairKey);
        // Keys before the position come after all others: the order wraps around.
        let turn = |key: PairKey| (Reverse(key >= from), key);
        let resident = self.pairs.iter().map(|(names, pair)| (turn(pair.key), names));
        let resident = resident.min_by_key(|(turn, _)| *turn);
        let in_table = self.pair_in_table(from)?;
        let named = |(space, entity): TagPairRef<'_>| TagPair::new(space.clone(), entity.clone());
        Ok(match (resident, in_table) {
            (Some((mine, names)), Some((theirs, _))) if mine < turn(theirs) => Some(named(names)),
            (Some((_, names)), None) => Some(named(names)),
            (_, theirs) => theirs.map(|(_, pair)| pair),
        })
    }

    fn pair_in_table(&self, from: PairKey) -> Result<Option<(PairKey, TagPair)>, TableError> {
        let Some(Base { table, .. }) = &self.table else { return Ok(None) };
        let next = |from: &[u8]| table.scan(key::PAIR, from).next().transpose();
        let row = match next(&key::pair(from))? {
            Some(row) => Some(row),
            None => next(&[])?,
        };
        let Some(row) = row else { return Ok(None) };
        let record: PairRecord = decode(table, &row)?;
        Ok(PairKey::at_end(row.key()).map(|key| (key, record.pair())))
    }
}
