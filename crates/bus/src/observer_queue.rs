//! Queue of an observer: bounded, lossy, with an exact account of lost messages.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use artoo_types::{Envelope, RunId};

use crate::observer::{Lag, LostRange, Observed};

/// Messages that the reader has taken and not yet delivered: the account of a loss comes before the messages
/// after it.
#[derive(Default)]
pub(crate) struct Inbox {
    messages: VecDeque<Arc<Envelope>>,
    lost: BTreeMap<RunId, (u64, u64)>,
}

impl Inbox {
    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    pub(crate) fn pop(&mut self) -> Option<Observed> {
        if self.lost.is_empty() {
            return self.messages.pop_front().map(Observed::Message);
        }
        let ranges = std::mem::take(&mut self.lost)
            .into_iter()
            .map(|(run_id, (first_seq, last_seq))| LostRange { run_id, first_seq, last_seq })
            .collect();
        Some(Observed::Lagged(Lag { ranges }))
    }
}

/// Drops the oldest message when full. Messages of one run arrive in order, so the losses between two
/// received messages are one range per run.
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

    /// An empty, closed lane.
    pub(crate) fn ended() -> Self {
        Self { closed: true, ..Self::new(1) }
    }

    /// Marks the reader as gone: no more messages are kept for it.
    pub(crate) fn abandon(&mut self) {
        *self = Self { abandoned: true, ..Self::ended() };
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned
    }

    /// Moves all messages to an empty inbox. Returns `false` if there are none.
    pub(crate) fn take(&mut self, inbox: &mut Inbox) -> bool {
        if self.queue.is_empty() {
            return false;
        }
        std::mem::swap(&mut self.queue, &mut inbox.messages);
        if !self.lost.is_empty() {
            inbox.lost = std::mem::take(&mut self.lost);
        }
        true
    }

    /// Async version of [`Lane::take`].
    pub(crate) fn poll_take(&mut self, inbox: &mut Inbox, cx: &mut Context<'_>) -> Poll<()> {
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
