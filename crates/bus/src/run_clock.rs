//! Clock of one run, which is paused while a person is asked.

use std::time::Duration;

/// Measures the time that a run has used. The caller passes in the monotonic time.
#[derive(Debug)]
pub(crate) struct RunClock {
    started: Duration,
    paused_before: Duration,
    /// Number of open questions; the clock resumes when the last one is answered.
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

    /// Ends one pause. Does nothing without an open pause.
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
