//! Time limits that pause while a person is asked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

/// Total time that a piece of work has waited for people. Clones share one count.
#[derive(Debug, Clone, Default)]
pub struct PauseClock(Arc<Mutex<Resting>>);

#[derive(Debug, Default)]
struct Resting {
    before: Duration,
    /// Number of open questions, and since when at least one is open.
    open: u32,
    since: Option<Instant>,
}

impl PauseClock {
    /// The time so far, including an open question.
    pub fn total(&self) -> Duration {
        let resting = self.resting();
        resting.before + resting.since.map(|since| since.elapsed()).unwrap_or_default()
    }

    /// Starts a pause, which lasts until the guard is dropped.
    pub fn begin(&self) -> impl Drop + use<> {
        let mut resting = self.resting();
        resting.open += 1;
        resting.since.get_or_insert_with(Instant::now);
        Open(self.clone())
    }

    fn resting(&self) -> MutexGuard<'_, Resting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An open question.
struct Open(PauseClock);

impl Drop for Open {
    fn drop(&mut self) {
        let mut resting = self.0.resting();
        resting.open = resting.open.saturating_sub(1);
        if resting.open == 0
            && let Some(since) = resting.since.take()
        {
            resting.before += since.elapsed();
        }
    }
}

/// Awaits a future with a time limit that excludes time spent waiting for people. `None` on timeout.
/// ```
/// # async fn example() {
/// use artoo_consent::{PauseClock, within};
/// use std::time::Duration;
///
/// assert_eq!(within(Duration::from_secs(1), &PauseClock::default(), async { 3 }).await, Some(3));
/// # }
/// ```
pub async fn within<T>(limit: Duration, clock: &PauseClock, work: impl Future<Output = T>) -> Option<T> {
    let mut work = std::pin::pin!(work);
    let rested_before = clock.total();
    let begun = Instant::now();
    loop {
        let due = begun + limit + clock.total().saturating_sub(rested_before);
        match timeout_at(due, &mut work).await {
            Ok(done) => return Some(done),
            Err(_) if begun + limit + clock.total().saturating_sub(rested_before) > Instant::now() => {}
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn the_limit_rests_while_somebody_is_asked() {
        let clock = PauseClock::default();
        let asked = clock.clone();
        let work = async move {
            sleep(SECOND * 5).await;
            let (one, two) = (asked.begin(), asked.begin());
            sleep(SECOND * 1_000).await;
            drop(one);
            sleep(SECOND * 1_000).await;
            drop(two);
            sleep(SECOND * 4).await;
        };
        assert_eq!(within(SECOND * 10, &clock, work).await, Some(()));
        assert_eq!(clock.total(), SECOND * 2_000);
        // Earlier waits belong to other work.
        assert_eq!(within(SECOND * 10, &clock, sleep(SECOND * 11)).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn after_the_answer_the_rest_of_the_time_is_left() {
        let clock = PauseClock::default();
        let asked = clock.clone();
        let begun = Instant::now();
        let work = async move {
            sleep(SECOND * 8).await;
            let open = asked.begin();
            sleep(SECOND * 100).await;
            drop(open);
            std::future::pending::<()>().await;
        };
        assert_eq!(within(SECOND * 10, &clock, work).await, None);
        assert_eq!(begun.elapsed().as_secs(), 110);
    }
}
