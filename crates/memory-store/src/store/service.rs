//! `MemoryService` implementation of the store.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use artoo_mkct_memory::{Distiller, Event, MemoryError, MemoryService, contradiction, revocations, validate};
use artoo_types::{
    DreamReport, Entity, Level, Megram, MegramId, MemoryQuery, MemoryReply, Origin, Potentials, RunId,
    SopRecord, Space, TagPair,
};
use async_trait::async_trait;

use super::{Store, recall};
use crate::StoreError;
use crate::state::State;
use crate::table::TableError;

/// How long another owner may take to acknowledge pending events when this process ends.
const PATIENCE: Duration = Duration::from_secs(2);

#[async_trait]
impl MemoryService for Store {
    fn write(&self, megram: Megram) -> Result<(), MemoryError> {
        validate(&megram)?;
        let mut state = self.state_to_change()?;
        Ok(self.write_into(&mut state, megram)?)
    }

    async fn query_c(&self, space: &Space, entity: &Entity) -> Result<Vec<SopRecord>, MemoryError> {
        let sops = self.state()?.sops(space, entity).map_err(StoreError::from)?;
        self.recalled(&sops)?;
        Ok(sops)
    }

    async fn query_mk(&self, space: &Space, entity: &Entity) -> Result<Potentials, MemoryError> {
        let now = self.now();
        Ok(self.state()?.potentials(space, entity, now).map_err(StoreError::from)?)
    }

    async fn record_negative_feedback(&self, rule: MegramId, content: &str) -> Result<(), MemoryError> {
        let mut state = self.state_to_change()?;
        // A demoted or consolidated rule is still the rule that was returned earlier.
        let known = state.original(rule).map_err(StoreError::from)?;
        let known = known.filter(|megram| megram.level == Level::C).ok_or(MemoryError::UnknownRule(rule))?;
        let contradiction =
            contradiction(&known, &self.options.rules, (self.options.mint)(), self.now(), content);
        Ok(self.write_into(&mut state, contradiction)?)
    }

    async fn revoke(&self, run: RunId, reason: &str) -> Result<Vec<MegramId>, MemoryError> {
        let mut state = self.state_to_change()?;
        let mut appended = Vec::new();
        for pair in taught_by(&state, run).map_err(StoreError::from)? {
            let entries = state.entries(&pair.space, &pair.entity).map_err(StoreError::from)?;
            let (rules, mint) = (&self.options.rules, &*self.options.mint);
            for against in revocations(&entries, run, rules, self.now(), mint, reason) {
                appended.push(against.id);
                self.write_into(&mut state, against)?;
            }
        }
        Ok(appended)
    }

    async fn recall(&self, query: &MemoryQuery) -> Result<MemoryReply, MemoryError> {
        let now = self.now();
        let reply = recall::reply(&*self.state()?, query, now).map_err(StoreError::from)?;
        for known in &reply.recalled {
            self.recalled(&known.sops)?;
        }
        Ok(reply)
    }

    async fn dream(&self, distiller: &dyn Distiller) -> Result<DreamReport, MemoryError> {
        Ok(self.cycle(distiller).await?)
    }

    async fn flush(&self) -> Result<(), MemoryError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(MemoryError::Closed);
        }
        Ok(self.log.flush().await.map_err(StoreError::from)?)
    }

    async fn close(&self) -> Result<(), MemoryError> {
        if !self.closed.load(Ordering::Acquire) {
            self.keep_short_at_the_end();
        }
        if self.closed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let index = self.lock_index().take();
        if let Some(index) = index {
            index.close().await;
        }
        let closed = self.log.close(PATIENCE);
        Ok(closed.map(drop).map_err(StoreError::from)?)
    }
}

/// The pairs in which a run taught something. Reads every Megram; only a user's command or correction causes this.
fn taught_by(state: &State, run: RunId) -> Result<BTreeSet<TagPair>, TableError> {
    let mut pairs = BTreeSet::new();
    for remembered in state.megrams() {
        let megram = remembered?.megram;
        if megram.origin == Some(Origin::Run(run)) {
            pairs.insert(megram.pair());
        }
    }
    Ok(pairs)
}

impl Store {
    pub(super) fn write_into(&self, state: &mut State, megram: Megram) -> Result<(), StoreError> {
        match state.original(megram.id)? {
            Some(same) if *same == megram => Ok(()),
            None if !state.knows(megram.id)? => self.append(state, Event::Written(Arc::new(megram))),
            Some(_) | None => Err(MemoryError::Conflict(megram.id).into()),
        }
    }

    /// Records that rules were recalled. If that fails, they are returned anyway: a memory on a full or
    /// read-only disk still answers.
    fn recalled(&self, sops: &[SopRecord]) -> Result<(), MemoryError> {
        if sops.is_empty() {
            return Ok(());
        }
        let (now, mut state) = (self.now(), self.state_to_change()?);
        for sop in sops {
            if let Err(error) = self.append(&mut state, Event::Recalled { id: sop.id, at: now }) {
                tracing::debug!(%error, "a recall was not noted");
                break;
            }
        }
        Ok(())
    }
}
