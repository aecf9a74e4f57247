//! Applies the retention of undo records when a run starts.

use std::{sync::PoisonError, time::Duration};

use tokio::time::Instant;

use crate::{artoo::Parts, runs};

/// Minimum interval between retention passes over the undo records, each of which visits every run's folder.
const RETENTION_CYCLE: Duration = Duration::from_secs(60 * 60);

/// Removes undo records that are too old or too large. On its own thread: neither the run nor the end of the
/// process waits for it.
pub(crate) fn expire_undo(parts: &Parts) {
    {
        let mut last = parts.retained.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < RETENTION_CYCLE) {
            return;
        }
        *last = Some(Instant::now());
    }
    let (data_folder, retention, now) =
        (parts.data_folder.clone(), parts.options.retention, parts.clock.now());
    let expire = move || {
        if let Err(error) = runs::expire_undo(&data_folder, retention, now) {
            tracing::warn!(%error, "old contents that are kept for undo could not be removed");
        }
    };
    if let Err(error) = std::thread::Builder::new().name("artoo-retention".to_owned()).spawn(expire) {
        tracing::warn!(%error, "old contents that are kept for undo are not looked at");
    }
}
