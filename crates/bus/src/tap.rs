//! Tap: every message of every run, for the auditor.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use crate::observer::{Lanes, Observed, Watch};
use crate::observer_queue::Lane;

/// Observes all open and future runs. Lossy like an [`crate::Observer`].
///
/// Messages of a run arrive in order; between runs, a message that was published after another was received
/// comes after it.
pub struct Tap {
    watch: Watch<Arc<TapLane>>,
    lane: Arc<TapLane>,
}

impl Tap {
    pub(crate) fn new(capacity: usize) -> (Self, Arc<TapLane>) {
        let lane = Arc::new(TapLane { lane: Mutex::new(Lane::new(capacity)) });
        (Self { watch: Watch::new(Arc::clone(&lane)), lane: Arc::clone(&lane) }, lane)
    }

    /// The next message or account of a loss; `None` when the bus was dropped or the tap stopped, and
    /// everything was delivered. Cancel-safe.
    pub async fn recv(&mut self) -> Option<Observed> {
        self.watch.recv().await
    }

    /// Non-blocking version of [`Tap::recv`]: `None` if nothing is available now.
    pub fn try_recv(&mut self) -> Option<Observed> {
        self.watch.try_recv()
    }

    /// Blocking version of [`Tap::recv`], for a dedicated thread. Must not be called on a thread that runs
    /// async tasks.
    pub fn blocking_recv(&mut self) -> Option<Observed> {
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut context = Context::from_waker(&waker);
        let mut next = std::pin::pin!(self.watch.recv());
        loop {
            match next.as_mut().poll(&mut context) {
                Poll::Ready(observed) => return observed,
                Poll::Pending => std::thread::park(),
            }
        }
    }

    /// A handle that stops this tap from elsewhere.
    pub fn stop_handle(&self) -> TapStop {
        TapStop { lane: Arc::clone(&self.lane) }
    }
}

/// Stops a [`Tap`] from elsewhere: it accepts no more messages, delivers those that it has, and then ends.
#[derive(Clone)]
pub struct TapStop {
    lane: Arc<TapLane>,
}

impl TapStop {
    /// Stops the tap.
    pub fn stop(&self) {
        self.lane.close();
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.lane.with(Lane::abandon);
    }
}

/// A tap's lane, shared by the tap and every run.
pub(crate) struct TapLane {
    lane: Mutex<Lane>,
}

impl TapLane {
    pub(crate) fn close(&self) {
        if let Some(waker) = self.with(Lane::close) {
            waker.wake();
        }
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.with(|lane| lane.is_abandoned())
    }
}

impl Lanes for TapLane {
    /// No code under this lock can leave the lane inconsistent, so a poisoned lock is usable.
    fn with<T>(&self, work: impl FnOnce(&mut Lane) -> T) -> T {
        work(&mut self.lane.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Lanes for Arc<TapLane> {
    fn with<T>(&self, work: impl FnOnce(&mut Lane) -> T) -> T {
        self.as_ref().with(work)
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
