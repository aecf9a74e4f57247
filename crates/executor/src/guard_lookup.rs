//! Asks memory about a call that is about to be made.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use artoo_bus::Sender;
use artoo_types::{BlockedTarget, CallId, GuardQuery, GuardReply, MemoryGuard, TagPair};
use tokio::{sync::oneshot, time::timeout};

/// The lookups of a run.
pub(crate) struct GuardLookup {
    sender: Sender,
    /// How long memory may take; `None` if it is not asked.
    patience: Option<Duration>,
    waiting: Mutex<HashMap<CallId, oneshot::Sender<Option<MemoryGuard>>>>,
    /// Memory has missed its time: no later call waits for it.
    is_silent: AtomicBool,
}

impl GuardLookup {
    pub(crate) fn new(sender: Sender, patience: Option<Duration>) -> Self {
        Self { sender, patience, waiting: Mutex::default(), is_silent: AtomicBool::new(false) }
    }

    /// What memory holds against a call; `None` if nothing, or if it does not answer in time.
    pub(crate) async fn of(
        &self,
        call_id: CallId,
        call: &BlockedTarget,
        pairs: Vec<TagPair>,
    ) -> Option<MemoryGuard> {
        let patience = self.patience.filter(|_| !self.is_silent.load(Ordering::Relaxed))?;
        let (send, answer) = oneshot::channel();
        self.waiting().insert(call_id, send);
        if let Err(error) = self.sender.publish(GuardQuery { call_id, call: call.clone(), pairs }) {
            tracing::debug!(%error, "memory could not be asked about a call");
            self.waiting().remove(&call_id);
            return None;
        }
        match timeout(patience, answer).await {
            Ok(answered) => answered.ok().flatten(),
            Err(_elapsed) => {
                tracing::warn!("memory did not answer about a call; it is not asked again in this run");
                self.is_silent.store(true, Ordering::Relaxed);
                self.waiting().remove(&call_id);
                None
            }
        }
    }

    /// Delivers an answer to the call that waits for it.
    pub(crate) fn answered(&self, reply: &GuardReply) {
        if let Some(waiting) = self.waiting().remove(&reply.call_id) {
            // If the call has ended meanwhile, the answer is not needed.
            let _ = waiting.send(reply.guard.clone());
        }
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<CallId, oneshot::Sender<Option<MemoryGuard>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
