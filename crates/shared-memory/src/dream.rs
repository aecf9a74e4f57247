//! The Dreamer's timer. Source: specification v0.8, R5 "Dreamer".

use std::sync::Arc;
use std::time::Duration;

use artoo_mkct_memory::{MemoryError, MemoryService};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

/// The specification's time between two cycles: five minutes.
pub const CYCLE: Duration = Duration::from_secs(300);

/// Lets the memory dream again and again, first after one period, until it is closed. One for the process, not one for a
/// run. Dropping the future stops it between two cycles.
///
/// # Errors
///
/// The first cycle that fails for another reason than that the memory is closed.
///
/// ```no_run
/// # fn start(memory: std::sync::Arc<dyn artoo_mkct_memory::MemoryService>) {
/// let dreamer = tokio::spawn(artoo_shared_memory::dream(memory, artoo_shared_memory::CYCLE));
/// # drop(dreamer); }
/// ```
pub async fn dream(memory: Arc<dyn MemoryService>, every: Duration) -> Result<(), MemoryError> {
    let mut ticks = interval_at(Instant::now() + every, every);
    // After a pause (a laptop that slept) one cycle is enough.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match memory.dream().await {
            Ok(_) => {}
            Err(MemoryError::Closed) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}
