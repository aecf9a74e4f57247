//! Memories to test with: a sound one, and one that fails in a chosen way.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use artoo_mkct_memory::{DreamReport, InMemory, MemoryError, MemoryService, Rules, matrix};
use artoo_shared_memory::conformance::Now;
use artoo_types::{Entity, Level, Megram, MegramId, MegramState, Potentials, SopRecord, Space};
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
    Megram { level: Level::C, k: 0.0, ..experience(number, state) }
}

/// What is wrong with a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Writes are taken and thrown away.
    DropsWrites,
    /// Tags are cleaned of pipes, as the ancestor did.
    WritesUnderscoresForPipes,
    /// Closing changes nothing.
    NeverCloses,
    /// Feedback is taken and thrown away.
    IgnoresFeedback,
    /// The Dreamer does nothing.
    NeverDreams,
    /// Every query fails.
    CannotBeRead,
    /// No query ever ends.
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
        self.inner.write(Megram { space, entity, ..megram })
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

    async fn dream(&self) -> Result<DreamReport, MemoryError> {
        self.obstacle().await?;
        if self.has(Flaw::NeverDreams) { Ok(DreamReport::default()) } else { self.inner.dream().await }
    }

    async fn close(&self) -> Result<(), MemoryError> {
        if self.has(Flaw::NeverCloses) { Ok(()) } else { self.inner.close().await }
    }
}
