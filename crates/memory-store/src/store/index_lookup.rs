//! The store's use of the index: opened on demand, updated to the journal, verified against the state, and
//! rebuilt when in doubt.

use std::sync::{Arc, MutexGuard, PoisonError};

use artoo_types::{Level, Megram, MegramId};

use super::{Store, wait};
use crate::StoreError;
use crate::index::{self, Counts, Index, IndexError, Page, RecordDigest, Verified, touched};
use crate::journal::{Entry, Position, Reading};
use crate::state::{Remembered, State};
use crate::table::TableError;

/// Number of records requested at a time.
const PAGE: usize = 1_000;

/// The source of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answered<T> {
    /// The index, confirmed by the state.
    ByIndex(T),
    /// The index failed or disagreed: ask the state.
    NotByIndex,
}

impl Store {
    /// The live Megrams of a level, from the index.
    pub(super) fn of_level(&self, level: Level) -> Result<Answered<Vec<Megram>>, StoreError> {
        let state = self.state()?;
        let stats = state.stats();
        let expected = match level {
            Level::M => stats.m,
            Level::K => stats.k,
            Level::C => stats.c,
            Level::T => stats.t,
        };
        let found = self.ask(&state, |index| {
            let mut found = Vec::new();
            loop {
                let page = Page { after: found.last().map(|megram: &Megram| megram.id), limit: PAGE };
                let some = wait(index.of_level(level, page))?;
                let last = some.len() < PAGE;
                found.extend(some.into_iter().map(|record| record.megram));
                if last {
                    return Ok(found);
                }
            }
        })?;
        let Answered::ByIndex(found) = found else { return Ok(Answered::NotByIndex) };
        let as_in_state = self.borne_out(&state, found)?;
        Ok(match as_in_state {
            Some(found) if found.len() as u64 == expected => Answered::ByIndex(found),
            Some(_) | None => self.doubted(&state, "it was asked for a layer"),
        })
    }

    /// The ids with a prefix, from the index.
    pub(super) fn ids_from(
        &self,
        first: MegramId,
        limit: usize,
    ) -> Result<Answered<Vec<MegramId>>, StoreError> {
        let state = self.state()?;
        let after = first.uuid().as_u128().checked_sub(1).map(|id| MegramId::new(uuid::Uuid::from_u128(id)));
        let found = self.ask(&state, |index| wait(index.all(Page { after, limit })))?;
        let Answered::ByIndex(found) = found else { return Ok(Answered::NotByIndex) };
        let megrams = found.into_iter().map(|record| record.megram).collect();
        Ok(match self.borne_out(&state, megrams)? {
            Some(found) => Answered::ByIndex(found.into_iter().map(|megram| megram.id).collect()),
            None => self.doubted(&state, "it was asked for a range of ids"),
        })
    }

    /// Rebuilds the index from the truth, and returns the number of Megrams in it.
    pub(super) fn rebuild(&self) -> Result<u64, StoreError> {
        self.must_own("building the index")?;
        wait(self.log.flush())?;
        let state = self.state()?;
        let mut index = self.lock_index();
        self.rebuild_into(&mut index, &state)?;
        Ok(count(&state))
    }

    /// A problem of the index, if any. Reads all of it.
    pub(super) fn check_index(&self) -> Result<Option<String>, StoreError> {
        // Only the owner of the memory can open its index; a missing one is built on demand.
        if !self.is_owner() || !self.index_folder().exists() {
            return Ok(None);
        }
        wait(self.log.flush())?;
        let state = self.state()?;
        let mut slot = self.lock_index();
        let index = match self.opened(&mut slot) {
            Ok(index) => index,
            Err(error) => return Ok(Some(error.to_string())),
        };
        let checked = self.compare(&index, &state);
        match checked {
            Ok(finding) => {
                *slot = Some(index);
                Ok(finding)
            }
            Err(StoreError::Index(error)) => Ok(Some(error.to_string())),
            Err(error) => Err(error),
        }
    }

    /// The first difference between the index and the state.
    fn compare(&self, index: &Index, state: &State) -> Result<Option<String>, StoreError> {
        let there = wait(index.position())?.map(|at| Position { seq: at.seq, chain: at.chain });
        let head = self.log.head();
        let in_step = match there {
            Some(there) => there == head || self.bring_up(index, there, head, state)?,
            None => false,
        };
        if !in_step {
            return Ok(Some("it does not belong to this journal".to_owned()));
        }
        let stats = state.stats();
        let live = stats.m + stats.k + stats.c + stats.t;
        let Counts { megrams, in_pairs, in_layers, recalled: _ } = wait(index.count())?;
        let all = count(state);
        if (megrams, in_pairs, in_layers) != (all, live, live) {
            return Ok(Some(format!(
                "it has {megrams} Megrams, {in_pairs} in pairs and {in_layers} in layers; memory has {all}, of which {live} count"
            )));
        }
        let mut megrams = state.megrams();
        loop {
            let some: Vec<_> = megrams.by_ref().take(PAGE).collect::<Result<_, TableError>>()?;
            if some.is_empty() {
                return Ok(None);
            }
            let found = wait(index.get(some.iter().map(|remembered| remembered.megram.id).collect()))?;
            let expected = some.iter().map(|Remembered { megram, .. }| (megram.id, RecordDigest::of(megram)));
            if let Err(doubt) = Verified::check(found, expected) {
                return Ok(Some(doubt.to_string()));
            }
        }
    }

    fn opened(&self, slot: &mut Option<Index>) -> Result<Index, IndexError> {
        match slot.take() {
            Some(index) => Ok(index),
            None => wait(Index::open(&self.index_folder(), Arc::clone(&self.options.disk))),
        }
    }

