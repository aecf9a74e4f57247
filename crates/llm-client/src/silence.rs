//! How long a role may hear nothing: a limit of time that starts anew with each model call, and rests while the run waits.

use std::{
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, timeout_at};

/// The silence around a piece of work. Clones share it.
///
/// A fixed limit over many model calls would end work that is making progress, and one shorter than a call's own
/// time-out would end the call. So the limit is one of silence: it starts anew whenever something was [heard](Self::heard), and it
/// [rests](Self::rest) while the run waits for a person, or for a tool that has limits of its own.
#[derive(Clone, Debug, Default)]
pub struct Silence(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    times: Mutex<Times>,
    /// It rests when this one rests, too.
    above: Option<Silence>,
}

#[derive(Debug, Default)]
struct Times {
    /// When something was heard last, and how long it had rested by then.
    heard: Option<(Instant, Duration)>,
    /// How long it has rested, the open rests left out.
    rested: Duration,
    /// The number of open rests, and since when there is one.
    open: u32,
    since: Option<Instant>,
}

impl Silence {
    /// One that rests whenever this one does, and hears for itself.
    #[must_use]
    pub fn below(&self) -> Self {
        Self(Arc::new(Shared { times: Mutex::default(), above: Some(self.clone()) }))
    }

    /// Something was heard: a model call ended, or a tool did. Limits start anew.
    pub fn heard(&self) {
        let rested = self.rested();
        self.times().heard = Some((Instant::now(), rested));
    }

    /// Rests until the returned value is dropped.
    pub fn rest(&self) -> Rest {
        let mut times = self.times();
        times.open = times.open.saturating_add(1);
        times.since.get_or_insert_with(Instant::now);
        Rest(self.clone())
    }

    /// Waits for work that may be silent for this long. `None` if it was silent for longer; it is dropped then.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// use artoo_llm_client::Silence;
    /// use std::time::Duration;
    ///
    /// let silence = Silence::default();
    /// assert_eq!(silence.at_most(Duration::from_secs(1), async { 3 }).await, Some(3));
    /// assert_eq!(silence.at_most(Duration::ZERO, std::future::pending::<()>()).await, None);
    /// # });
    /// ```
    pub async fn at_most<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
        let mut work = std::pin::pin!(work);
        let (mut from, mut rested) = (Instant::now(), self.rested());
        loop {
            let rests = self.rested().saturating_sub(rested);
            let Some(due) = from.checked_add(limit.saturating_add(rests)) else {
                return Some(work.await);
            };
            if let Ok(done) = timeout_at(due, &mut work).await {
                return Some(done);
            }
            let heard = self.times().heard;
            if let Some(heard) = heard.filter(|(heard, _)| *heard > from) {
                (from, rested) = heard;
            } else if self.rested().saturating_sub(rested) <= rests {
                return None;
            }
        }
    }

    /// How long it has rested, the open rest included.
    fn rested(&self) -> Duration {
        let above = self.0.above.as_ref().map(Self::rested).unwrap_or_default();
        let times = self.times();
        times.rested + times.since.map(|since| since.elapsed()).unwrap_or_default() + above
    }

    fn times(&self) -> MutexGuard<'_, Times> {
        // Each change is a single assignment or leaves a number too high by one, which delays a limit at most.
        self.0.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A rest of a [`Silence`], until it is dropped.
#[derive(Debug)]
#[must_use = "it rests until this is dropped"]
pub struct Rest(Silence);

impl Drop for Rest {
    fn drop(&mut self) {
        let mut times = self.0.times();
        times.open = times.open.saturating_sub(1);
        if times.open == 0
            && let Some(since) = times.since.take()
        {
            times.rested += since.elapsed();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Work of any length may go on, as long as something is heard of it.
    #[tokio::test(start_paused = true)]
    async fn a_limit_starts_anew_with_what_is_heard() {
        let silence = Silence::default();
        let heard = silence.clone();
        let begun = Instant::now();
        let work = async move {
            for _ in 0..100 {
                sleep(9 * SECOND).await;
                heard.heard();
            }
        };
        assert_eq!(silence.at_most(10 * SECOND, work).await, Some(()));
        assert_eq!(begun.elapsed(), 900 * SECOND);
        let heard = silence.clone();
        let hangs = async move {
            sleep(5 * SECOND).await;
            heard.heard();
            std::future::pending::<()>().await;
        };
        let begun = Instant::now();
        assert_eq!(silence.at_most(10 * SECOND, hangs).await, None);
        assert_eq!(begun.elapsed(), 15 * SECOND);
        // What others heard before it began is not its own.
        let begun = Instant::now();
        assert_eq!(silence.at_most(10 * SECOND, std::future::pending::<()>()).await, None);
        assert_eq!(begun.elapsed(), 10 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn it_rests_with_the_run() {
        let run = Silence::default();
        let (role, other) = (run.below(), run.below());
        let begun = Instant::now();
        let (all, own) = (run.clone(), role.clone());
        let hangs = async move {
            sleep(4 * SECOND).await;
            let rest = all.rest();
            sleep(1_000 * SECOND).await;
            drop(rest);
            sleep(SECOND).await;
            let rest = own.rest();
            sleep(100 * SECOND).await;
            drop(rest);
            std::future::pending::<()>().await;
        };
        let beside = async move {
            let ended = other.at_most(10 * SECOND, std::future::pending::<()>()).await;
            (ended, begun.elapsed())
        };
        let (ended, beside) = tokio::join!(role.at_most(10 * SECOND, hangs), beside);
        assert_eq!((ended, begun.elapsed()), (None, 1_110 * SECOND));
        assert_eq!(beside, (None, 1_010 * SECOND), "the rest of one role is not that of another");
    }

    #[tokio::test(start_paused = true)]
    async fn no_limit_is_too_long_to_be_kept() {
        let work = async { sleep(SECOND).await };
        assert_eq!(Silence::default().at_most(Duration::MAX, work).await, Some(()));
    }
}
