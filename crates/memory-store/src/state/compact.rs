//! Writes the state into a new table: the previous table plus everything since.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use artoo_mkct_memory::due::Due;
use artoo_mkct_memory::sums::Slots;
use artoo_types::{MegramId, TagPair};
use chrono::{DateTime, FixedOffset};

use super::facts::Known;
use super::key::{self, PairKey};
use super::pair::{Pair, due_ms};
use super::record::{
    EntryRecord, MetaRecord, PairRecord, PlaceRecord, RulesRecord, TagPairRef, WordsRecord, decode, encode,
};
use super::{Base, State};
use crate::disk::Disk;
use crate::journal::Position;
use crate::table::{Row, Table, TableError, Writer};

impl State {
    /// Writes everything into a new table at `path`, which covers the journal up to a position, and opens it.
    /// Of forgotten Megrams it contains only the ids. Due times are computed from `now` on.
    ///
    /// The state itself is unchanged; continue with [`State::open`] of the new table.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`], [`TableError::TooLarge`]: the name refers to the same
    /// file as before.
    pub fn compact(
        &self,
        disk: &dyn Disk,
        path: &Path,
        covers: Position,
        now: DateTime<FixedOffset>,
    ) -> Result<Table, TableError> {
        let mut merge = Merge { state: self, path, writer: Writer::create(disk, path)? };
        let mut pairs = Vec::new();
        for ((space, entity), pair) in self.pairs.iter() {
            let due = match pair.due {
                // Not processed since it changed, so its due time is computed here.
                Due::Now => self.next_due(&TagPair::new(space.clone(), entity.clone()), now)?,
                Due::At(_) | Due::Never => pair.due,
            };
            let names = (space, entity);
            let slots =
                if pair.is_stale { Cow::Owned(self.direct(names)?) } else { Cow::Borrowed(&pair.slots) };
            pairs.push(Held { names, pair, slots, due_ms: due_ms(due) });
        }
        merge.due(&pairs)?;
        merge.entries()?;
        merge.ids()?;
        for id in self.laws.keys() {
            merge.writer.put(&key::law(*id), &[])?;
        }
        merge.meta()?;
        merge.pairs(&mut pairs)?;
        merge.words(&mut pairs)?;
        merge.writer.finish(covers)?;
        Table::open(disk, path)
    }
}

/// A pair in memory, with its sums and its due time.
struct Held<'a> {
    names: TagPairRef<'a>,
    pair: &'a Pair,
    slots: Cow<'a, Slots>,
    due_ms: Option<i64>,
}

struct Merge<'a> {
    state: &'a State,
    path: &'a Path,
    writer: Writer<'a>,
}

/// A key and its value.
type Pairing = (Vec<u8>, Vec<u8>);

