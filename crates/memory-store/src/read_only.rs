//! `ReadOnly`: a memory that answers queries and ignores writes.

use std::sync::Arc;

use artoo_mkct_memory::{Distiller, MemoryError, MemoryService};
use artoo_types::{
    DreamReport, Entity, Megram, MegramId, MemoryQuery, MemoryReply, Potentials, RunId, SopRecord, Space,
    TagPair,
};
use async_trait::async_trait;

use crate::Operator;

/// A memory that learns nothing: writes are ignored, recalls are not recorded, and the Dreamer does nothing.
///
/// It departs from the contract of a [`MemoryService`] in one point: a query does not see earlier writes.
pub struct ReadOnly(Arc<dyn Operator>);

impl ReadOnly {
    /// Answers from this memory.
    pub fn new(memory: Arc<dyn Operator>) -> Self {
        Self(memory)
    }

    fn look(&self, query: &MemoryQuery) -> Result<MemoryReply, MemoryError> {
        self.0.recall_look(query).map_err(MemoryError::from)
    }
}

#[async_trait]
impl MemoryService for ReadOnly {
    fn write(&self, _: Megram) -> Result<(), MemoryError> {
        Ok(())
    }

    async fn query_c(&self, space: &Space, entity: &Entity) -> Result<Vec<SopRecord>, MemoryError> {
        let pairs = vec![TagPair::new(space.clone(), entity.clone())];
        let reply = self.look(&MemoryQuery { pairs, like: None })?;
        Ok(reply.recalled.into_iter().flat_map(|known| known.sops).collect())
    }

    async fn query_mk(&self, space: &Space, entity: &Entity) -> Result<Potentials, MemoryError> {
        self.0.query_mk(space, entity).await
    }

    async fn record_negative_feedback(&self, _: MegramId, _: &str) -> Result<(), MemoryError> {
        Ok(())
    }

    async fn revoke(&self, _: RunId, _: &str) -> Result<Vec<MegramId>, MemoryError> {
        Ok(Vec::new())
    }

    async fn recall(&self, query: &MemoryQuery) -> Result<MemoryReply, MemoryError> {
        self.look(query)
    }

    async fn dream(&self, _: &dyn Distiller) -> Result<DreamReport, MemoryError> {
        Ok(DreamReport::default())
    }

    async fn flush(&self) -> Result<(), MemoryError> {
        Ok(())
    }

    async fn close(&self) -> Result<(), MemoryError> {
        self.0.close().await
    }
}
