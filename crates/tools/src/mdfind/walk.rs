//! Parallel walk of the home folder, used when no index is available.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ignore::{WalkBuilder, WalkState};
use tokio_util::sync::CancellationToken;

use super::filter::{Rules, Sifted};

/// More threads than that only wait for the disk.
const THREADS: usize = 4;

/// The result of a walk.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    pub(crate) sifted: Sifted,
    pub(crate) seen: u64,
    pub(crate) unreadable: u64,
    /// The walk timed out or was cancelled.
    pub(crate) incomplete: bool,
}

/// Walks in parallel, without following symlinks, until the end, the time limit or cancellation. Keeps at
/// most `most` entries. Blocks.
pub(crate) fn walk(rules: &Rules, most: usize, time: Duration, cancel: &CancellationToken) -> Walked {
    let begin = Instant::now();
    let sifted = Mutex::new(Sifted::default());
    let (seen, unreadable, incomplete) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    let mut builder = WalkBuilder::new(&rules.home);
    builder.standard_filters(false).follow_links(false).threads(threads);
    builder.build_parallel().run(|| {
        Box::new(|entry| {
            if cancel.is_cancelled() || begin.elapsed() > time {
                incomplete.store(true, Ordering::Relaxed);
                return WalkState::Quit;
            }
            let Ok(entry) = entry else {
                unreadable.fetch_add(1, Ordering::Relaxed);
                return WalkState::Continue;
            };
            if entry.depth() == 0 {
                return WalkState::Continue;
            }
            seen.fetch_add(1, Ordering::Relaxed);
            let lock = || sifted.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(reason) = rules.leaves_out(entry.path()) {
                *lock().left_out.entry(reason).or_default() += 1;
                return WalkState::Skip;
            }
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            if rules.query.fits(&entry.file_name().to_string_lossy(), is_folder) {
                match entry.metadata() {
                    Ok(metadata) => {
                        let mut sifted = lock();
                        rules.entry(entry.into_path(), &metadata, &mut sifted);
                        // Periodic sorting and truncating bounds the memory.
                        if sifted.listed.len() >= most.saturating_mul(2).max(1_000) {
                            sifted.keep(most);
                        }
                    }
                    Err(_) => drop(unreadable.fetch_add(1, Ordering::Relaxed)),
                }
            }
            WalkState::Continue
        })
    });
    let mut sifted = sifted.into_inner().unwrap_or_else(PoisonError::into_inner);
    sifted.keep(most);
    Walked {
        sifted,
        seen: seen.into_inner(),
        unreadable: unreadable.into_inner(),
        incomplete: incomplete.into_inner(),
    }
}
