//! Background commands of one run.

pub(crate) mod job_tool;
pub(crate) mod output_buffer;
pub(crate) mod running;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::ToolError;
use running::Job;

/// Maximum number of jobs whose end was not reported yet: each keeps output.
const MOST: usize = 4;
/// How long a stopped command may take to end.
pub(crate) const END: Duration = Duration::from_secs(10);

/// The background commands of a run. Cheap to clone. They end when the run is cancelled, when this is closed,
/// and with the last clone.
#[derive(Clone, Default)]
pub struct Jobs(Arc<Mutex<Table>>);

#[derive(Default)]
struct Table {
    last: u64,
    /// Jobs whose end was not reported yet.
    jobs: BTreeMap<u64, Arc<Job>>,
}

impl Jobs {
    /// Whether a job is running, so that files may change between two calls.
    pub fn is_any_running(&self) -> bool {
        self.table().jobs.values().any(|job| job.is_running())
    }

    /// Stops all jobs and waits until their processes are gone. Returns the number and command of each job it
    /// ended.
    pub async fn close(&self) -> Vec<(u64, String)> {
        let jobs = std::mem::take(&mut self.table().jobs);
        for job in jobs.values() {
            job.stop();
        }
        let mut stopped = Vec::new();
        for (number, job) in jobs {
            job.wait(END).await;
            let was_stopped = job.take_outcome().is_none_or(|came| {
                came.is_ok_and(|outcome| outcome.ending == artoo_sandbox::Ending::Cancelled)
            });
            if was_stopped {
                stopped.push((number, job.command.clone()));
            }
        }
        stopped
    }

    /// Checks that one more job may start.
    ///
    /// # Errors
    ///
    /// The maximum number of jobs is reached.
    pub(crate) fn room(&self) -> Result<(), ToolError> {
        self.table().room()
    }

    /// Adds a job, and returns its number.
    ///
    /// # Errors
    ///
    /// The maximum number of jobs is reached. The job is dropped, which kills it.
    pub(crate) fn add(&self, job: Job) -> Result<(u64, Arc<Job>), ToolError> {
        let mut table = self.table();
        table.room()?;
        table.last += 1;
        let (number, job) = (table.last, Arc::new(job));
        table.jobs.insert(number, Arc::clone(&job));
        Ok((number, job))
    }

    /// The job with this number.
    ///
    /// # Errors
    ///
    /// There is none, or its end was already reported.
    pub(crate) fn get(&self, number: u64) -> Result<Arc<Job>, ToolError> {
        let table = self.table();
        let found = table.jobs.get(&number).cloned();
        found.ok_or_else(|| ToolError::argument("job", format!("names none; there {}", table.known())))
    }

    /// Removes a job whose end was reported.
    pub(crate) fn forget(&self, number: u64) {
        self.table().jobs.remove(&number);
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // A panic cannot leave it half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn room(&self) -> Result<(), ToolError> {
        if self.jobs.len() < MOST {
            return Ok(());
        }
        let known = self.known();
        let problem = format!("is for at most {MOST} at once: stop one, or take its end; there {known}");
        Err(ToolError::argument("background", problem))
    }

    fn known(&self) -> String {
        let known: Vec<_> = self.jobs.keys().map(u64::to_string).collect();
        if known.is_empty() { "are none".to_owned() } else { format!("are {}", known.join(", ")) }
    }
}

impl std::fmt::Debug for Jobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Jobs").field(&self.table().known()).finish()
    }
}