    pub(super) fn lock_index(&self) -> MutexGuard<'_, Option<Index>> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queries the index, once it is up to date with the journal.
    fn ask<T>(
        &self,
        state: &State,
        question: impl FnOnce(&Index) -> Result<T, IndexError>,
    ) -> Result<Answered<T>, StoreError> {
        if !self.is_owner() {
            return Ok(Answered::NotByIndex);
        }
        wait(self.log.flush())?;
        let mut slot = self.lock_index();
        if let Err(error) = self.in_step(&mut slot, state) {
            tracing::debug!(%error, "the index cannot be used");
            return Ok(Answered::NotByIndex);
        }
        match slot.as_ref().map(question) {
            Some(Ok(answer)) => Ok(Answered::ByIndex(answer)),
            Some(Err(error)) => {
                tracing::warn!(%error, "the index failed; it will be built anew");
                *slot = None;
                Ok(Answered::NotByIndex)
            }
            None => Ok(Answered::NotByIndex),
        }
    }

    /// Opens the index and updates it to the journal; rebuilds it if that fails.
    fn in_step(&self, slot: &mut Option<Index>, state: &State) -> Result<(), StoreError> {
        let head = self.log.head();
        let caught_up = self.opened(slot).and_then(|index| {
            let at = wait(index.position())?;
            Ok((index, at))
        });
        match caught_up {
            Ok((index, Some(at))) => {
                let there = Position { seq: at.seq, chain: at.chain };
                if there == head && at.count == count(state) {
                    *slot = Some(index);
                    return Ok(());
                }
                if self.bring_up(&index, there, head, state)? {
                    *slot = Some(index);
                    return Ok(());
                }
                wait(index.close());
            }
            Ok((index, None)) => wait(index.close()),
            Err(error) if error.wants_rebuild() => {
                tracing::warn!(%error, "the index is built anew");
            }
            Err(error) => return Err(error.into()),
        }
        self.rebuild_into(slot, state)
    }

    /// Projects the events since a position; `false` if the journal does not know that position.
    fn bring_up(
        &self,
        index: &Index,
        from: Position,
        head: Position,
        state: &State,
    ) -> Result<bool, StoreError> {
        if from.seq >= head.seq {
            return Ok(false);
        }
        let Reading { entries, notices, .. } = self.log.read_from(from)?;
        if !notices.is_empty() {
            return Ok(false);
        }
        let mut ids: Vec<MegramId> = entries
            .iter()
            .flat_map(|(_, entry)| match entry {
                Entry::Event(event) => touched(event),
                Entry::Snapshot { .. } => Vec::new(),
            })
            .collect();
        ids.sort_unstable();
        ids.dedup();
        let entries = ids.into_iter().map(|id| entry(state, id)).collect::<Result<Vec<_>, _>>()?;
        Ok(wait(index.project(entries.into_iter().flatten().collect(), position(head, state))).is_ok())
    }

    fn rebuild_into(&self, slot: &mut Option<Index>, state: &State) -> Result<(), StoreError> {
        if let Some(index) = slot.take() {
            wait(index.close());
        }
        let entries = state.megrams().map(|remembered| {
            remembered.map(|remembered| match remembered.is_consolidated {
                true => index::Entry::Consolidated(remembered.megram),
                false => index::Entry::Live(remembered.megram),
            })
        });
        let disk = Arc::clone(&self.options.disk);
        let at = position(self.log.head(), state);
        *slot = Some(wait(Index::rebuild(&self.index_folder(), disk, entries, at))?);
        Ok(())
    }

    /// The state's Megrams, if it confirms each of them.
    fn borne_out(&self, state: &State, found: Vec<Megram>) -> Result<Option<Vec<Megram>>, StoreError> {
        let mut megrams = Vec::with_capacity(found.len());
        for megram in found {
            match state.current(megram.id)? {
                Some(known) if RecordDigest::of(&known) == RecordDigest::of(&megram) => megrams.push(known),
                Some(_) | None => return Ok(None),
            }
        }
        Ok(Some(megrams))
    }

    /// The index disagreed with the truth: rebuilds it, and has the truth asked.
    fn doubted<T>(&self, state: &State, reason: &str) -> Answered<T> {
        tracing::warn!(reason, "the index disagrees with the journal and is built anew");
        if let Err(error) = self.rebuild_into(&mut self.lock_index(), state) {
            tracing::warn!(%error, "the index could not be built anew");
        }
        Answered::NotByIndex
    }

    pub(super) fn index_folder(&self) -> std::path::PathBuf {
        self.folder().join("index")
    }

    pub(super) fn must_own(&self, doing: &'static str) -> Result<(), StoreError> {
        if self.is_owner() { Ok(()) } else { Err(StoreError::NotOwner { doing }) }
    }
}

fn entry(state: &State, id: MegramId) -> Result<Option<index::Entry>, TableError> {
    let Some(remembered) = state.remembered(id)? else {
        return Ok(state.knows(id)?.then_some(index::Entry::Forgotten(id)));
    };
    Ok(Some(match remembered.is_consolidated {
        true => index::Entry::Consolidated(remembered.megram),
        false => index::Entry::Live(remembered.megram),
    }))
}

/// The number of Megrams, including consolidated ones.
fn count(state: &State) -> u64 {
    let stats = state.stats();
    stats.m + stats.k + stats.c + stats.t + stats.consolidated
}

fn position(head: Position, state: &State) -> index::Position {
    index::Position { seq: head.seq, chain: head.chain, count: count(state) }
}
