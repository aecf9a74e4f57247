//! The clock of one run: it stops while a person is asked.

use std::time::Duration;

/// Counts the time that a run has used. Given the monotonic time from outside.
#[derive(Debug)]
pub(crate) struct RunClock {
    started: Duration,
    paused_before: Duration,
    /// How many questions are open; the clock goes on when the last is answered.
    depth: u32,
    paused_at: Duration,
}

impl RunClock {
    pub(crate) fn start(now: Duration) -> Self {
        Self { started: now, paused_before: Duration::ZERO, depth: 0, paused_at: now }
    }

    pub(crate) fn pause(&mut self, now: Duration) {
        if self.depth == 0 {
            self.paused_at = now;
        }
        self.depth = self.depth.saturating_add(1);
    }

    /// Ends one pause. Without an open pause it does nothing.
    pub(crate) fn resume(&mut self, now: Duration) {
        if self.depth == 1 {
            self.paused_before += now.saturating_sub(self.paused_at);
        }
        self.depth = self.depth.saturating_sub(1);
    }

    pub(crate) fn elapsed(&self, now: Duration) -> Duration {
        let until = if self.depth > 0 { self.paused_at } else { now };
        until.saturating_sub(self.started).saturating_sub(self.paused_before)
    }
}
