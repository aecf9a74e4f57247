//! `Pair`: the in-memory data of a tag pair.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use artoo_mkct_memory::due::Due;
use artoo_mkct_memory::sums::{Exactness, Slots, Term};
use artoo_types::{Entity, MegramId, Space};

use super::facts::{Class, Known};
use super::key::PairKey;
use super::record::{PairCounts, PairRecord};
use super::words::cut;

/// A pair that changed or was processed. It overrides the table's data.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) key: PairKey,
    pub(super) slots: Slots,
    /// Whether the sums must be recomputed before use.
    pub(super) is_stale: bool,
    pub(super) counts: PairCounts,
    /// The key of its words in the table, by their time.
    pub(super) words_ms: Option<i64>,
    /// Whether a Megram with words was removed, so that the table's words are no longer valid.
    pub(super) lost_words: bool,
    /// Its words, once somebody asked for them.
    pub(super) words: WordCache,
    /// Its changed Megrams; the others are in the table.
    pub(super) ids: BTreeSet<MegramId>,
    /// Those of them that are rules.
    pub(super) rules: BTreeSet<MegramId>,
    pub(super) due: Due,
}

impl Pair {
    pub(super) fn new(key: PairKey) -> Self {
        Self {
            key,
            slots: Slots::default(),
            is_stale: false,
            counts: PairCounts::default(),
            words_ms: None,
            lost_words: false,
            words: WordCache::default(),
            ids: BTreeSet::new(),
            rules: BTreeSet::new(),
            due: Due::Never,
        }
    }

    pub(super) fn from_record(key: PairKey, record: &PairRecord) -> Self {
        let PairRecord { live, consolidated, touched_ms, due_ms, .. } = *record;
        Self {
            slots: record.slots(),
            counts: PairCounts { live, consolidated, touched_ms },
            words_ms: (live > 0).then_some(touched_ms),
            due: due_of(due_ms),
            ..Self::new(key)
        }
    }

    /// Updates the pair from the previous to the current facts about one of its Megrams.
    pub(super) fn change(
        &mut self,
        id: MegramId,
        (before, after): (&Known, &Known),
        grams: fn(&str) -> Vec<u32>,
    ) {
        self.sum(before.term(), after.term());
        self.count(before.class(), after.class());
        self.counts.touched_ms =
            after.touched_ms().map_or(self.counts.touched_ms, |at| at.max(self.counts.touched_ms));
        self.lost_words |= before.megram.is_some() && after.megram.is_none();
        match (&before.megram, &after.megram) {
            (None, Some(new)) => self.words.add(|| grams(&new.content)),
            (Some(_), None) => self.words.forget(),
            (Some(_), Some(_)) | (None, None) => {}
        }
        if after.megram.is_some() {
            self.ids.insert(id);
        } else {
            self.ids.remove(&id);
        }
        if after.class() == Some(Class::Rule) {
            self.rules.insert(id);
        } else {
            self.rules.remove(&id);
        }
    }

    fn sum(&mut self, before: Option<Term>, after: Option<Term>) {
        if before == after || self.is_stale {
            return;
        }
        self.is_stale = before.is_some_and(|term| match self.slots.subtract(term) {
            Exactness::Exact => false,
            Exactness::SumAnew => true,
        });
        if let Some(term) = after {
            self.slots.add(term);
        }
    }

    fn count(&mut self, before: Option<Class>, after: Option<Class>) {
        for (class, is_new) in [(before, false), (after, true)] {
            let count = match class {
                Some(Class::Consolidated) => &mut self.counts.consolidated,
                Some(Class::Rule | Class::Law | Class::Experience) => &mut self.counts.live,
                None => continue,
            };
            *count = if is_new { count.saturating_add(1) } else { count.saturating_sub(1) };
        }
    }
}

/// The words of a pair, kept so that each text is taken apart once. They are the smallest hashes of all, so what is new can be added to
/// them; what is gone cannot be taken out.
#[derive(Debug, Default)]
pub(super) struct WordCache(Mutex<Option<Vec<u32>>>);

impl WordCache {
    /// The kept words, or those that `collect` finds.
    pub(super) fn get<E>(&self, collect: impl FnOnce() -> Result<Vec<u32>, E>) -> Result<Vec<u32>, E> {
        if let Some(words) = self.lock().as_ref() {
            return Ok(words.clone());
        }
        let words = collect()?;
        *self.lock() = Some(words.clone());
        Ok(words)
    }

    fn add(&mut self, grams: impl FnOnce() -> Vec<u32>) {
        if let Some(words) = self.lock().as_mut() {
            words.extend(grams());
            cut(words);
        }
    }

    fn forget(&mut self) {
        *self.lock() = None;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Vec<u32>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for WordCache {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.lock().clone()))
    }
}

/// A due time as stored in a table.
pub(super) fn due_ms(due: Due) -> Option<i64> {
    match due {
        Due::Now => Some(i64::MIN),
        Due::At(at_ms) => Some(at_ms),
        Due::Never => None,
    }
}

pub(super) fn due_of(due_ms: Option<i64>) -> Due {
    match due_ms {
        Some(i64::MIN) => Due::Now,
        Some(at_ms) => Due::At(at_ms),
        None => Due::Never,
    }
}

/// A map by pair. Lookups copy no names.
#[derive(Clone, Debug)]
pub(super) struct PairMap<T> {
    spaces: HashMap<Space, HashMap<Entity, T>>,
    len: usize,
}

impl<T> PairMap<T> {
    pub(super) fn get(&self, space: &Space, entity: &Entity) -> Option<&T> {
        self.spaces.get(space)?.get(entity)
    }

    pub(super) fn get_mut(&mut self, space: &Space, entity: &Entity) -> Option<&mut T> {
        self.spaces.get_mut(space)?.get_mut(entity)
    }

    pub(super) fn insert(&mut self, space: &Space, entity: &Entity, value: T) {
        let old = self.spaces.entry(space.clone()).or_default().insert(entity.clone(), value);
        self.len += usize::from(old.is_none());
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = ((&Space, &Entity), &T)> {
        let each = |(space, entities)| {
            let entities: &HashMap<Entity, T> = entities;
            entities.iter().map(move |(entity, value)| ((space, entity), value))
        };
        self.spaces.iter().flat_map(each)
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn clear(&mut self) {
        self.spaces.clear();
        self.len = 0;
    }
}

impl<T> Default for PairMap<T> {
    fn default() -> Self {
        Self { spaces: HashMap::new(), len: 0 }
    }
}
