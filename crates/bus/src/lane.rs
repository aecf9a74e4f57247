//! An observer's queue: bounded, lossy, with an exact account of the loss.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use artoo_types::{Envelope, RunId};

use crate::mailbox::BATCH;
use crate::observer::{Lag, LostRange, Observed};

/// Drops the oldest message when it is full. Messages of one run come in order, so what is lost between two received
/// ones is one range per run.
pub(crate) struct Lane {
    queue: VecDeque<Arc<Envelope>>,
    capacity: usize,
    lost: BTreeMap<RunId, (u64, u64)>,
    waker: Option<Waker>,
    closed: bool,
    abandoned: bool,
}

impl Lane {
    /// A lane for `capacity` messages, at least one.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            queue: VecDeque::new(),
            capacity: capacity.max(1),
            lost: BTreeMap::new(),
            waker: None,
            closed: false,
            abandoned: false,
        }
    }

    pub(crate) fn push(&mut self, envelope: &Arc<Envelope>) -> Option<Waker> {
        if self.closed {
            return None;
        }
        if self.queue.len() >= self.capacity
            && let Some(oldest) = self.queue.pop_front()
        {
            self.lost
                .entry(oldest.run_id)
                .and_modify(|(_, last)| *last = oldest.seq)
                .or_insert((oldest.seq, oldest.seq));
        }
        self.queue.push_back(Arc::clone(envelope));
        self.waker.take()
    }

    pub(crate) fn close(&mut self) -> Option<Waker> {
        self.closed = true;
        self.waker.take()
    }

    /// The reader is gone: nothing is kept for it any more.
    pub(crate) fn abandon(&mut self) {
        *self = Self { closed: true, abandoned: true, ..Self::new(1) };
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned
    }

    /// Moves a batch into `inbox`, the account of the loss before the messages that came after it. Returns false where
    /// there is nothing.
    pub(crate) fn take(&mut self, inbox: &mut VecDeque<Observed>) -> bool {
        if self.queue.is_empty() {
            return false;
        }
        if !self.lost.is_empty() {
            let ranges = std::mem::take(&mut self.lost)
                .into_iter()
                .map(|(run_id, (first_seq, last_seq))| LostRange { run_id, first_seq, last_seq })
                .collect();
            inbox.push_back(Observed::Lagged(Lag { ranges }));
        }
        let batch = self.queue.len().min(BATCH);
        inbox.extend(self.queue.drain(..batch).map(Observed::Message));
        true
    }

    /// As [`Lane::take`], for a task that waits.
    pub(crate) fn poll_take(&mut self, inbox: &mut VecDeque<Observed>, cx: &mut Context<'_>) -> Poll<()> {
        if self.take(inbox) || self.closed {
            return Poll::Ready(());
        }
        match &mut self.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }
}
