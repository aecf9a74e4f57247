//! Schedules the Dreamer's cycles. Source: specification v0.8, R5 "Dreamer".

use std::time::Duration;

use artoo_mkct_memory::{Distiller, MemoryError, MemoryService, Template};
use artoo_types::DreamReport;
use tokio::sync::Notify;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

/// How often the memory dreams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rhythm {
    /// The time between two cycles without runs: five minutes, as in the specification.
    pub cycle: Duration,
    /// The quiet time after a run before a cycle starts.
    pub settle: Duration,
}

impl Default for Rhythm {
    fn default() -> Self {
        Self { cycle: Duration::from_secs(300), settle: Duration::from_secs(2) }
    }
}

/// How long the end of a process waits for a last cycle. The rest is due in the next one.
pub const LAST_CYCLE: Duration = Duration::from_millis(200);

/// Runs cycles of the Dreamer until the memory is closed: after a quiet time when `run_ended` was notified,
/// and after each period. One for the process, not one for each run. Cycles that changed something go to
/// `report`. Dropping the future stops it; unfinished work is due in the next cycle.
///
/// # Errors
///
/// The first failure of a cycle for another reason than a closed memory.
/// ```no_run
/// # async fn start(memory: &dyn artoo_mkct_memory::MemoryService) -> Result<(), artoo_mkct_memory::MemoryError> {
/// use artoo_mkct_memory::Template;
/// use artoo_shared_memory::{Rhythm, dream};
///
/// let run_ended = tokio::sync::Notify::new();
/// dream(memory, &Template, Rhythm::default(), &run_ended, |report| println!("{report:?}")).await
/// # }
/// ```
pub async fn dream(
    memory: &dyn MemoryService,
    distiller: &dyn Distiller,
    rhythm: Rhythm,
    run_ended: &Notify,
    mut report: impl FnMut(DreamReport),
) -> Result<(), MemoryError> {
    let mut ticks = interval_at(Instant::now() + rhythm.cycle, rhythm.cycle);
    // After a pause (a suspended laptop) one cycle is enough.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            // A process that is never quiet dreams periodically.
            () = run_ended.notified() => tokio::select! {
                _ = ticks.tick() => {}
                () = quiet(run_ended, rhythm.settle) => {}
            },
        }
        match memory.dream(distiller).await {
            Ok(did) if did.is_idle() => {}
            Ok(did) => report(did),
            Err(MemoryError::Closed) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// One cycle at the end of a process, without a model and within [`LAST_CYCLE`]. Returns its report if it
/// changed something.
///
/// # Errors
///
/// The memory's failure.
pub async fn last_dream(memory: &dyn MemoryService) -> Result<Option<DreamReport>, MemoryError> {
    match timeout(LAST_CYCLE, memory.dream(&Template)).await {
        Ok(did) => did.map(|did| (!did.is_idle()).then_some(did)),
        Err(_elapsed) => Ok(None),
    }
}

/// Waits until nothing has happened for this long.
async fn quiet(happens: &Notify, long: Duration) {
    while timeout(long, happens.notified()).await.is_ok() {}
}
