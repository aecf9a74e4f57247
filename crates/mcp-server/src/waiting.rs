//! Runs that wait for an answer in another call.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use artoo_runtime::UserQuestion;
use artoo_types::RunId;

use crate::follow::{FollowedRun, finish_alone};

/// How long a run waits: afterwards the answer is a no.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// A run that waits, with its question.
pub(crate) struct WaitingRun {
    pub(crate) followed: FollowedRun,
    pub(crate) question: UserQuestion,
}

/// The runs that wait. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct WaitingRuns(Arc<Mutex<Table>>);

#[derive(Default)]
struct Table {
    runs: HashMap<RunId, (u64, WaitingRun)>,
    last: u64,
}

impl WaitingRuns {
    /// Keeps a run until its answer comes, or nobody gives one.
    pub(crate) fn keep(&self, waiting: WaitingRun) {
        let run = waiting.followed.run.id();
        let number = {
            let mut table = self.table();
            table.last += 1;
            let number = table.last;
            table.runs.insert(run, (number, waiting));
            number
        };
        let runs = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            // A later question of the same run has its own time.
            if let Some(waiting) = runs.take_if(run, |waits| waits == number) {
                finish_alone(waiting.followed, &waiting.question).await;
            }
        });
    }

    /// Takes out a run, to answer it.
    pub(crate) fn take(&self, run: RunId) -> Option<WaitingRun> {
        self.take_if(run, |_| true)
    }

    fn take_if(&self, run: RunId, is_it: impl Fn(u64) -> bool) -> Option<WaitingRun> {
        let mut table = self.table();
        let waits = table.runs.get(&run).is_some_and(|(number, _)| is_it(*number));
        if waits { table.runs.remove(&run).map(|(_, waiting)| waiting) } else { None }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Every change is whole, so a panic elsewhere leaves it right.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
