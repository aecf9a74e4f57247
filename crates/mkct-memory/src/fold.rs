//! `MemoryFold`: the state of a memory, folded from its events.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use artoo_types::{Entity, Law, Level, Megram, MegramId, Potentials, SopRecord, Space};
use chrono::{DateTime, FixedOffset};

use crate::dreamer::Entry;
use crate::sums::Sums;
use crate::{Event, polarity, potentials};

/// The state of a memory: the same set of events gives the same state, in any order.
/// ```
/// # use artoo_mkct_memory::{Event, MemoryFold, matrix};
/// # use artoo_types::{Entity, MegramState, Space};
/// # let now = chrono::DateTime::parse_from_rfc3339("2026-03-09T09:00:00+01:00")?;
/// # let id = "01970000-0000-7000-8000-000000000001".parse()?;
/// let (space, entity) = (Space::intent("count"), Entity::local());
/// let megram = matrix::megram(id, MegramState::Accept, now, space.clone(), entity.clone(), "used glob".to_owned());
/// let mut fold = MemoryFold::default();
/// fold.apply(&Event::Written(megram.into()));
/// assert_eq!(fold.potentials(&space, &entity, now).attention, 0.9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryFold {
    written: HashMap<MegramId, Arc<Megram>>,
    provenance: HashMap<MegramId, Vec<MegramId>>,
    consolidated: HashSet<MegramId>,
    demoted: HashMap<MegramId, f64>,
    forgotten: HashSet<MegramId>,
    recalled: HashMap<MegramId, DateTime<FixedOffset>>,
    pairs: BTreeMap<Space, BTreeMap<Entity, Pair>>,
}

/// The live entries of one tag pair.
#[derive(Clone, Debug, Default)]
struct Pair {
    ids: BTreeSet<MegramId>,
    sums: Sums,
}

impl MemoryFold {
    /// Applies an event.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Written(megram) => self.write(megram),
            Event::Recalled { id, at } => self.recall(*id, *at),
            Event::Consolidated { sop, sources, absorbed } => {
                self.provenance.insert(*sop, sources.clone());
                for id in sources.iter().chain(absorbed) {
                    self.consolidated.insert(*id);
                    self.settle(*id);
                }
            }
            Event::Demoted { id, k } => {
                self.demoted.insert(*id, *k);
                self.settle(*id);
            }
            Event::Forgotten { id } => {
                self.forgotten.insert(*id);
                self.settle(*id);
                self.written.remove(id);
                self.recalled.remove(id);
            }
        }
    }

    /// Of several recalls the latest counts.
    fn recall(&mut self, id: MegramId, at: DateTime<FixedOffset>) {
        let latest = self.recalled.entry(id).or_insert(at);
        *latest = at.max(*latest);
        self.settle(id);
    }

    /// The Megram's current form, also if consolidated; `None` if it is unknown or forgotten.
    pub fn current(&self, id: MegramId) -> Option<Megram> {
        let mut megram = self.written.get(&id)?.as_ref().clone();
        if let Some(k) = self.demoted.get(&id) {
            megram.level = Level::K;
            megram.k = *k;
        }
        megram.last_recalled_at = megram.last_recalled_at.max(self.recalled.get(&id).copied());
        Some(megram)
    }

    /// The Megram as it was written; `None` if it is unknown or forgotten.
    pub fn original(&self, id: MegramId) -> Option<&Megram> {
        self.written.get(&id).map(Arc::as_ref)
    }

    /// Whether an id was ever used, also by a forgotten Megram.
    pub fn knows(&self, id: MegramId) -> bool {
        self.written.contains_key(&id) || self.forgotten.contains(&id)
    }

    /// The potentials of a pair at `now`.
    pub fn potentials(&self, space: &Space, entity: &Entity, now: DateTime<FixedOffset>) -> Potentials {
        self.pair(space, entity)
            .map_or_else(|| potentials::advise(0.0, 0.0), |pair| pair.sums.potentials(now))
    }

    /// The rules of a pair, oldest first.
    pub fn sops(&self, space: &Space, entity: &Entity) -> Vec<SopRecord> {
        let mut rules: Vec<Megram> =
            self.live(space, entity).into_iter().filter(|megram| megram.level == Level::C).collect();
        rules.sort_by_key(|megram| (megram.created_at, megram.id));
        rules
            .into_iter()
            .map(|megram| SopRecord {
                sources: self.provenance.get(&megram.id).cloned().unwrap_or_default(),
                id: megram.id,
                polarity: polarity(megram.sigma),
                space: megram.space,
                entity: megram.entity,
                content: megram.content,
            })
            .collect()
    }

    /// The person's laws (layer T), oldest first.
    pub fn laws(&self) -> Vec<Law> {
        let mut laws: Vec<Megram> = self
            .pairs()
            .flat_map(|(space, entity)| self.live(space, entity))
            .filter(|megram| megram.level == Level::T)
            .collect();
        laws.sort_by_key(|megram| (megram.created_at, megram.id));
        laws.into_iter().map(|megram| Law { id: megram.id, content: megram.content }).collect()
    }

    /// The live entries of a pair, each with its sources, for [`crate::dreamer::plan`].
    pub fn entries(&self, space: &Space, entity: &Entity) -> Vec<Entry> {
        self.live(space, entity)
            .into_iter()
            .map(|megram| {
                let sources = self.provenance.get(&megram.id).into_iter().flatten();
                Entry { sources: sources.filter_map(|id| self.current(*id)).collect(), megram }
            })
            .collect()
    }

    /// Every pair with a live entry.
    pub fn pairs(&self) -> impl Iterator<Item = (&Space, &Entity)> {
        self.pairs.iter().flat_map(|(space, entities)| entities.keys().map(move |entity| (space, entity)))
    }

    fn pair(&self, space: &Space, entity: &Entity) -> Option<&Pair> {
        self.pairs.get(space)?.get(entity)
    }

    fn live(&self, space: &Space, entity: &Entity) -> Vec<Megram> {
        let ids = self.pair(space, entity).map(|pair| pair.ids.iter());
        ids.into_iter().flatten().filter_map(|id| self.current(*id)).collect()
    }

    fn write(&mut self, megram: &Arc<Megram>) {
        if !self.forgotten.contains(&megram.id) {
            self.written.insert(megram.id, Arc::clone(megram));
            self.settle(megram.id);
        }
    }

    /// Updates an entry's place in its pair from all facts about it. Called after every change, so that the
    /// order of changes does not matter.
    fn settle(&mut self, id: MegramId) {
        let Some(megram) = self.current(id) else { return };
        let entities = self.pairs.entry(megram.space.clone()).or_default();
        let pair = entities.entry(megram.entity.clone()).or_default();
        if self.consolidated.contains(&id) || self.forgotten.contains(&id) {
            pair.ids.remove(&id);
            pair.sums.remove(id);
        } else {
            pair.ids.insert(id);
            pair.sums.put(&megram);
        }
        if pair.ids.is_empty() {
            entities.remove(&megram.entity);
        }
        if entities.is_empty() {
            self.pairs.remove(&megram.space);
        }
    }
}
