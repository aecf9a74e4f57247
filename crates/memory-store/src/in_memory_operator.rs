//! `Operator` for the in-memory implementation, as the reference for the store's answers.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::ControlFlow;

use artoo_mkct_memory::dreamer::Entry;
use artoo_mkct_memory::similar::{self, Grams, MAX_SIMILAR, Question};
use artoo_mkct_memory::{Event, InMemory, MemoryFold, decay, potentials};
use artoo_types::{Megram, MegramId, MemoryQuery, MemoryReply, TagPair};

use crate::StoreError;
use crate::operator::{
    Dreamt, Filter, Forgotten, Keeping, Levels, Listed, Operator, Provenance, Shown, Stats, Verification,
};

/// Maximum number of a rule's sources shown.
const SOURCES: usize = 1_000;

/// The fold of all events.
struct View {
    fold: MemoryFold,
    ids: Vec<MegramId>,
    provenance: HashMap<MegramId, Provenance>,
    forgotten: u64,
}

impl View {
    fn of(memory: &InMemory) -> Self {
        let mut view =
            Self { fold: MemoryFold::default(), ids: Vec::new(), provenance: HashMap::new(), forgotten: 0 };
        for event in memory.events() {
            view.fold.apply(&event);
            match event {
                Event::Written(megram) => view.ids.push(megram.id),
                Event::Consolidated { sop, sources, absorbed } => {
                    for id in sources.iter().chain(&absorbed) {
                        view.provenance.entry(*id).or_default().consolidated_into = Some(sop);
                    }
                    view.provenance.entry(sop).or_default().sources = sources;
                }
                Event::Forgotten { .. } => view.forgotten += 1,
                Event::Recalled { .. } | Event::Demoted { .. } => {}
            }
        }
        view.ids.sort_unstable();
        view
    }

    fn all(&self) -> impl Iterator<Item = Megram> + '_ {
        self.ids.iter().filter_map(|id| self.fold.current(*id))
    }

    /// The entries of the pairs similar to these words, the most similar pair and its newest entry first.
    fn like(&self, words: &str) -> Vec<Megram> {
        let known = self.fold.pairs().map(|(space, entity)| {
            let live = self.fold.entries(space, entity).into_iter().rev().map(|entry| entry.megram);
            (TagPair::new(space.clone(), entity.clone()), live.collect::<Vec<_>>())
        });
        let mut known: HashMap<TagPair, Vec<Megram>> = known.collect();
        let grams =
            known.iter().map(|(pair, live)| (pair.clone(), Grams::of(&similar::pair_text(pair, live))));
        let ranked = similar::rank(&Question::of(words), grams, MAX_SIMILAR);
        ranked.iter().filter_map(|similar| known.remove(&similar.key)).flatten().collect()
    }

    fn provenance(&self, id: MegramId) -> Provenance {
        self.provenance.get(&id).cloned().unwrap_or_default()
    }

    fn listed(&self, megram: Megram, memory: &InMemory) -> Listed {
        let consolidated_into = self.provenance(megram.id).consolidated_into;
        let counts = consolidated_into.is_none() && potentials::counts(megram.level);
        let live = megram.f * decay::weight(megram.k, decay::age_days(&megram, memory.now()));
        Listed { live: if counts { live } else { 0.0 }, megram, consolidated_into }
    }
}

impl Operator for InMemory {
    fn stats(&self) -> Result<Stats, StoreError> {
        let view = View::of(self);
        let mut levels = Levels::default();
        let mut consolidated = 0;
        for megram in view.all() {
            match view.provenance(megram.id).consolidated_into {
                Some(_) => consolidated += 1,
                None => levels.add(megram.level),
            }
        }
        Ok(Stats {
            levels,
            consolidated,
            forgotten: view.forgotten,
            pairs: view.fold.pairs().count() as u64,
            oldest: view.all().map(|megram| megram.created_at).min(),
            newest: view.all().map(|megram| megram.created_at).max(),
            keeping: Keeping::Process,
            last_dream: None,
            findings: Vec::new(),
        })
    }

    fn list(&self, filter: &Filter) -> Result<Vec<Listed>, StoreError> {
        let view = View::of(self);
        let fits = |megram: &Megram| {
            filter.level.is_none_or(|level| level == megram.level)
                && filter.space.as_ref().is_none_or(|start| megram.space.as_str().starts_with(start))
        };
        let mut found: Vec<Megram> = view.all().filter(fits).collect();
        found.sort_by_key(|megram| Reverse((megram.created_at, megram.id)));
        if let Some(like) = &filter.like {
            found = view.like(like);
            found.retain(fits);
        }
        Ok(found.into_iter().take(filter.limit).map(|megram| view.listed(megram, self)).collect())
    }

    fn show(&self, id: MegramId) -> Result<Option<Shown>, StoreError> {
        let view = View::of(self);
        let Some(megram) = view.fold.current(id) else { return Ok(None) };
        let behind = view.provenance(id).sources;
        let mut sources: Vec<Megram> = behind.iter().filter_map(|id| view.fold.current(*id)).collect();
        sources.sort_by_key(|source| (source.created_at, source.id));
        sources.truncate(SOURCES);
        let potentials = view.fold.potentials(&megram.space, &megram.entity, self.now());
        let sources_not_shown = behind.len().saturating_sub(sources.len()) as u64;
        Ok(Some(Shown { listed: view.listed(megram, self), sources, sources_not_shown, potentials }))
    }

    fn find_prefix(&self, hex: &str, limit: usize) -> Result<Vec<MegramId>, StoreError> {
        let view = View::of(self);
        let digits = hex.replace('-', "").to_ascii_lowercase();
        let begins = |megram: &Megram| megram.id.uuid().simple().to_string().starts_with(&digits);
        Ok(view.all().filter(begins).map(|megram| megram.id).take(limit).collect())
    }

    fn recall_look(&self, query: &MemoryQuery) -> Result<MemoryReply, StoreError> {
        Ok(self.look(query))
    }

    fn entries(&self, pair: &TagPair) -> Result<Vec<Entry>, StoreError> {
        Ok(View::of(self).fold.entries(&pair.space, &pair.entity))
    }

    fn all(&self, each: &mut dyn FnMut(&Megram, &Provenance) -> ControlFlow<()>) -> Result<(), StoreError> {
        let view = View::of(self);
        for megram in view.all() {
            if each(&megram, &view.provenance(megram.id)).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn forget(&self, ids: &[MegramId]) -> Result<Forgotten, StoreError> {
        let (forgotten, unknown): (Vec<_>, Vec<_>) = ids.iter().partition(|id| self.get(**id).is_some());
        InMemory::forget(self, &forgotten)?;
        Ok(Forgotten { forgotten, unknown })
    }

    fn rebuild_index(&self) -> Result<u64, StoreError> {
        Ok(View::of(self).all().count() as u64)
    }

    fn verify(&self) -> Result<Verification, StoreError> {
        let megrams = View::of(self).all().count() as u64;
        Ok(Verification { events: self.events().len() as u64, megrams, findings: Vec::new() })
    }

    fn dream_log(&self, _limit: usize) -> Result<Vec<Dreamt>, StoreError> {
        Ok(Vec::new())
    }
}
