//! The activities of a run: what goes on in it now, for those who wait.
//!
//! Each activity has one slot, and a new report replaces the one before it. So a writer never waits, nothing is queued
//! for a reader that is slow, and a reader looks as often as it likes. Nothing of it is a message or is recorded.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use artoo_types::{ActivityReport, Progress, Role, SubTaskId};

use crate::run::Run;

/// The open activities of one run.
#[derive(Default)]
pub(crate) struct Board(Mutex<Slots>);

#[derive(Default)]
struct Slots {
    last: u64,
    /// In the order of beginning.
    open: Vec<Slot>,
}

struct Slot {
    number: u64,
    role: Role,
    subtask_id: Option<SubTaskId>,
    began: Duration,
    reported: Duration,
    progress: Progress,
}

impl Board {
    fn slots(&self) -> MutexGuard<'_, Slots> {
        // A panic elsewhere leaves whole slots.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The activities of a run, to begin and to look at. It keeps no run open.
///
/// ```
/// use std::sync::Arc;
/// use artoo_bus::{Bus, BusLimits, SystemClock};
/// use artoo_types::{Progress, Role, RunId};
///
/// let bus = Bus::new(Arc::new(SystemClock::new()), BusLimits::default());
/// let activities = bus.open(RunId::OPERATOR).unwrap().activities();
/// let call = activities.begin(Role::Planner, None, Progress::WaitingForModel);
/// call.report(Progress::ReadingPrompt { done: 256, total: 1000 });
/// assert_eq!(activities.now()[0].progress, Progress::ReadingPrompt { done: 256, total: 1000 });
/// drop(call);
/// assert!(activities.now().is_empty());
/// ```
#[derive(Clone)]
pub struct Activities(pub(crate) Arc<Run>);

impl Activities {
    /// Begins an activity. It lasts until the returned value is dropped.
    pub fn begin(&self, role: Role, subtask_id: Option<SubTaskId>, progress: Progress) -> Activity {
        let now = self.0.monotonic();
        let mut slots = self.0.board.slots();
        slots.last += 1;
        let number = slots.last;
        slots.open.push(Slot { number, role, subtask_id, began: now, reported: now, progress });
        Activity { run: Arc::clone(&self.0), number }
    }

    /// What goes on now, in the order of beginning.
    pub fn now(&self) -> Vec<ActivityReport> {
        let now = self.0.monotonic();
        let since = |then: Duration| u64::try_from(now.saturating_sub(then).as_millis()).unwrap_or(u64::MAX);
        let report = |slot: &Slot| ActivityReport {
            activity: slot.number,
            role: slot.role,
            subtask_id: slot.subtask_id,
            age_ms: since(slot.began),
            reported_ms: since(slot.reported),
            progress: slot.progress.clone(),
        };
        self.0.board.slots().open.iter().map(report).collect()
    }
}

impl std::fmt::Debug for Activities {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Activities").field("run", &self.0.id).finish_non_exhaustive()
    }
}

/// An activity that goes on. Dropping it ends it.
pub struct Activity {
    run: Arc<Run>,
    number: u64,
}

impl Activity {
    /// Replaces what was reported before. Never waits for a reader.
    pub fn report(&self, progress: Progress) {
        let now = self.run.monotonic();
        let mut slots = self.run.board.slots();
        if let Some(slot) = slots.open.iter_mut().find(|slot| slot.number == self.number) {
            (slot.reported, slot.progress) = (now, progress);
        }
    }
}

impl Drop for Activity {
    fn drop(&mut self) {
        self.run.board.slots().open.retain(|slot| slot.number != self.number);
    }
}

impl std::fmt::Debug for Activity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Activity").field("number", &self.number).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use artoo_types::RunId;

    use super::*;
    use crate::{Bus, BusLimits, ManualClock};

    /// The latest report counts, with its age and that of the activity; no message is made of it.
    #[test]
    fn a_reader_sees_the_latest_of_each_and_the_run_records_nothing() {
        let clock = Arc::new(ManualClock::new("2026-03-01T12:00:00+01:00".parse().unwrap()));
        let bus = Bus::new(Arc::clone(&clock) as _, BusLimits::default());
        let run = bus.open(RunId::OPERATOR).unwrap();
        let mut observer = run.observe(4);
        let executor = run.port(Role::Executor).unwrap();
        let call = executor.sender().begin_activity(None, Progress::WaitingForModel);
        clock.advance(Duration::from_secs(2));
        let other = run.activities().begin(Role::Planner, None, Progress::Queued);
        for tokens in 1..=500 {
            call.report(Progress::ReceivingAnswer { tokens, within_ms: 0 });
        }
        clock.advance(Duration::from_millis(300));
        let now = run.activities().now();
        let ages: Vec<_> =
            now.iter().map(|one| (one.activity, one.role, one.age_ms, one.reported_ms)).collect();
        assert_eq!(ages, [(1, Role::Executor, 2300, 300), (2, Role::Planner, 300, 300)]);
        assert_eq!(now[0].progress, Progress::ReceivingAnswer { tokens: 500, within_ms: 0 });
        drop(call);
        assert_eq!(run.activities().now().len(), 1);
        drop(other);
        assert_eq!(run.activities().now(), []);
        assert_eq!(observer.try_recv(), None);
    }

    /// Whoever looks at the activities does not keep the run open.
    #[tokio::test]
    async fn a_reader_keeps_no_run_open() {
        let bus = Bus::new(Arc::new(crate::SystemClock::new()), BusLimits::default());
        let run = bus.open(RunId::OPERATOR).unwrap();
        let (mut observer, activities) = (run.observe(4), run.activities());
        drop(run);
        assert_eq!(observer.recv().await, None);
        assert_eq!(activities.now(), []);
    }
}
