//! Applies events to the state.

use std::collections::BTreeSet;
use std::sync::Arc;

use artoo_mkct_memory::Event;
use artoo_mkct_memory::due::Due;
use artoo_mkct_memory::sums::Slots;
use artoo_types::{Entity, Level, MegramId, Space, TagPair};

use super::State;
use super::facts::{Class, Known};
use super::key::PairKey;
use super::pair::{Pair, due_ms};
use super::record::TagPairRef;
use crate::table::TableError;

impl State {
    /// Applies an event. Events commute, and a duplicate counts once.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`]: the event's subject could not be read. Applying the event
    /// again completes it.
    pub fn apply(&mut self, event: &Event) -> Result<(), TableError> {
        match event {
            Event::Written(megram) => self.change([megram.id], |_, known| {
                known.megram.get_or_insert_with(|| Arc::clone(megram));
            }),
            Event::Recalled { id, at } => {
                self.change([*id], |_, known| known.recalled_at = known.recalled_at.max(Some(*at)))
            }
            Event::Consolidated { sop, sources, absorbed } => {
                let behind: BTreeSet<MegramId> = sources.iter().chain(absorbed).copied().collect();
                let all: BTreeSet<MegramId> = behind.iter().chain([sop]).copied().collect();
                self.change(all, |id, known| {
                    known.is_consolidated |= behind.contains(&id);
                    if id == *sop {
                        known.provenance = Some(sources.as_slice().into());
                    }
                })
            }
            Event::Demoted { id, k } => self.change([*id], |_, known| known.demoted_k = Some(*k)),
            Event::Forgotten { id } => self.change([*id], |_, known| *known = Known::forgotten()),
        }
    }

    fn change(
        &mut self,
        ids: impl IntoIterator<Item = MegramId>,
        with: impl Fn(MegramId, &mut Known),
    ) -> Result<(), TableError> {
        let mut changes = Vec::new();
        for id in ids {
            let before = self.look_up(id)?;
            let mut after = before.clone();
            if !before.is_forgotten {
                with(id, &mut after);
            }
            if after != before {
                if let Some(megram) = after.megram.as_ref().or(before.megram.as_ref()) {
                    self.hold(&megram.space, &megram.entity)?;
                }
                changes.push((id, before, after));
            }
        }
        // From here on only a recomputation of sums can fail, which can be repeated.
        let mut touched = BTreeSet::new();
        for (id, before, after) in changes {
            if let Some(megram) = after.megram.as_ref().or(before.megram.as_ref()) {
                touched.insert(megram.pair());
            }
            self.settle(id, &before, after);
        }
        touched.iter().try_for_each(|pair| self.sum_anew(pair))
    }

    /// Loads a pair from the table into memory.
    pub(super) fn hold(&mut self, space: &Space, entity: &Entity) -> Result<(), TableError> {
        if self.pairs.get(space, entity).is_some() {
            return Ok(());
        }
        let key = PairKey::of(space, entity);
        let mut pair = match self.pair_record(key)? {
            Some(record) => Pair::from_record(key, &record),
            None => Pair::new(key),
        };
        if self.table.as_ref().is_some_and(|base| !base.is_due_known) {
            pair.due = Due::Now;
        }
        if let Some(at_ms) = due_ms(pair.due) {
            self.queue.insert((at_ms, TagPair::new(space.clone(), entity.clone())));
        }
        self.pairs.insert(space, entity, pair);
        self.resident.insert(key);
        Ok(())
    }

    pub(super) fn set_due(&mut self, pair: &TagPair, due: Due) {
        let Some(held) = self.pairs.get_mut(&pair.space, &pair.entity) else { return };
        if held.due == due {
            return;
        }
        if let Some(at_ms) = due_ms(held.due) {
            self.queue.remove(&(at_ms, pair.clone()));
        }
        held.due = due;
        if let Some(at_ms) = due_ms(due) {
            self.queue.insert((at_ms, pair.clone()));
        }
    }

    fn settle(&mut self, id: MegramId, before: &Known, after: Known) {
        for (known, is_new) in [(before, false), (&after, true)] {
            let count = match (known.class(), known.level()) {
                (Some(Class::Consolidated), _) => &mut self.counts.consolidated,
                (Some(_), Some(level)) => {
                    let [m, k, c, t] = &mut self.counts.levels;
                    match level {
                        Level::M => m,
                        Level::K => k,
                        Level::C => c,
                        Level::T => t,
                    }
                }
                (Some(_) | None, _) if known.is_forgotten => &mut self.counts.forgotten,
                (Some(_) | None, _) => continue,
            };
            *count = if is_new { count.saturating_add(1) } else { count.saturating_sub(1) };
        }
        match (&after.megram, after.class()) {
            (Some(law), Some(Class::Law)) => {
                self.laws.insert(id, Arc::clone(law));
            }
            (Some(_) | None, _) => {
                self.laws.remove(&id);
            }
        }
        if let Some(megram) = after.megram.as_ref().or(before.megram.as_ref()) {
            if let Some(pair) = self.pairs.get_mut(&megram.space, &megram.entity) {
                let had = pair.counts.live > 0;
                pair.change(id, (before, &after), self.grams);
                let has = pair.counts.live > 0;
                self.counts.pairs = self.counts.pairs.saturating_add(has.into()).saturating_sub(had.into());
            }
            self.set_due(&megram.pair(), Due::Now);
        }
        self.known.insert(id, after);
    }

    /// Recomputes a pair's sums if they are stale.
    fn sum_anew(&mut self, pair: &TagPair) -> Result<(), TableError> {
        let is_stale = |pair: &Pair| pair.is_stale;
        if self.pairs.get(&pair.space, &pair.entity).is_some_and(is_stale) {
            let slots = self.direct((&pair.space, &pair.entity))?;
            if let Some(held) = self.pairs.get_mut(&pair.space, &pair.entity) {
                held.slots = slots;
                held.is_stale = false;
            }
        }
        Ok(())
    }

    /// The sums of a pair, term by term.
    pub(super) fn direct(&self, (space, entity): TagPairRef<'_>) -> Result<Slots, TableError> {
        let live = self.live(space, entity)?;
        Ok(Slots::of(live.iter().filter_map(|(_, known)| known.term())))
    }
}
