//! Clocks: the [`Clock`] trait, the system clock, and a manual one for tests.

use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, FixedOffset, Local, Offset, Utc};

/// A source of time. Everything in artoo that needs the time is passed one; nothing else reads a clock.
///
/// [`Clock::monotonic`] must never go backwards. [`Clock::now`] may, as wall clocks do.
pub trait Clock: Send + Sync {
    /// Local date and time with its offset from UTC.
    fn now(&self) -> DateTime<FixedOffset>;

    /// Time since a fixed moment in the past. Only differences are meaningful.
    fn monotonic(&self) -> Duration;
}

/// The machine's clock: the only documented place in the libraries that reads it.
///
/// The local offset is looked up at most once a second, because the lookup may read the zone file; a change
/// of zone or of summer time takes effect within that second.
///
/// ```
/// use artoo_bus::{Clock, SystemClock};
/// let clock = SystemClock::new();
/// let before = clock.monotonic();
/// assert!(clock.monotonic() >= before);
/// assert_eq!(clock.now().offset(), chrono::Local::now().offset());
/// ```
#[derive(Debug)]
pub struct SystemClock {
    origin: Instant,
    offset_seconds: AtomicI32,
    looked_up_at: AtomicI64,
}

impl SystemClock {
    /// A clock whose monotonic time begins now.
    pub fn new() -> Self {
        let now = Local::now();
        Self {
            origin: Instant::now(),
            offset_seconds: AtomicI32::new(now.offset().fix().local_minus_utc()),
            looked_up_at: AtomicI64::new(now.timestamp()),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> DateTime<FixedOffset> {
        let now = Utc::now();
        if self.looked_up_at.load(Ordering::Relaxed) != now.timestamp() {
            self.looked_up_at.store(now.timestamp(), Ordering::Relaxed);
            let offset = now.with_timezone(&Local).offset().fix().local_minus_utc();
            self.offset_seconds.store(offset, Ordering::Relaxed);
        }
        let offset = FixedOffset::east_opt(self.offset_seconds.load(Ordering::Relaxed));
        now.with_timezone(&offset.unwrap_or_else(|| Utc.fix()))
    }

    fn monotonic(&self) -> Duration {
        self.origin.elapsed()
    }
}

/// A clock that only advances when told to, for tests and replays.
///
/// ```
/// use std::time::Duration;
/// use artoo_bus::{Clock, ManualClock};
/// let clock = ManualClock::new("2026-03-01T12:00:00+01:00".parse().unwrap());
/// clock.advance(Duration::from_secs(90));
/// assert_eq!(clock.now().to_rfc3339(), "2026-03-01T12:01:30+01:00");
/// assert_eq!(clock.monotonic(), Duration::from_secs(90));
/// ```
#[derive(Debug)]
pub struct ManualClock {
    start: DateTime<FixedOffset>,
    passed: Mutex<Duration>,
}

impl ManualClock {
    /// A clock that shows `start`.
    pub fn new(start: DateTime<FixedOffset>) -> Self {
        Self { start, passed: Mutex::new(Duration::ZERO) }
    }

    /// Advances both times.
    pub fn advance(&self, by: Duration) {
        let mut passed = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
        *passed = passed.saturating_add(by);
    }

    fn passed(&self) -> Duration {
        *self.passed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> DateTime<FixedOffset> {
        chrono::Duration::from_std(self.passed())
            .ok()
            .and_then(|passed| self.start.checked_add_signed(passed))
            .unwrap_or(self.start)
    }

    fn monotonic(&self) -> Duration {
        self.passed()
    }
}
