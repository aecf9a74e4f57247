//! Test memories: a correct one, and one with a chosen flaw.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use artoo_mkct_memory::{Distiller, InMemory, MemoryError, MemoryService, Rules, matrix};
use artoo_shared_memory::conformance::Now;
use artoo_types::{
    DreamReport, Entity, Level, Megram, MegramId, MegramState, MemoryQuery, MemoryReply, Origin, Polarity,
    Potentials, RunId, SopRecord, Space, TagPair,
};
use async_trait::async_trait;
use chrono::{DateTime, FixedOffset};
use uuid::Uuid;

pub(crate) fn today() -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339("2026-03-14T09:26:53+08:00").unwrap()
}

pub(crate) fn in_memory(rules: Rules, now: Now) -> InMemory {
    let next = AtomicU64::new(1_000_000);
    let mint = move || MegramId::new(Uuid::from_u128(u128::from(next.fetch_add(1, Ordering::SeqCst))));
    InMemory::new(rules, move || now(), mint)
}

pub(crate) fn memory() -> Arc<InMemory> {
    Arc::new(in_memory(Rules::default(), Arc::new(today)))
}

pub(crate) fn pair() -> (Space, Entity) {
    (Space::intent("Count the files"), Entity::local())
}

pub(crate) fn experience(number: u128, state: MegramState) -> Megram {
    let (space, entity) = pair();
    matrix::megram(
        MegramId::new(Uuid::from_u128(number)),
        state,
        today(),
        space,
        entity,
        "used glob".to_owned(),
    )
}

pub(crate) fn rule(number: u128, state: MegramState) -> Megram {
    Megram { level: Level::C, k: 0.0, origin: Some(Origin::Person), ..experience(number, state) }
}

/// The flaw of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Writes are accepted and dropped.
    DropsWrites,
    /// Pipes in tags are replaced, as in the ancestor.
    WritesUnderscoresForPipes,
    /// Closing has no effect.
    NeverCloses,
    /// Feedback is accepted and dropped.
    IgnoresFeedback,
    /// Nothing is revoked.
    RevokesNothing,
    /// The Dreamer does nothing.
    NeverDreams,
    /// A practice is demoted at the first failure.
    FellsAtOnce,
    /// Pairs are answered in another order.
    AnswersBackwards,
    /// No similar pairs are searched for.
    FindsNothing,
    /// Every writer counts as the person.
    TrustsAnybody,
    /// Laws are stored but not returned.
    HidesLaws,
    /// Flushing fails.
    CannotBeFlushed,
    /// Every query fails.
    CannotBeRead,
    /// No query ever returns.
    Hangs,
}

pub(crate) struct Flawed {
    pub(crate) inner: InMemory,
    pub(crate) flaw: Flaw,
}

impl Flawed {
    pub(crate) fn new(flaw: Flaw) -> Arc<Self> {
        Arc::new(Self { inner: in_memory(Rules::default(), Arc::new(today)), flaw })
    }

    fn has(&self, flaw: Flaw) -> bool {
        self.flaw == flaw
    }

    async fn obstacle(&self) -> Result<(), MemoryError> {
        if self.has(Flaw::Hangs) {
            std::future::pending::<()>().await;
        }
        if self.has(Flaw::CannotBeRead) {
            let disk = std::io::Error::other("the disk is on fire");
            return Err(MemoryError::Store(Box::new(disk)));
        }
        Ok(())
    }

    fn tag(&self, tag: &str) -> String {
        if self.has(Flaw::WritesUnderscoresForPipes) { tag.replace('|', "_") } else { tag.to_owned() }
    }

    fn tags(&self, space: &Space, entity: &Entity) -> (Space, Entity) {
        (Space::from_raw(self.tag(space.as_str())), Entity::from_raw(self.tag(entity.as_str())))
    }
}

#[async_trait]
impl MemoryService for Flawed {
    fn write(&self, megram: Megram) -> Result<(), MemoryError> {
        if self.has(Flaw::DropsWrites) {
            return Ok(());
        }
        let (space, entity) = self.tags(&megram.space, &megram.entity);
        let origin = if self.has(Flaw::TrustsAnybody) { Some(Origin::Person) } else { megram.origin };
        self.inner.write(Megram { space, entity, origin, ..megram })
    }

    async fn query_c(&self, space: &Space, entity: &Entity) -> Result<Vec<SopRecord>, MemoryError> {
        self.obstacle().await?;
        let (space, entity) = self.tags(space, entity);
        self.inner.query_c(&space, &entity).await
    }

    async fn query_mk(&self, space: &Space, entity: &Entity) -> Result<Potentials, MemoryError> {
        self.obstacle().await?;
        let (space, entity) = self.tags(space, entity);
        self.inner.query_mk(&space, &entity).await
    }

    async fn record_negative_feedback(&self, rule: MegramId, content: &str) -> Result<(), MemoryError> {
        if self.has(Flaw::IgnoresFeedback) {
            Ok(())
        } else {
            self.inner.record_negative_feedback(rule, content).await
        }
    }

    async fn revoke(&self, run: RunId, reason: &str) -> Result<Vec<MegramId>, MemoryError> {
        if self.has(Flaw::RevokesNothing) { Ok(Vec::new()) } else { self.inner.revoke(run, reason).await }
    }

    async fn recall(&self, query: &MemoryQuery) -> Result<MemoryReply, MemoryError> {
        self.obstacle().await?;
        let tags = |pair: &TagPair| {
            let (space, entity) = self.tags(&pair.space, &pair.entity);
            TagPair::new(space, entity)
        };
        let pairs = query.pairs.iter().map(tags).collect();
        let like = if self.has(Flaw::FindsNothing) { None } else { query.like.clone() };
        let mut reply = self.inner.recall(&MemoryQuery { pairs, like }).await?;
        if self.has(Flaw::AnswersBackwards) {
            reply.recalled.reverse();
        }
        if self.has(Flaw::HidesLaws) {
            reply.laws.clear();
        }
        Ok(reply)
    }

    async fn dream(&self, distiller: &dyn Distiller) -> Result<DreamReport, MemoryError> {
        self.obstacle().await?;
        if self.has(Flaw::NeverDreams) {
            return Ok(DreamReport::default());
        }
        let report = self.inner.dream(distiller).await?;
        let (space, entity) = pair();
        let rules = self.inner.query_c(&space, &entity).await?;
        let is_contradicted = self.inner.query_mk(&space, &entity).await?.decision < 0.0;
        let has_practice = rules.iter().any(|rule| rule.polarity == Polarity::Practice);
        if self.has(Flaw::FellsAtOnce) && has_practice && is_contradicted {
            self.inner.write(experience(999_999, MegramState::Abandon))?;
            return self.inner.dream(distiller).await;
        }
        Ok(report)
    }

    async fn flush(&self) -> Result<(), MemoryError> {
        if self.has(Flaw::CannotBeFlushed) {
            return Err(MemoryError::Store(Box::new(std::io::Error::other("the disk is full"))));
        }
        self.inner.flush().await
    }

    async fn close(&self) -> Result<(), MemoryError> {
        if self.has(Flaw::NeverCloses) { Ok(()) } else { self.inner.close().await }
    }
}
