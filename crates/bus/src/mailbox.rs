//! A role's mailbox: lossless, bounded, read by one port at a time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use artoo_types::Envelope;

/// So many messages a port takes at once, so that it meets the run's lock once for all of them.
pub(crate) const BATCH: usize = 64;
/// A queue that grew beyond this gives its memory back when it is empty.
const KEEP: usize = 256;

/// Lives under the run's lock. Allocates nothing until the first message.
#[derive(Default)]
pub(crate) struct Mailbox {
    queue: VecDeque<Arc<Envelope>>,
    waker: Option<Waker>,
    /// Whether a port reads it now.
    pub(crate) open: bool,
    /// Counts the ports it has had; a sender of an earlier one may not publish any more.
    pub(crate) generation: u64,
}

impl Mailbox {
    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(crate) fn push(&mut self, envelope: &Arc<Envelope>) -> Option<Waker> {
        self.queue.push_back(Arc::clone(envelope));
        self.waker.take()
    }

    /// Moves a batch into `inbox`. Pending where nothing waits, and ready with an empty inbox where nothing ever will.
    pub(crate) fn poll_take(
        &mut self,
        inbox: &mut VecDeque<Arc<Envelope>>,
        closed: bool,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        if self.queue.is_empty() {
            if closed {
                return Poll::Ready(());
            }
            match &mut self.waker {
                Some(waker) => waker.clone_from(cx.waker()),
                none => *none = Some(cx.waker().clone()),
            }
            return Poll::Pending;
        }
        if self.queue.len() <= BATCH {
            std::mem::swap(&mut self.queue, inbox);
        } else {
            inbox.extend(self.queue.drain(..BATCH));
        }
        if self.queue.is_empty() && self.queue.capacity() > KEEP {
            self.queue = VecDeque::new();
        }
        Poll::Ready(())
    }

    /// Takes back what a dropped port had not delivered, in front of what came since.
    pub(crate) fn put_back(&mut self, mut inbox: VecDeque<Arc<Envelope>>) {
        self.open = false;
        self.waker = None;
        inbox.append(&mut self.queue);
        self.queue = inbox;
    }

    pub(crate) fn take_waker(&mut self) -> Option<Waker> {
        self.waker.take()
    }
}
