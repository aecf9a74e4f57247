//! The state of a memory: a table of everything up to some event, and the changes since in this process's
//! memory.
//!
//! It gives the answers of [`artoo_mkct_memory::MemoryFold`], and holds only changes: a changed Megram, the
//! sums of its pair, and the pair's due time. Everything else is read from the table on demand, so opening
//! takes constant time, and memory usage grows only with the changes.

mod apply;
mod check;
mod compact;
mod facts;
mod iter;
mod key;
mod pair;
mod queue;
mod record;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use artoo_mkct_memory::dreamer::Entry;
use artoo_mkct_memory::sums::Slots;
use artoo_mkct_memory::{Rules, polarity, potentials};
use artoo_types::{Entity, Law, Megram, MegramId, Potentials, SopRecord, Space, TagPair};
use chrono::{DateTime, FixedOffset};

use self::facts::{Class, Known};
use self::key::PairKey;
use self::pair::{Pair, PairMap};
use self::record::{
    Counts, EntryRecord, MetaRecord, PairRecord, PlaceRecord, RulesRecord, decode, meaningless,
};
use crate::journal::Position;
use crate::table::{Table, TableError};

pub use self::iter::Remembered;
pub use self::words::PairWords;

/// Number of pairs whose sums stay cached after being read.
const WARM_PAIRS: usize = 16_384;

/// The state of a memory. A clone shares the table and is otherwise independent, so that it can be compacted
/// while the original is in use.
#[derive(Clone)]
pub struct State {
    rules: Rules,
    grams: fn(&str) -> Vec<u32>,
    table: Option<Base>,
    /// Changes since the table.
    known: HashMap<MegramId, Known>,
    pairs: PairMap<Pair>,
    /// The keys of the pairs in memory.
    resident: HashSet<PairKey>,
    /// All laws: every reply contains them.
    laws: BTreeMap<MegramId, Arc<Megram>>,
    counts: Counts,
    /// The pairs in memory with a due time, ordered by it.
    queue: BTreeSet<(i64, TagPair)>,
    /// All pairs whose key of class `d` precedes this one are in memory.
    swept: Vec<u8>,
    /// Cached sums from the table.
    warm: Arc<Mutex<PairMap<Slots>>>,
}

/// The table under a state.
#[derive(Clone)]
struct Base {
    table: Arc<Table>,
    /// No id in the table is greater, so newer ids need no lookup.
    greatest_id: MegramId,
    /// Whether its due times were computed by the rules of this process.
    is_due_known: bool,
}

/// Statistics of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Live Megrams of level M.
    pub m: u64,
    /// Live Megrams of level K.
    pub k: u64,
    /// Live rules.
    pub c: u64,
    /// Laws.
    pub t: u64,
    /// Consolidated Megrams: still there, but not live.
    pub consolidated: u64,
    /// Ids of forgotten Megrams.
    pub forgotten: u64,
    /// Pairs with a live Megram.
    pub pairs: u64,
    /// Length of the table's file.
    pub table_bytes: u64,
    /// Ids in memory, because they changed since the table was written.
    pub resident: u64,
}

impl State {
    /// The state of an empty memory. `grams` returns the words of a text and their parts, as hashes in
    /// ascending order.
    pub fn new(rules: Rules, grams: fn(&str) -> Vec<u32>) -> Self {
        Self {
            rules,
            grams,
            table: None,
            known: HashMap::new(),
            pairs: PairMap::default(),
            resident: HashSet::new(),
            laws: BTreeMap::new(),
            counts: Counts::default(),
            queue: BTreeSet::new(),
            swept: Vec::new(),
            warm: Arc::default(),
        }
    }

    /// The state that a table holds.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`].
    pub fn open(table: Table, rules: Rules, grams: fn(&str) -> Vec<u32>) -> Result<Self, TableError> {
        let mut state = Self::new(rules, grams);
        let meta = match table.get(key::META)? {
            Some(row) => decode::<MetaRecord>(&table, &row)?,
            None => MetaRecord::default(),
        };
        state.counts = meta.counts;
        state.table = Some(Base {
            table: Arc::new(table),
            greatest_id: MegramId::new(uuid::Uuid::from_bytes(meta.greatest_id)),
            is_due_known: meta.rules == RulesRecord::from(&rules),
        });
        state.laws = state.read_laws()?;
        Ok(state)
    }

