//! Word hashes of each pair, for similarity search.

use artoo_types::{Entity, Space, TagPair};

use super::facts::{Class, Known};
use super::key::{self, PairKey};
use super::pair::Pair;
use super::record::{TagPairRef, WordsRecord, decode, meaningless};
use super::{Base, State};
use crate::table::{Row, Table, TableError};

/// Maximum number of words and word parts of a pair: those with the smallest hashes, a fair sample
/// independent of their order.
const WORDS: usize = 96;

/// A pair and its words.
pub type PairWords = (TagPair, Vec<u32>);

impl State {
    /// The words of the pairs with a live Megram, the most recently changed first, at most `limit`: hashes in
    /// ascending order, of the tags and of everything that is not forgotten.
    pub fn words(&self, limit: usize) -> impl Iterator<Item = Result<PairWords, TableError>> {
        let mut changed: Vec<(Vec<u8>, TagPairRef<'_>, &Pair)> = self
            .pairs
            .iter()
            .filter(|(_, pair)| pair.counts.live > 0)
            .map(|(names, pair)| (key::words(pair.counts.touched_ms, pair.key), names, pair))
            .collect();
        changed.sort_by(|(a, ..), (b, ..)| a.cmp(b));
        let mut changed = changed.into_iter().peekable();
        let table = self.table.as_ref().map(|base| &base.table);
        let unchanged = table.into_iter().flat_map(move |table| {
            table.scan(key::WORDS, &[]).filter_map(move |row| self.unchanged_words(table, row).transpose())
        });
        let mut unchanged = unchanged.peekable();
        let next = move || {
            let from_table = match (changed.peek(), unchanged.peek()) {
                (Some((mine, ..)), Some(Ok((theirs, _)))) => theirs < mine,
                (_, theirs) => theirs.is_some(),
            };
            if from_table {
                return unchanged.next().map(|found| found.map(|(_, words)| words));
            }
            let (_, names, pair) = changed.next()?;
            let words = self.words_of_pair(names, pair);
            Some(words.map(|words| (TagPair::new(names.0.clone(), names.1.clone()), words)))
        };
        std::iter::from_fn(next).take(limit)
    }

    /// The words of one pair.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`].
    pub fn words_of(&self, space: &Space, entity: &Entity) -> Result<Vec<u32>, TableError> {
        if let Some(pair) = self.pairs.get(space, entity) {
            return self.words_of_pair((space, entity), pair);
        }
        let key = PairKey::of(space, entity);
        let record = self.pair_record(key)?.filter(|record| record.live > 0);
        record.map_or(Ok(Vec::new()), |record| self.words_in_table(key, record.touched_ms))
    }

    pub(super) fn words_of_pair(
        &self,
        (space, entity): TagPairRef<'_>,
        pair: &Pair,
    ) -> Result<Vec<u32>, TableError> {
        if pair.counts.live == 0 {
            return Ok(Vec::new());
        }
        pair.words.get(|| self.collected_words((space, entity), pair))
    }

    fn collected_words(&self, (space, entity): TagPairRef<'_>, pair: &Pair) -> Result<Vec<u32>, TableError> {
        let mut words = Vec::new();
        let mut unchanged: Vec<Known> = Vec::new();
        match pair.words_ms {
            Some(touched_ms) if !pair.lost_words => words = self.words_in_table(pair.key, touched_ms)?,
            Some(_) | None => {
                unchanged.extend(self.in_table(pair.key, None)?.into_iter().map(|(_, known)| known));
                let behind = self.in_table(pair.key, Some(Class::Consolidated))?;
                unchanged.extend(behind.into_iter().map(|(_, known)| known));
            }
        }
        words.extend((self.grams)(space.as_str()));
        if *entity != Entity::local() {
            words.extend((self.grams)(entity.as_str()));
        }
        let changed = pair.ids.iter().filter_map(|id| self.known.get(id));
        for megram in unchanged.iter().chain(changed).filter_map(|known| known.megram.as_ref()) {
            words.extend((self.grams)(&megram.content));
            // Avoids collecting all words of a pair with many Megrams before they are cut.
            if words.len() > 16 * WORDS {
                cut(&mut words);
            }
        }
        cut(&mut words);
        Ok(words)
    }

    /// The key and the words of a row of class `w`, unless its pair is in memory.
    fn unchanged_words(
        &self,
        table: &Table,
        row: Result<Row, TableError>,
    ) -> Result<Option<(Vec<u8>, PairWords)>, TableError> {
        let row = row?;
        let pair = PairKey::at_end(row.key()).ok_or_else(|| meaningless(table, &row))?;
        if self.resident.contains(&pair) {
            return Ok(None);
        }
        Ok(Some((row.key().to_vec(), decode::<WordsRecord>(table, &row)?.words())))
    }

    fn words_in_table(&self, pair: PairKey, touched_ms: i64) -> Result<Vec<u32>, TableError> {
        let Some(Base { table, .. }) = &self.table else { return Ok(Vec::new()) };
        let Some(row) = table.get(&key::words(touched_ms, pair))? else { return Ok(Vec::new()) };
        decode::<WordsRecord>(table, &row).map(|record| record.grams)
    }
}

/// Keeps the smallest hashes, each once, in ascending order.
pub(super) fn cut(words: &mut Vec<u32>) {
    words.sort_unstable();
    words.dedup();
    words.truncate(WORDS);
}
