//! `Store`: the memory on disk, which keeps state, journal, snapshot and index in step.

mod dream;
mod dream_calls;
mod dream_log;
mod index_lookup;
mod operate;
mod recall;
mod service;
mod snapshot;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use artoo_mkct_memory::similar::Grams;
use artoo_mkct_memory::{Event, MemoryError, Rules};
use artoo_types::MegramId;
use chrono::{DateTime, FixedOffset};

use crate::StoreError;
use crate::disk::{Disk, RealDisk};
use crate::index::Index;
use crate::journal::{Entry, JournalError, Notice, Reading};
use crate::processes::{Claim, Log, Opened, Role};
use crate::state::State;
use crate::table::TableError;

/// Options to open a store. The clock and the ids come from outside.
pub struct Options {
    /// Its folder. Created if missing.
    pub folder: PathBuf,
    /// The Dreamer's rules.
    pub rules: Rules,
    /// Called for the time of every query.
    pub now: Box<dyn Fn() -> DateTime<FixedOffset> + Send + Sync>,
    /// Called for the id of every Megram that the memory creates itself; it must never return the same one
    /// twice.
    pub mint: Box<dyn Fn() -> MegramId + Send + Sync>,
    /// The file system.
    pub disk: Arc<dyn Disk>,
}

impl Options {
    /// A store in this folder on the machine's own disk, with the default rules.
    pub fn new(
        folder: impl Into<PathBuf>,
        now: impl Fn() -> DateTime<FixedOffset> + Send + Sync + 'static,
        mint: impl Fn() -> MegramId + Send + Sync + 'static,
    ) -> Self {
        Self {
            folder: folder.into(),
            rules: Rules::default(),
            now: Box::new(now),
            mint: Box::new(mint),
            disk: Arc::new(RealDisk),
        }
    }

    /// Sets the rules.
    pub fn rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// Sets the disk.
    pub fn disk(self, disk: Arc<dyn Disk>) -> Self {
        Self { disk, ..self }
    }
}

/// The memory on disk: a [`MemoryService`](artoo_mkct_memory::MemoryService) for runs, an
/// [`Operator`](crate::Operator) for a person.
///
/// Opening reads the events since the last snapshot. A write is visible at once in this process, on disk soon
/// after, and certainly on disk when [`flush`](artoo_mkct_memory::MemoryService::flush) returns.
/// ```
/// use artoo_memory_store::{Options, Store};
/// use artoo_mkct_memory::{MemoryService, matrix};
/// use artoo_types::{Entity, MegramId, MegramState, Space};
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let folder = tempfile::tempdir()?;
/// let now = || chrono::DateTime::UNIX_EPOCH.fixed_offset();
/// let mint = || MegramId::new(uuid::Uuid::now_v7());
/// let options = || Options::new(folder.path().join("memory"), now, mint);
/// let (space, entity) = (Space::intent("count"), Entity::local());
///
/// let store = Store::open(options())?;
/// let accepted = matrix::megram(mint(), MegramState::Accept, now(), space.clone(), entity.clone(), "used glob".to_owned());
/// store.write(accepted)?;
/// store.close().await?;
///
/// let next_day = Store::open(options())?;
/// assert_eq!(next_day.query_mk(&space, &entity).await?.attention, 0.9);
/// # next_day.close().await?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Store {
    options: Options,
    log: Log,
    state: RwLock<State>,
    /// Opened on demand.
    index: Mutex<Option<Index>>,
    /// Problems found at opening, and since.
    notices: Mutex<Vec<Notice>>,
    closed: AtomicBool,
}

impl Store {
    /// Opens the memory in a folder.
    ///
    /// # Errors
    ///
    /// [`StoreError`]: a newer artoo wrote there, or the folder cannot be read. Nothing was changed.
    pub fn open(options: Options) -> Result<Self, StoreError> {
        let (log, state, notices) = open(&options)?;
        Ok(Self {
            log,
            state: RwLock::new(state),
            index: Mutex::new(None),
            notices: Mutex::new(notices),
            closed: AtomicBool::new(false),
            options,
        })
    }

    /// Problems found, and how they were handled, oldest first.
    pub fn notices(&self) -> Vec<Notice> {
        let mut notices = self.lock_notices();
        notices.extend(self.log.take_notices());
        notices.clone()
    }