    /// The journal position that the table covers; the start without a table.
    pub fn covers(&self) -> Position {
        self.table.as_ref().map_or(Position::START, |base| base.table.covers())
    }

    /// The potentials of a pair at `now`.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`].
    pub fn potentials(
        &self,
        space: &Space,
        entity: &Entity,
        now: DateTime<FixedOffset>,
    ) -> Result<Potentials, TableError> {
        let summed = match self.pairs.get(space, entity) {
            Some(pair) if pair.is_stale => None,
            Some(pair) => pair.slots.potentials(now),
            None => self.warm_potentials(space, entity, now)?,
        };
        if let Some(known) = summed {
            return Ok(known);
        }
        let live = self.live(space, entity)?;
        let live: Vec<Megram> = live.iter().filter_map(|(_, known)| known.current()).collect();
        Ok(potentials::direct(&live, now))
    }

    /// The rules of a pair, oldest first.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`].
    pub fn sops(&self, space: &Space, entity: &Entity) -> Result<Vec<SopRecord>, TableError> {
        let pair = self.pairs.get(space, entity);
        let mut rules = self.in_table(PairKey::of(space, entity), Some(Class::Rule))?;
        rules.extend(self.of_ids(pair.into_iter().flat_map(|pair| &pair.rules)));
        let mut rules: Vec<(Megram, Known)> =
            rules.into_iter().filter_map(|(_, known)| Some((known.current()?, known))).collect();
        rules.sort_by_key(|(megram, _)| (megram.created_at, megram.id));
        let record = |(megram, known): (Megram, Known)| SopRecord {
            sources: known.provenance.map(|sources| sources.to_vec()).unwrap_or_default(),
            id: megram.id,
            polarity: polarity(megram.sigma),
            space: megram.space,
            entity: megram.entity,
            content: megram.content,
        };
        Ok(rules.into_iter().map(record).collect())
    }

    /// The person's laws (layer T), oldest first.
    pub fn laws(&self) -> Vec<Law> {
        let mut laws: Vec<&Megram> = self.laws.values().map(Arc::as_ref).collect();
        laws.sort_by_key(|megram| (megram.created_at, megram.id));
        laws.into_iter().map(|megram| Law { id: megram.id, content: megram.content.clone() }).collect()
    }

