//! Wakers gathered under a lock and woken after it.

use std::task::Waker;

/// So many wakers fit without an allocation: every role, and a few observers.
const INLINE: usize = 16;

/// Waking under the run's lock would send the woken task straight into that lock.
#[derive(Default)]
pub(crate) struct WakeList {
    inline: [Option<Waker>; INLINE],
    len: usize,
    more: Vec<Waker>,
}

impl WakeList {
    pub(crate) fn push(&mut self, waker: Option<Waker>) {
        let Some(waker) = waker else { return };
        match self.inline.get_mut(self.len) {
            Some(slot) => {
                *slot = Some(waker);
                self.len += 1;
            }
            None => self.more.push(waker),
        }
    }

    pub(crate) fn wake(self) {
        for waker in self.inline.into_iter().take(self.len).flatten().chain(self.more) {
            waker.wake();
        }
    }
}
