//! The bus of a process: opens runs and taps all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use artoo_types::RunId;

use crate::run::Run;
use crate::tap::TapLane;
use crate::{BusError, Clock, RunBus, Tap};

/// Limits of the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusLimits {
    /// Maximum number of messages waiting in one role's mailbox, beyond the few that its port has already
    /// taken. One more is a [`BusError::Overflow`] and fails the run.
    pub mailbox: usize,
}

impl Default for BusLimits {
    /// 65,536 messages: far more than any run has in flight, so that only a receiver that stopped reading
    /// reaches it.
    fn default() -> Self {
        Self { mailbox: 65_536 }
    }
}

/// Handle of the bus. Clones share the same bus. Runs do not see each other; only a [`Tap`] sees all.
#[derive(Clone)]
pub struct Bus {
    registry: Arc<Registry>,
}

impl Bus {
    /// A bus that stamps its messages with this clock.
    pub fn new(clock: Arc<dyn Clock>, limits: BusLimits) -> Self {
        Self { registry: Arc::new(Registry { clock, limits, entries: Mutex::default() }) }
    }

    /// Opens a run.
    ///
    /// # Errors
    ///
    /// [`BusError::RunOpen`] while a run with this id is open.
    pub fn open(&self, run_id: RunId) -> Result<RunBus, BusError> {
        let Registry { clock, limits, .. } = self.registry.as_ref();
        let mut entries = self.registry.lock();
        if entries.runs.contains_key(&run_id) {
            return Err(BusError::RunOpen { run_id });
        }
        let run = Arc::new(Run::new(run_id, Arc::clone(clock), limits.mailbox, entries.live_taps()));
        entries.runs.insert(run_id, Arc::downgrade(&run));
        Ok(RunBus::new(run, Arc::clone(&self.registry)))
    }

    /// Taps all open and future runs. `capacity` is how many messages the tap may fall behind before it loses
    /// the oldest; at least 1.
    pub fn tap(&self, capacity: usize) -> Tap {
        let (tap, lane) = Tap::new(capacity);
        let mut entries = self.registry.lock();
        entries.taps.push(Arc::clone(&lane));
        for run in entries.runs.values().filter_map(Weak::upgrade) {
            let mut state = run.lock();
            if !state.closed {
                state.taps.push(Arc::clone(&lane));
            }
        }
        tap
    }

    /// The clock for timestamps.
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.registry.clock)
    }
}

/// State shared by all clones of a bus.
pub(crate) struct Registry {
    clock: Arc<dyn Clock>,
    limits: BusLimits,
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    runs: HashMap<RunId, Weak<Run>>,
    taps: Vec<Arc<TapLane>>,
}

impl Entries {
    fn live_taps(&mut self) -> Vec<Arc<TapLane>> {
        self.taps.retain(|lane| !lane.is_abandoned());
        self.taps.clone()
    }
}

impl Registry {
    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Unregisters a closed run; a later run with the same id stays.
    pub(crate) fn forget(&self, run: &Arc<Run>) {
        let mut entries = self.lock();
        if entries.runs.get(&run.id).is_some_and(|known| std::ptr::eq(known.as_ptr(), Arc::as_ptr(run))) {
            entries.runs.remove(&run.id);
        }
    }
}

impl Drop for Registry {
    /// When the bus is dropped, its taps deliver their remaining messages and end.
    fn drop(&mut self) {
        for lane in self.lock().taps.drain(..) {
            lane.close();
        }
    }
}