    /// The live entries of a pair by id, each with its sources, for
    /// [`plan`](artoo_mkct_memory::dreamer::plan).
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`].
    pub fn entries(&self, space: &Space, entity: &Entity) -> Result<Vec<Entry>, TableError> {
        let live = self.live(space, entity)?;
        let is_rule = |(_, known): &(MegramId, Known)| known.provenance.is_some();
        // A rule's sources are mostly in its own pair, and are read together.
        let behind: HashMap<MegramId, Known> = if live.iter().any(is_rule) {
            let key = PairKey::of(space, entity);
            self.in_table(key, Some(Class::Consolidated))?.into_iter().collect()
        } else {
            HashMap::new()
        };
        let mut entries = Vec::with_capacity(live.len());
        for (_, known) in live {
            let mut sources = Vec::new();
            for id in known.provenance.iter().flat_map(|sources| sources.iter()) {
                let source = match behind.get(id) {
                    Some(source) => source.current(),
                    None => self.current(*id)?,
                };
                sources.extend(source);
            }
            entries.extend(known.current().map(|megram| Entry { megram, sources }));
        }
        Ok(entries)
    }

    /// The Megram's current form, also if consolidated; `None` if it is unknown or forgotten.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`].
    pub fn current(&self, id: MegramId) -> Result<Option<Megram>, TableError> {
        Ok(self.look_up(id)?.current())
    }

    /// The Megram as it was written; `None` if it is unknown or forgotten.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`].
    pub fn original(&self, id: MegramId) -> Result<Option<Arc<Megram>>, TableError> {
        Ok(self.look_up(id)?.megram)
    }

    /// Whether an id was ever used, also by a forgotten Megram.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`].
    pub fn knows(&self, id: MegramId) -> Result<bool, TableError> {
        let known = self.look_up(id)?;
        Ok(known.megram.is_some() || known.is_forgotten)
    }

    /// Statistics.
    pub fn stats(&self) -> Stats {
        let Counts { levels: [m, k, c, t], consolidated, forgotten, pairs } = self.counts;
        let table_bytes = self.table.as_ref().map_or(0, |base| base.table.bytes());
        let resident = self.known.len() as u64;
        Stats { m, k, c, t, consolidated, forgotten, pairs, table_bytes, resident }
    }

    /// Potentials from sums that are cached after one read. `None` if the sums do not suffice.
    fn warm_potentials(
        &self,
        space: &Space,
        entity: &Entity,
        now: DateTime<FixedOffset>,
    ) -> Result<Option<Potentials>, TableError> {
        // Entries are inserted complete.
        let warm = || self.warm.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slots) = warm().get(space, entity) {
            return Ok(slots.potentials(now));
        }
        let record = self.pair_record(PairKey::of(space, entity))?;
        let slots = record.map(|record| record.slots()).unwrap_or_default();
        let known = slots.potentials(now);
        let mut warm = warm();
        if warm.len() >= WARM_PAIRS {
            warm.clear();
        }
        warm.insert(space, entity, slots);
        Ok(known)
    }

    /// The live Megrams of a pair, by id.
    fn live(&self, space: &Space, entity: &Entity) -> Result<Vec<(MegramId, Known)>, TableError> {
        let mut live = self.in_table(PairKey::of(space, entity), None)?;
        let pair = self.pairs.get(space, entity);
        let changed = self.of_ids(pair.into_iter().flat_map(|pair| &pair.ids));
        live.extend(changed.filter(|(_, known)| !known.is_consolidated));
        live.sort_by_key(|(id, _)| *id);
        Ok(live)
    }

    /// The Megrams of a pair that are unchanged since the table: of one class, or all live ones.
    fn in_table(&self, pair: PairKey, class: Option<Class>) -> Result<Vec<(MegramId, Known)>, TableError> {
        let Some(Base { table, .. }) = &self.table else { return Ok(Vec::new()) };
        let prefix = class.map_or_else(|| key::entries(pair), |class| key::entries_of(pair, class));
        let end = key::entries_of(pair, Class::Consolidated);
        let mut found = Vec::new();
        for row in table.scan(&prefix, &[]) {
            let row = row?;
            if class.is_none() && row.key() >= end.as_slice() {
                break;
            }
            let id = key::id_at_end(row.key()).ok_or_else(|| meaningless(table, &row))?;
            if !self.known.contains_key(&id) {
                found.push((id, decode::<EntryRecord>(table, &row)?.known(table, &row)?));
            }
        }
        Ok(found)
    }

    fn of_ids<'a>(
        &'a self,
        ids: impl Iterator<Item = &'a MegramId>,
    ) -> impl Iterator<Item = (MegramId, Known)> {
        ids.filter_map(|id| Some((*id, self.known.get(id)?.clone())))
    }

    /// All facts about an id; empty if it is unknown.
    fn look_up(&self, id: MegramId) -> Result<Known, TableError> {
        if let Some(known) = self.known.get(&id) {
            return Ok(known.clone());
        }
        let base = self.table.as_ref().filter(|base| id <= base.greatest_id);
        let Some(Base { table, .. }) = base else { return Ok(Known::default()) };
        let Some(row) = table.get(&key::id(id))? else { return Ok(Known::default()) };
        let place = decode::<PlaceRecord>(table, &row)?;
        let Some((pair, class)) = place.entry() else {
            return match place {
                PlaceRecord::Marked(marks) => marks.known(table, &row),
                PlaceRecord::Forgotten | PlaceRecord::Entry { .. } => Ok(Known::forgotten()),
            };
        };
        let class = class.ok_or_else(|| meaningless(table, &row))?;
        let entry = table.get(&key::entry(pair, class, id))?.ok_or_else(|| meaningless(table, &row))?;
        decode::<EntryRecord>(table, &entry)?.known(table, &entry)
    }

    fn pair_record(&self, pair: PairKey) -> Result<Option<PairRecord>, TableError> {
        let Some(Base { table, .. }) = &self.table else { return Ok(None) };
        table.get(&key::pair(pair))?.map(|row| decode(table, &row)).transpose()
    }

    fn read_laws(&self) -> Result<BTreeMap<MegramId, Arc<Megram>>, TableError> {
        let mut laws = BTreeMap::new();
        let table = self.table.as_ref().map(|base| &base.table);
        for row in table.into_iter().flat_map(|table| table.scan(key::LAW, &[])) {
            if let Some(id) = key::id_at_end(row?.key())
                && let Some(megram) = self.look_up(id)?.megram
            {
                laws.insert(id, megram);
            }
        }
        Ok(laws)
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("table", &self.table.as_ref().map(|base| base.table.path()))
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
