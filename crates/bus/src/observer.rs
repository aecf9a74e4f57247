//! Observers: whoever watches a run without taking part in it.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};

use artoo_types::{Envelope, RunId};
use tokio::task::coop::cooperative;

use crate::lane::Lane;

/// Watches one run: every message of every role, in order, from the moment it was made.
///
/// It never slows a publisher. When it falls behind by more than its capacity it loses the oldest messages, and is told
/// which before it gets the next one. What it received and what it was told it lost are together everything.
pub struct Observer {
    pub(crate) watch: Watch,
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

/// A lane as the bus and its reader share it.
pub(crate) type SharedLane = Arc<Mutex<Lane>>;

/// The reading end of a lane.
pub(crate) struct Watch {
    pub(crate) lane: SharedLane,
    inbox: VecDeque<Observed>,
}

impl Watch {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { lane: Arc::new(Mutex::new(Lane::new(capacity))), inbox: VecDeque::new() }
    }

    pub(crate) async fn recv(&mut self) -> Option<Observed> {
        cooperative(poll_fn(|cx| {
            if self.inbox.is_empty() {
                std::task::ready!(locked(&self.lane, |lane| lane.poll_take(&mut self.inbox, cx)));
            }
            std::task::Poll::Ready(self.inbox.pop_front())
        }))
        .await
    }

    pub(crate) fn try_recv(&mut self) -> Option<Observed> {
        if self.inbox.is_empty() {
            locked(&self.lane, |lane| lane.take(&mut self.inbox));
        }
        self.inbox.pop_front()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        locked(&self.lane, Lane::abandon);
    }
}

/// Nothing that runs under a lane's lock can leave it half changed, so a poisoned lock is as good as any.
pub(crate) fn locked<T>(lane: &Mutex<Lane>, work: impl FnOnce(&mut Lane) -> T) -> T {
    work(&mut lane.lock().unwrap_or_else(PoisonError::into_inner))
}
