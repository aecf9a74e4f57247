//! The tap: every message of every run, for the auditor.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use crate::observer::{Observed, SharedLane, Watch, locked};

/// Watches all runs, those that are open and those to come. Lossy like an [`crate::Observer`].
///
/// Within a run its messages come in order; between runs, a message that was published after another was received
/// comes after it.
pub struct Tap {
    pub(crate) watch: Watch,
}

impl Tap {
    /// The next message or account of a loss; `None` when the bus is gone or the tap was stopped, and everything was
    /// handed out. Cancel-safe.
    pub async fn recv(&mut self) -> Option<Observed> {
        self.watch.recv().await
    }

    /// As [`Tap::recv`], without waiting: `None` where nothing is there now.
    pub fn try_recv(&mut self) -> Option<Observed> {
        self.watch.try_recv()
    }

    /// As [`Tap::recv`], for a thread of its own. Must not be called on a thread that runs async tasks.
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

    /// A handle that ends this tap from elsewhere.
    pub fn stop_handle(&self) -> TapStop {
        TapStop { lane: Arc::clone(&self.watch.lane) }
    }
}

/// Ends a [`Tap`] from elsewhere: it takes no more messages, hands out those that it has, and then ends.
#[derive(Clone)]
pub struct TapStop {
    lane: SharedLane,
}

impl TapStop {
    /// Ends the tap.
    pub fn stop(&self) {
        if let Some(waker) = locked(&self.lane, |lane| lane.close()) {
            waker.wake();
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
