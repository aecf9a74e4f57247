//! A memory that lives as long as its process.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use artoo_types::{Entity, Level, Megram, MegramId, MegramState, Polarity, Potentials, SopRecord, Space};
use async_trait::async_trait;
use chrono::{DateTime, FixedOffset};

use crate::service::validate;
use crate::{
    Bankruptcy, DreamReport, Event, Fold, MemoryError, MemoryService, Rules, dreamer, matrix, polarity,
};

/// A [`MemoryService`] that keeps its events in memory: nothing survives the process.
///
/// ```
/// use artoo_mkct_memory::{InMemory, MemoryService, Rules, matrix};
/// use artoo_types::{Entity, MegramId, MegramState, Space};
/// # let now = chrono::DateTime::parse_from_rfc3339("2026-03-09T09:00:00+01:00")?;
/// # let id: MegramId = "01970000-0000-7000-8000-000000000001".parse()?;
/// let memory = InMemory::new(Rules::default(), move || now, move || id);
/// let (space, entity) = (Space::intent("count"), Entity::local());
/// memory.write(matrix::megram(id, MegramState::Accept, now, space, entity, "used glob".to_owned()))?;
/// assert_eq!(memory.events().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct InMemory {
    rules: Rules,
    now: Box<dyn Fn() -> DateTime<FixedOffset> + Send + Sync>,
    mint: Box<dyn Fn() -> MegramId + Send + Sync>,
    state: RwLock<State>,
}

#[derive(Default)]
struct State {
    events: Vec<Event>,
    fold: Fold,
    closed: bool,
}

impl InMemory {
    /// An empty memory. `now` is asked for the time at every query, `mint` for the id of every Megram that the memory
    /// makes itself (rules, and feedback on rules); it must never give the same id twice.
    pub fn new(
        rules: Rules,
        now: impl Fn() -> DateTime<FixedOffset> + Send + Sync + 'static,
        mint: impl Fn() -> MegramId + Send + Sync + 'static,
    ) -> Self {
        Self { rules, now: Box::new(now), mint: Box::new(mint), state: RwLock::default() }
    }

    /// Everything that happened, oldest first, but for what was forgotten.
    pub fn events(&self) -> Vec<Event> {
        self.read().events.clone()
    }

    /// One Megram as it stands now; `None` where it is unknown or forgotten. A look, not a recall.
    pub fn get(&self, id: MegramId) -> Option<Megram> {
        self.read().fold.current(id)
    }

    // A panic of another thread leaves no half-made change behind: an event is appended before it is folded, and
    // neither step can fail. So a poisoned lock is taken all the same.
    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_lock(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The experience that speaks against a rule.
    fn contradiction(&self, rule: &Megram, content: &str) -> Megram {
        let state = match (self.rules.bankruptcy, polarity(rule.sigma)) {
            (Bankruptcy::Contradicted, Polarity::Constraint) => MegramState::BreakSymmetry,
            (Bankruptcy::Contradicted, Polarity::Practice) | (Bankruptcy::Negative, _) => {
                MegramState::ChangeApproach
            }
        };
        let (space, entity) = (rule.space.clone(), rule.entity.clone());
        matrix::megram((self.mint)(), state, (self.now)(), space, entity, content.to_owned())
    }
}

#[async_trait]
impl MemoryService for InMemory {
    fn write(&self, megram: Megram) -> Result<(), MemoryError> {
        validate(&megram)?;
        self.write_lock().open()?.write(megram)
    }

    async fn query_c(&self, space: &Space, entity: &Entity) -> Result<Vec<SopRecord>, MemoryError> {
        let now = (self.now)();
        let mut state = self.write_lock();
        let sops = state.open()?.fold.sops(space, entity);
        for sop in &sops {
            state.fold.recall(sop.id, now);
        }
        Ok(sops)
    }

    async fn query_mk(&self, space: &Space, entity: &Entity) -> Result<Potentials, MemoryError> {
        let now = (self.now)();
        let state = self.read();
        if state.closed {
            return Err(MemoryError::Closed);
        }
        Ok(state.fold.potentials(space, entity, now))
    }

    async fn record_negative_feedback(&self, rule: MegramId, content: &str) -> Result<(), MemoryError> {
        let mut state = self.write_lock();
        let state = state.open()?;
        // One that fell or was taken in by another is still the rule that somebody was given.
        let known = state.fold.original(rule).filter(|megram| megram.level == Level::C);
        let contradiction = self.contradiction(known.ok_or(MemoryError::UnknownRule(rule))?, content);
        state.write(contradiction)
    }

    async fn dream(&self) -> Result<DreamReport, MemoryError> {
        let now = (self.now)();
        let mut state = self.write_lock();
        let state = state.open()?;
        let pairs: Vec<(Space, Entity)> =
            state.fold.pairs().map(|(space, entity)| (space.clone(), entity.clone())).collect();
        let mut report = DreamReport::default();
        for (space, entity) in pairs {
            let plan = dreamer::plan(&state.fold.entries(&space, &entity), &self.rules, now);
            for id in plan.demote {
                state.append(Event::Demoted { id, k: self.rules.demoted_k });
                report.demoted.push(id);
            }
            if let Some(promotion) = plan.promote {
                let sop = promotion.megram((self.mint)(), now, space, entity);
                report.promoted.push(sop.id);
                let dreamer::Promotion { sources, absorbed, .. } = promotion;
                state.append(Event::Consolidated { sop: sop.id, sources, absorbed });
                state.append(Event::Written(Arc::new(sop)));
            }
            report.forgotten.extend(plan.forget);
        }
        state.forget(&report.forgotten);
        Ok(report)
    }

    async fn close(&self) -> Result<(), MemoryError> {
        self.write_lock().closed = true;
        Ok(())
    }
}

impl State {
    fn open(&mut self) -> Result<&mut Self, MemoryError> {
        if self.closed { Err(MemoryError::Closed) } else { Ok(self) }
    }

    fn write(&mut self, megram: Megram) -> Result<(), MemoryError> {
        match self.fold.original(megram.id) {
            Some(same) if *same == megram => Ok(()),
            None if !self.fold.knows(megram.id) => {
                self.append(Event::Written(Arc::new(megram)));
                Ok(())
            }
            Some(_) | None => Err(MemoryError::Conflict(megram.id)),
        }
    }

    fn append(&mut self, event: Event) {
        self.fold.apply(&event);
        self.events.push(event);
    }

    /// Deletes experiences with their words, once for the whole cycle.
    fn forget(&mut self, ids: &[MegramId]) {
        if ids.is_empty() {
            return;
        }
        let gone: HashSet<MegramId> = ids.iter().copied().collect();
        self.events.retain(|event| match event {
            Event::Written(megram) => !gone.contains(&megram.id),
            Event::Consolidated { .. } | Event::Demoted { .. } | Event::Forgotten { .. } => true,
        });
        for id in ids {
            self.append(Event::Forgotten { id: *id });
        }
    }
}

impl fmt::Debug for InMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InMemory")
            .field("rules", &self.rules)
            .field("events", &self.read().events.len())
            .finish()
    }
}
