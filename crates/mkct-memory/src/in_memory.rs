//! `InMemory`: a `MemoryService` that lasts as long as its process.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use artoo_types::{
    DreamReport, Entity, Level, Megram, MegramId, MemoryQuery, MemoryReply, PairMemory, Potentials,
    RecallReason, RunId, SopRecord, Space, TagPair,
};
use async_trait::async_trait;
use chrono::{DateTime, FixedOffset};

use crate::service::validate;
use crate::similar::{self, Grams, MAX_SIMILAR, Question, Similar};
use crate::{
    DailyCalls, Distiller, Event, MemoryError, MemoryFold, MemoryService, Rules, contradiction, dreamer,
    recall, revocations,
};

/// A [`MemoryService`] that keeps its events in memory only.
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
    fold: MemoryFold,
    /// The Dreamer's model calls.
    asked: DailyCalls,
    closed: bool,
}

impl InMemory {
    /// An empty memory. `now` is called for the time of every query, `mint` for the id of every Megram that
    /// the memory creates itself (rules, and feedback on rules); it must never return the same id twice.
    pub fn new(
        rules: Rules,
        now: impl Fn() -> DateTime<FixedOffset> + Send + Sync + 'static,
        mint: impl Fn() -> MegramId + Send + Sync + 'static,
    ) -> Self {
        Self { rules, now: Box::new(now), mint: Box::new(mint), state: RwLock::default() }
    }

    /// All events, oldest first, without those of forgotten Megrams.
    pub fn events(&self) -> Vec<Event> {
        self.read().events.clone()
    }

    /// The current form of one Megram; `None` if it is unknown or forgotten. Does not count as a recall.
    pub fn get(&self, id: MegramId) -> Option<Megram> {
        self.read().fold.current(id)
    }

    /// The time by its clock.
    pub fn now(&self) -> DateTime<FixedOffset> {
        (self.now)()
    }

    /// The answer of [`recall`](MemoryService::recall), without recording a recall.
    pub fn look(&self, query: &MemoryQuery) -> MemoryReply {
        self.read().look(query, (self.now)())
    }

    /// Removes Megrams with their words on the person's request. Unknown ids are skipped.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Closed`].
    pub fn forget(&self, ids: &[MegramId]) -> Result<(), MemoryError> {
        let mut state = self.write_lock();
        let state = state.open()?;
        let known: Vec<MegramId> =
            ids.iter().copied().filter(|id| state.fold.original(*id).is_some()).collect();
        state.forget(&known);
        Ok(())
    }

    // A panic of another thread leaves no partial change: an event is appended before it is folded, and
    // neither step can fail. So a poisoned lock is usable.
    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_lock(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
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
        state.recalled(&sops, now);
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
        // A demoted or consolidated rule is still the rule that was returned earlier.
        let known = state.fold.original(rule).filter(|megram| megram.level == Level::C);
        let known = known.ok_or(MemoryError::UnknownRule(rule))?;
        state.write(contradiction(known, &self.rules, (self.mint)(), (self.now)(), content))
    }

    async fn revoke(&self, run: RunId, reason: &str) -> Result<Vec<MegramId>, MemoryError> {
        let mut state = self.write_lock();
        let state = state.open()?;
        let mut appended = Vec::new();
        for pair in state.all_pairs() {
            let entries = state.fold.entries(&pair.space, &pair.entity);
            for against in revocations(&entries, run, &self.rules, (self.now)(), &*self.mint, reason) {
                appended.push(against.id);
                state.write(against)?;
            }
        }
        Ok(appended)
    }

    async fn recall(&self, query: &MemoryQuery) -> Result<MemoryReply, MemoryError> {
        let now = (self.now)();
        let mut state = self.write_lock();
        let state = state.open()?;
        let reply = state.look(query, now);
        for known in &reply.recalled {
            state.recalled(&known.sops, now);
        }
        Ok(reply)
    }

