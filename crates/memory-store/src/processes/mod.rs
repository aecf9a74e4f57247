//! Sharing of one memory between processes: one owns it, the others send it their events. See
//! `docs/design/memory.md`.

mod committer;
mod protocol;
mod queue;
mod server;
mod socket;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use artoo_mkct_memory::Event;
use chrono::{DateTime, FixedOffset};

use self::committer::{Committer, Owned, Post};
use self::queue::{Answer, Queue, Task};
pub use self::queue::{Counts, Role};
use crate::disk::{Disk, Lock};
use crate::journal::{
    Encoded, Entry, Hash, Journal, JournalError, Notice, Place, Position, Reading, Repair, Tail, Verified,
    encode, read, verify,
};

/// A claim on a memory: the lock is taken, or its holder is known, and nothing was read yet. If an owner
/// reads a snapshot between this and [`Claim::open`], it cannot be replaced meanwhile.
#[derive(Debug)]
pub struct Claim {
    place: Place,
    held: Held,
}

#[derive(Debug)]
enum Held {
    Lock(Box<dyn Lock>),
    Other,
    Nothing { reason: String },
}

/// An opened journal, with its entries.
#[derive(Debug)]
pub struct Opened {
    /// The journal.
    pub log: Log,
    /// The entries after the position, by sequence number.
    pub entries: Vec<(u64, Entry)>,
    /// Problems to report.
    pub notices: Vec<Notice>,
}

/// The journal as used by every process.
#[derive(Debug)]
pub struct Log {
    place: Place,
    queue: Arc<Queue>,
    tail: Arc<Mutex<Tail>>,
    foreign: Mutex<u64>,
    committer: Mutex<Option<JoinHandle<()>>>,
}

impl Claim {
    /// Creates the folder if missing, and takes the lock if it is free.
    ///
    /// # Errors
    /// Written by a newer artoo. Nothing was changed.
    pub fn take(folder: &Path, disk: Arc<dyn Disk>) -> Result<Self, JournalError> {
        let place = Place::new(disk, folder);
        place.check_formats()?;
        let lock = place.disk.make_folder(folder).and_then(|()| place.disk.try_lock(&place.lock()));
        let held = match lock {
            Ok(Some(lock)) => Held::Lock(lock),
            Ok(None) => Held::Other,
            Err(error) => Held::Nothing { reason: error.to_string() },
        };
        Ok(Self { place, held })
    }

    /// Whether this process owns the memory.
    pub fn is_owner(&self) -> bool {
        matches!(self.held, Held::Lock(_))
    }

    /// Reads the entries after a position. The owner repairs torn or damaged segments; if the disk does not
    /// allow it, the process only reads.
    ///
    /// Without the lock, [`Notice::Missing`] may mean that the owner has taken a newer snapshot: read that,
    /// and open again.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn open(self, from: Position) -> Result<Opened, JournalError> {
        let Self { place, held } = self;
        let (role, post, reading) = match held {
            Held::Lock(lock) => match Journal::begin(place.clone(), from) {
                Ok((journal, reading)) => {
                    (Role::Owner, Post::Own(Box::new(Owned::new(journal, lock))), reading)
                }
                Err(error) => {
                    let role = Role::Reader { reason: error.to_string() };
                    (role, Post::Nowhere, read(&place, from, Repair::No)?)
                }
            },
            Held::Other => (Role::Client, Post::Nowhere, read(&place, from, Repair::No)?),
            Held::Nothing { reason } => {
                (Role::Reader { reason }, Post::Nowhere, read(&place, from, Repair::No)?)
            }
        };
        let queue = Arc::new(Queue::new(role.clone()));
        let tail = Arc::new(Mutex::new(reading.tail));
        if role == Role::Owner {
            queue.own(reading.tail, Vec::new());
        }
        // Entries that a client finds in the journal before it becomes its owner are new to it.
        let foreign = Mutex::new(u64::from(role == Role::Owner));
        let log = Log { place, queue, tail, foreign, committer: Mutex::new(None) };
        if !matches!(role, Role::Reader { .. }) {
            log.start(post)?;
        }
        Ok(Opened { log, entries: reading.entries, notices: reading.notices })
    }
}

impl Log {
    /// Queues an event, without waiting. [`Log::flush`] returns when it is on disk.
    ///
    /// # Errors
    /// Memory is read-only, the event is too long, or the queue is full.
    pub fn append(&self, at: DateTime<FixedOffset>, event: Event) -> Result<(), JournalError> {
        self.offer(at, &Entry::Event(event))
    }

    /// Queues a note of a snapshot of everything up to an event, without waiting.
    ///
    /// # Errors
    /// As [`Log::append`].
    pub fn note_snapshot(&self, at: DateTime<FixedOffset>, seq: u64, hash: Hash) -> Result<(), JournalError> {
        self.offer(at, &Entry::Snapshot { seq, hash })
    }

