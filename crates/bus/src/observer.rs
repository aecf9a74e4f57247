//! Observers: lossy, read-only subscribers of a run.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, ready};

use artoo_types::{Envelope, RunId};
use tokio::task::coop::cooperative;

use crate::observer_queue::{Inbox, Lane};
use crate::run::Run;

/// Observes one run: every message of every role, in order, from the observer's creation on.
///
/// It never slows a publisher. If it falls behind by more than its capacity it loses the oldest messages, and
/// is told which ones before it gets the next message. Received and reported lost messages together are all
/// messages.
pub struct Observer {
    pub(crate) watch: Watch<InRun>,
}

impl Observer {
    /// The next message or account of a loss; `None` when the run is closed and everything was delivered.
    ///
    /// Cancel-safe: a dropped future has taken nothing.
    pub async fn recv(&mut self) -> Option<Observed> {
        self.watch.recv().await
    }

    /// Non-blocking version of [`Observer::recv`]: `None` if nothing is available now.
    pub fn try_recv(&mut self) -> Option<Observed> {
        self.watch.try_recv()
    }
}

/// An item received by an observer or a tap.
#[derive(Clone, Debug, PartialEq)]
pub enum Observed {
    /// A message.
    Message(Arc<Envelope>),
    /// Messages were lost here because the observer was too slow.
    Lagged(Lag),
}

impl Observed {
    /// The message, if it is one.
    pub fn envelope(&self) -> Option<&Arc<Envelope>> {
        match self {
            Self::Message(envelope) => Some(envelope),
            Self::Lagged(_) => None,
        }
    }
}

/// The messages that an observer lost since the last item it received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lag {
    /// One range for each run, in order of run id.
    pub ranges: Vec<LostRange>,
}

impl Lag {
    /// Number of lost messages.
    pub fn count(&self) -> u64 {
        self.ranges.iter().map(LostRange::count).sum()
    }
}

/// Messages of one run that an observer lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostRange {
    /// The run.
    pub run_id: RunId,
    /// The first lost message.
    pub first_seq: u64,
    /// The last lost message.
    pub last_seq: u64,
}

impl LostRange {
    /// Number of messages, at least 1.
    pub fn count(&self) -> u64 {
        self.last_seq.saturating_sub(self.first_seq).saturating_add(1)
    }
}

/// The reading end of a lane, wherever the lane is stored.
pub(crate) struct Watch<L: Lanes> {
    lanes: L,
    inbox: Inbox,
}

/// Access to a reader's lane: under its run's lock (an observer) or under a lock of its own (a tap).
pub(crate) trait Lanes {
    /// Calls `work` on the lane under its lock.
    fn with<T>(&self, work: impl FnOnce(&mut Lane) -> T) -> T;
}

impl<L: Lanes> Watch<L> {
    pub(crate) fn new(lanes: L) -> Self {
        Self { lanes, inbox: Inbox::default() }
    }

    pub(crate) async fn recv(&mut self) -> Option<Observed> {
        let Self { lanes, inbox } = self;
        cooperative(poll_fn(|cx| {
            if inbox.is_empty() {
                ready!(lanes.with(|lane| lane.poll_take(inbox, cx)));
            }
            Poll::Ready(inbox.pop())
        }))
        .await
    }

    pub(crate) fn try_recv(&mut self) -> Option<Observed> {
        if self.inbox.is_empty() {
            self.lanes.with(|lane| lane.take(&mut self.inbox));
        }
        self.inbox.pop()
    }
}

/// An observer's lane, protected by the lock that every publisher takes anyway.
pub(crate) struct InRun {
    pub(crate) run: Arc<Run>,
    pub(crate) number: u64,
}

impl Lanes for InRun {
    fn with<T>(&self, work: impl FnOnce(&mut Lane) -> T) -> T {
        self.run.lock().with_observer(self.number, work)
    }
}

impl Drop for InRun {
    fn drop(&mut self) {
        self.run.lock().drop_observer(self.number);
    }
}