    async fn dream(&self, distiller: &dyn Distiller) -> Result<DreamReport, MemoryError> {
        let now = (self.now)();
        let promotions = self.write_lock().open()?.promotions(&self.rules, now);
        let mut words = HashMap::new();
        for (pair, promotion, sources) in promotions {
            if distiller.asks_a_model() && !self.write_lock().open()?.may_ask(now) {
                continue;
            }
            if let Some(text) = distiller.distil(promotion.polarity, &sources).await {
                words.insert(pair, (promotion, text));
            }
        }
        let mut state = self.write_lock();
        let state = state.open()?;
        let mut report = DreamReport::default();
        for pair in state.all_pairs() {
            report.examined += 1;
            let mut plan = dreamer::plan(&state.fold.entries(&pair.space, &pair.entity), &self.rules, now);
            if let (Some(promotion), Some((same, text))) = (plan.promote.as_mut(), words.remove(&pair))
                && *promotion == same
            {
                // Entries that arrived meanwhile produce another rule, which has no wording yet.
                promotion.content = text;
            }
            // Deleted all at once, at the end.
            let forget = std::mem::take(&mut plan.forget);
            for event in plan.events(&pair, &self.rules, now, &*self.mint, &mut report) {
                state.append(event);
            }
            report.forgotten.extend(forget);
        }
        state.forget(&report.forgotten);
        Ok(report)
    }

    async fn flush(&self) -> Result<(), MemoryError> {
        if self.read().closed { Err(MemoryError::Closed) } else { Ok(()) }
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

    /// Counts a model call of the Dreamer; `false` if there are no more today.
    fn may_ask(&mut self, now: DateTime<FixedOffset>) -> bool {
        let another = self.asked.another(now.date_naive());
        self.asked = another.unwrap_or(self.asked);
        another.is_some()
    }

    fn look(&self, query: &MemoryQuery, now: DateTime<FixedOffset>) -> MemoryReply {
        let question = query.like.as_deref().map(Question::of);
        let asked = |pair| self.pair_memory(pair, (RecallReason::Asked, question.as_ref()), now);
        let mut recalled: Vec<PairMemory> = query.pairs.iter().map(asked).collect();
        if let (Some(like), Some(question)) = (&query.like, &question) {
            recalled.extend(self.similar((like, question), &query.pairs, now));
        }
        MemoryReply { recalled, laws: self.fold.laws() }
    }

    fn all_pairs(&self) -> Vec<TagPair> {
        self.fold.pairs().map(|(space, entity)| TagPair::new(space.clone(), entity.clone())).collect()
    }

    /// The rules to create, each with its pair and its source experiences.
    fn promotions(
        &self,
        rules: &Rules,
        now: DateTime<FixedOffset>,
    ) -> Vec<(TagPair, dreamer::Promotion, Vec<Megram>)> {
        let arising = |pair: TagPair| {
            let promotion =
                dreamer::plan(&self.fold.entries(&pair.space, &pair.entity), rules, now).promote?;
            let sources = promotion.sources.iter().filter_map(|id| self.fold.current(*id)).collect();
            Some((pair, promotion, sources))
        };
        self.all_pairs().into_iter().filter_map(arising).collect()
    }

    fn pair_memory(
        &self,
        pair: &TagPair,
        why: (RecallReason, Option<&Question>),
        now: DateTime<FixedOffset>,
    ) -> PairMemory {
        let TagPair { space, entity } = pair;
        let potentials = self.fold.potentials(space, entity, now);
        let (sops, entries) = (self.fold.sops(space, entity), self.fold.entries(space, entity));
        recall::of_pair(pair.clone(), why, potentials, sops, &entries, now)
    }

    /// What is known of pairs with similar words, except the requested pairs.
    fn similar(
        &self,
        (like, question): (&str, &Question),
        asked: &[TagPair],
        now: DateTime<FixedOffset>,
    ) -> Vec<PairMemory> {
        let text = |pair: &TagPair| {
            let entries = self.fold.entries(&pair.space, &pair.entity);
            // Laws are in every reply, so a pair with only laws adds nothing.
            let is_known = entries.iter().any(|entry| entry.megram.level != Level::T);
            is_known.then(|| similar::pair_text(pair, entries.iter().map(|entry| &entry.megram)))
        };
        let candidates = self.all_pairs().into_iter().filter(|pair| !asked.contains(pair));
        let candidates = candidates.filter_map(|pair| text(&pair).map(|text| (pair, Grams::of(&text))));
        let found = similar::rank(question, candidates, MAX_SIMILAR);
        let told = found.into_iter().map(|Similar { key: pair, score }| {
            let shared = similar::shared(like, &text(&pair).unwrap_or_default());
            self.pair_memory(&pair, (RecallReason::Similar { score, shared }, Some(question)), now)
        });
        told.collect()
    }

    fn recalled(&mut self, sops: &[SopRecord], now: DateTime<FixedOffset>) {
        for sop in sops {
            self.append(Event::Recalled { id: sop.id, at: now });
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
            Event::Recalled { id, .. } => !gone.contains(id),
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