    /// Waits until every queued event is on disk, or lost. Cancel-safe. While another process owns the memory
    /// and does not answer, this waits; [`Log::close`] has a time limit.
    ///
    /// # Errors
    /// Events were lost since the last call.
    pub async fn flush(&self) -> Result<(), JournalError> {
        let target = self.queue.counts().accepted;
        let mut counts = self.queue.subscribe();
        // The sender lives as long as the queue, which this holds.
        drop(counts.wait_for(|counts| counts.durable + counts.lost >= target).await);
        self.queue.outcome()
    }

    /// Entries of other processes since the last call, up to [`Log::head`]. They may include events of this
    /// process, which does not matter to a fold. Without news, this checks the length of one file and the
    /// name of the next, and as owner not even that.
    ///
    /// # Errors
    /// The journal was compacted or repaired and does not continue from this process's position
    /// ([`JournalError::Reload`]), or cannot be read.
    pub fn follow(&self) -> Result<Vec<(u64, Entry)>, JournalError> {
        let mut tail = self.tail();
        let mut seen = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(durable) = self.queue.durable() else { return tail.follow(&self.place, u64::MAX) };
        if durable.foreign == *seen {
            *tail = durable.tail;
            return Ok(Vec::new());
        }
        let entries = tail.follow(&self.place, durable.tail.position().seq)?;
        *seen = durable.foreign;
        Ok(entries)
    }

    /// The entries after a position that are on disk now.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn read_from(&self, from: Position) -> Result<Reading, JournalError> {
        read(&self.place, from, Repair::No)
    }

    /// This process's position: every event up to it was returned by [`Log::follow`] or at opening, or came
    /// from this process. It moves with [`Log::follow`] only, so after [`Log::flush`] it may lag behind the disk.
    pub fn head(&self) -> Position {
        self.tail().position()
    }

    /// This process's current role.
    pub fn role(&self) -> Role {
        self.queue.role()
    }

    /// The fate of this process's events.
    pub fn counts(&self) -> Counts {
        self.queue.counts()
    }

    /// Problems since the last call.
    pub fn take_notices(&self) -> Vec<Notice> {
        self.queue.take_notices()
    }

    /// Permanently removes the content under these numbers, whichever process owns the memory, and returns
    /// how many there were. Blocks until done.
    ///
    /// # Errors
    /// A segment is damaged, cannot be rewritten, or the owner is gone.
    pub fn erase(&self, seqs: BTreeSet<u64>) -> Result<u64, JournalError> {
        self.ask(|answer| Task::Erase { seqs, answer })
    }

    /// As owner, removes the segments that contain only events before a number, and returns how many. Blocks
    /// until done.
    ///
    /// # Errors
    /// This process does not own the memory, or an I/O error.
    pub fn drop_before(&self, seq: u64) -> Result<u64, JournalError> {
        self.ask(|answer| Task::DropBefore { seq, answer })
    }

    /// Verifies every checksum, hash and link, without changing anything.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn verify(&self) -> Result<Verified, JournalError> {
        verify(&self.place)
    }

    /// Closes: queued events of this process and of its clients are written, and the lock is released. Waits
    /// for another owner at most this long.
    ///
    /// # Errors
    /// Events were lost since the last [`Log::flush`].
    pub fn close(&self, patience: Duration) -> Result<Counts, JournalError> {
        self.end(patience);
        self.queue.outcome().map(|()| self.queue.counts())
    }

    fn offer(&self, at: DateTime<FixedOffset>, entry: &Entry) -> Result<(), JournalError> {
        self.queue.offer(Encoded { written_at_ms: at.timestamp_millis(), line: encode(entry)? })
    }

    fn ask(&self, task: impl FnOnce(Answer<u64>) -> Task) -> Result<u64, JournalError> {
        let (answer, answers) = channel();
        self.queue.ask(task(answer))?;
        answers.recv().unwrap_or_else(|_| Err(queue::owner_said("it ended before it answered")))
    }

    fn start(&self, post: Post) -> Result<(), JournalError> {
        let (place, queue, read_to) = (self.place.clone(), Arc::clone(&self.queue), Arc::clone(&self.tail));
        let committer = Committer { place, queue, read_to, post };
        let thread = std::thread::Builder::new().name("memory-committer".to_owned());
        let spawned = thread.spawn(move || committer.run());
        let spawned = spawned.map_err(JournalError::io("start a thread for", &self.place.memory))?;
        *self.committer.lock().unwrap_or_else(PoisonError::into_inner) = Some(spawned);
        Ok(())
    }

    fn end(&self, patience: Duration) {
        self.queue.stop(patience);
        let committer = self.committer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(committer) = committer {
            drop(committer.join()); // it catches its panics and counts what they lose
        }
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}
