//! Observers: whoever watches a run without taking part in it.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, ready};

use artoo_types::{Envelope, RunId};
use tokio::task::coop::cooperative;

use crate::lane::{Inbox, Lane};
use crate::run::Run;

/// Watches one run: every message of every role, in order, from the moment it was made.
///
/// It never slows a publisher. When it falls behind by more than its capacity it loses the oldest messages, and is told
/// which before it gets the next one. What it received and what it was told it lost are together everything.
pub struct Observer {
    pub(crate) watch: Watch<InRun>,
}

impl Observer {
    /// The next message or account of a loss; `None` when the run is closed and everything was handed out.
    ///
    /// Cancel-safe: a dropped future has taken nothing.
    pub async fn recv(&mut self) -> Option<Observed> {
        self.watch.recv().await
    }

    /// As [`Observer::recv`], without waiting: `None` where nothing is there now.
    pub fn try_recv(&mut self) -> Option<Observed> {
        self.watch.try_recv()
    }
}

/// What an observer or a tap gets.
#[derive(Clone, Debug, PartialEq)]
pub enum Observed {
    /// A message.
    Message(Arc<Envelope>),
    /// Messages were lost here, because the observer was slow.
    Lagged(Lag),
}

impl Observed {
    /// The message, where it is one.
    pub fn envelope(&self) -> Option<&Arc<Envelope>> {
        match self {
            Self::Message(envelope) => Some(envelope),
            Self::Lagged(_) => None,
        }
    }
}

/// Exactly what an observer lost since the last thing it got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lag {
    /// One range for each run, in order of run id.
    pub ranges: Vec<LostRange>,
}

impl Lag {
    /// How many messages were lost.
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
    /// How many messages, at least 1.
    pub fn count(&self) -> u64 {
        self.last_seq.saturating_sub(self.first_seq).saturating_add(1)
    }
}

/// The reading end of a lane, wherever the lane lives.
pub(crate) struct Watch<L: Lanes> {
    lanes: L,
    inbox: Inbox,
}

/// Where a reader finds its lane: under its run's lock (an observer) or under a lock of its own (a tap).
pub(crate) trait Lanes {
    /// Works on the lane under its lock.
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

/// An observer's lane lives under the lock that every publisher takes anyway.
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