impl<'a> Merge<'a> {
    fn due(&mut self, pairs: &[Held<'a>]) -> Result<(), TableError> {
        let mut changes: Vec<Vec<u8>> =
            pairs.iter().filter_map(|held| Some(key::due(held.due_ms?, held.pair.key))).collect();
        changes.sort_unstable();
        let changes = changes.into_iter().map(|key| Ok((key, Vec::new())));
        let class = if self.is_due_known() { key::DUE } else { key::PAIR };
        let state = self.state;
        self.merge(class, changes, |_, row| {
            let pair = PairKey::at_end(row.key()).filter(|pair| !state.resident.contains(pair));
            // If other rules computed the due times, every pair becomes due once.
            Ok(pair.map(|pair| {
                let key = if class == key::DUE { row.key().to_vec() } else { key::due(i64::MIN, pair) };
                (key, Vec::new())
            }))
        })
    }

    fn entries(&mut self) -> Result<(), TableError> {
        let place = |(id, known): (&MegramId, &'a Known)| {
            let megram = known.megram.as_ref()?;
            let pair = PairKey::of(&megram.space, &megram.entity);
            Some((key::entry(pair, known.class()?, *id), known))
        };
        let mut changes: Vec<(Vec<u8>, &Known)> = self.state.known.iter().filter_map(place).collect();
        changes.sort_by(|(a, _), (b, _)| a.cmp(b));
        let path = self.path;
        let changes = changes.into_iter().filter_map(|(key, known)| {
            EntryRecord::of(known).map(|record| Ok((key, encode(path, &record)?)))
        });
        self.merge(key::ENTRY, changes, self.unless_known())
    }

    fn ids(&mut self) -> Result<(), TableError> {
        let mut changes: Vec<(&MegramId, &Known)> = self.state.known.iter().collect();
        changes.sort_by_key(|(id, _)| **id);
        let path = self.path;
        let changes = changes.into_iter().map(|(id, known)| {
            let place = PlaceRecord::of(known, |megram| PairKey::of(&megram.space, &megram.entity));
            Ok((key::id(*id), encode(path, &place)?))
        });
        self.merge(key::ID, changes, self.unless_known())
    }

    fn meta(&mut self) -> Result<(), TableError> {
        let before = self.state.table.as_ref().map(|base| base.greatest_id);
        let greatest = self.state.known.keys().copied().chain(before).max();
        let meta = MetaRecord {
            rules: RulesRecord::from(&self.state.rules),
            greatest_id: greatest.map(|id| id.uuid().into_bytes()).unwrap_or_default(),
            counts: self.state.counts,
        };
        self.writer.put(key::META, &encode(self.path, &meta)?)
    }

    fn pairs(&mut self, pairs: &mut [Held<'a>]) -> Result<(), TableError> {
        pairs.sort_by_key(|held| held.pair.key);
        let path = self.path;
        let changes = pairs.iter().filter_map(|Held { names, pair, slots, due_ms }| {
            let is_empty = pair.counts.live == 0 && pair.counts.consolidated == 0;
            let record = || PairRecord::of(*names, slots, pair.counts, *due_ms);
            (!is_empty).then(|| Ok((key::pair(pair.key), encode(path, &record())?)))
        });
        let (state, is_due_known) = (self.state, self.is_due_known());
        self.merge(key::PAIR, changes, |table, row| {
            if PairKey::at_end(row.key()).is_none_or(|pair| state.resident.contains(&pair)) {
                return Ok(None);
            }
            if is_due_known {
                return Ok(Some((row.key().to_vec(), row.value().to_vec())));
            }
            let mut record: PairRecord = decode(table, row)?;
            record.due_ms = Some(i64::MIN);
            Ok(Some((row.key().to_vec(), encode(path, &record)?)))
        })
    }

    fn words(&mut self, pairs: &mut [Held<'a>]) -> Result<(), TableError> {
        let key = |held: &Held<'_>| key::words(held.pair.counts.touched_ms, held.pair.key);
        pairs.sort_by_cached_key(key);
        let (state, path) = (self.state, self.path);
        let changes = pairs.iter().filter(|held| held.pair.counts.live > 0).map(|held| {
            let words = state.words_of_pair(held.names, held.pair)?;
            Ok((key(held), encode(path, &WordsRecord::of(held.names, words))?))
        });
        self.merge(key::WORDS, changes, |_, row| {
            let pair = PairKey::at_end(row.key()).filter(|pair| !state.resident.contains(pair));
            Ok(pair.map(|_| (row.key().to_vec(), row.value().to_vec())))
        })
    }

    /// Keeps the rows of unchanged Megrams.
    fn unless_known(&self) -> impl Fn(&Table, &Row) -> Result<Option<Pairing>, TableError> + use<'a> {
        let state = self.state;
        move |_, row| {
            let id = key::id_at_end(row.key()).filter(|id| !state.known.contains_key(id));
            Ok(id.map(|_| (row.key().to_vec(), row.value().to_vec())))
        }
    }

    /// Merges the kept rows of a class of the previous table with changes; both are sorted.
    fn merge(
        &mut self,
        class: &[u8],
        changes: impl Iterator<Item = Result<Pairing, TableError>>,
        keep: impl Fn(&Table, &Row) -> Result<Option<Pairing>, TableError>,
    ) -> Result<(), TableError> {
        let mut changes = changes.peekable();
        let table = self.state.table.as_ref().map(|Base { table, .. }| Arc::clone(table));
        for row in table.iter().flat_map(|table| table.scan(class, &[]).map(move |row| (table, row))) {
            let (table, row) = row;
            let Some((key, value)) = keep(table, &row?)? else { continue };
            while let Some(change) =
                changes.next_if(|change| change.as_ref().map_or(true, |(mine, _)| *mine < key))
            {
                let (key, value) = change?;
                self.writer.put(&key, &value)?;
            }
            self.writer.put(&key, &value)?;
        }
        changes.try_for_each(|change| {
            let (key, value) = change?;
            self.writer.put(&key, &value)
        })
    }

    /// Whether the previous table's due times are valid for the rules of this process.
    fn is_due_known(&self) -> bool {
        self.state.table.as_ref().is_none_or(|base| base.is_due_known)
    }
}