    /// The state, including the entries of other processes.
    fn state(&self) -> Result<RwLockReadGuard<'_, State>, StoreError> {
        self.follow()?;
        Ok(self.read())
    }

    /// The same, for changes.
    fn state_to_change(&self) -> Result<RwLockWriteGuard<'_, State>, StoreError> {
        self.follow()?;
        Ok(self.write_lock())
    }

    fn follow(&self) -> Result<(), StoreError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(MemoryError::Closed.into());
        }
        match self.log.follow() {
            Ok(entries) if entries.is_empty() => Ok(()),
            Ok(entries) => Ok(apply(&mut self.write_lock(), &entries)?),
            // The owner took a snapshot, and the files that this process was reading are gone.
            Err(JournalError::Reload { .. }) => self.reload(&mut self.write_lock()),
            Err(error) => Err(error.into()),
        }
    }

    /// Reloads snapshot and journal.
    fn reload(&self, state: &mut State) -> Result<(), StoreError> {
        let Options { folder, rules, disk, .. } = &self.options;
        let (mut anew, mut notices) = snapshot::newest(folder, disk.as_ref(), *rules)?;
        let Reading { entries, notices: found, .. } = self.log.read_from(anew.covers())?;
        notices.extend(found);
        apply(&mut anew, &entries)?;
        *state = anew;
        self.lock_notices().extend(notices);
        Ok(())
    }

    /// Queues an event for the disk and applies it to the state, atomically for readers of the state.
    fn append(&self, state: &mut State, event: Event) -> Result<(), StoreError> {
        self.log.append(self.now(), event.clone())?;
        Ok(state.apply(&event)?)
    }

    fn is_owner(&self) -> bool {
        matches!(self.log.role(), Role::Owner)
    }

    fn now(&self) -> DateTime<FixedOffset> {
        (self.options.now)()
    }

    fn folder(&self) -> &Path {
        &self.options.folder
    }

    // A panic of another thread leaves no partial change that matters: the journal's content is folded again.
    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_lock(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_notices(&self) -> MutexGuard<'_, Vec<Notice>> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Maximum attempts: a client that finds a gap because the owner has just taken a snapshot reads that.
const TRIES: usize = 4;

/// Takes the lock if it is free, then reads snapshot and journal: in this order neither is replaced while the
/// other is read.
fn open(options: &Options) -> Result<(Log, State, Vec<Notice>), StoreError> {
    let Options { folder, rules, disk, .. } = options;
    let mut tries = 1;
    loop {
        let claim = Claim::take(folder, Arc::clone(disk))?;
        let (is_owner, (mut state, mut notices)) =
            (claim.is_owner(), snapshot::newest(folder, disk.as_ref(), *rules)?);
        let Opened { log, entries, notices: found } = claim.open(state.covers())?;
        let is_overtaken = found.iter().any(|notice| matches!(notice, Notice::Missing { .. }));
        if is_overtaken && !is_owner && tries < TRIES {
            tries += 1;
            continue;
        }
        notices.extend(found);
        apply(&mut state, &entries)?;
        return Ok((log, state, notices));
    }
}

fn apply(state: &mut State, entries: &[(u64, Entry)]) -> Result<(), TableError> {
    entries.iter().try_for_each(|(_, entry)| match entry {
        Entry::Event(event) => state.apply(event),
        Entry::Snapshot { .. } => Ok(()),
    })
}

/// Waits for one of the store's own threads. Nothing else may be awaited here: a runtime's timers and tasks
/// would stand still.
fn wait<T>(what: impl Future<Output = T>) -> T {
    // Unconstrained: within a task of tokio its budget would never be refilled.
    futures_executor::block_on(tokio::task::unconstrained(what))
}

/// The words of a text and their parts.
fn grams(text: &str) -> Vec<u32> {
    Grams::of(text).as_slice().to_vec()
}

/// The sequence numbers of the events that wrote these Megrams, as far as the journal still has them.
fn written(entries: &[(u64, Entry)], ids: &BTreeSet<MegramId>) -> BTreeSet<u64> {
    let wrote = |entry: &Entry| match entry {
        Entry::Event(Event::Written(megram)) => ids.contains(&megram.id),
        Entry::Event(
            Event::Recalled { .. }
            | Event::Consolidated { .. }
            | Event::Demoted { .. }
            | Event::Forgotten { .. },
        )
        | Entry::Snapshot { .. } => false,
    };
    entries.iter().filter(|(_, entry)| wrote(entry)).map(|(seq, _)| *seq).collect()
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("folder", &self.options.folder).finish_non_exhaustive()
    }
}
