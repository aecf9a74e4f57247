//! One memory, several processes: one of them owns it, the others send their events to it. See
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

/// A place in a memory: the lock is taken, or it is known who has it, and nothing was read. Who reads a
/// snapshot between this and [`Claim::open`] can be sure, as owner, that nobody replaces it meanwhile.
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

/// A journal that was opened, with what it says.
#[derive(Debug)]
pub struct Opened {
    /// The journal.
    pub log: Log,
    /// What happened after the position, by sequence numbers.
    pub entries: Vec<(u64, Entry)>,
    /// What is to be told.
    pub notices: Vec<Notice>,
}

/// The journal, as all processes use it.
#[derive(Debug)]
pub struct Log {
    place: Place,
    queue: Arc<Queue>,
    tail: Arc<Mutex<Tail>>,
    foreign: Mutex<u64>,
    committer: Mutex<Option<JoinHandle<()>>>,
}

impl Claim {
    /// Makes the folder where it is not there, and takes the lock where it is free.
    ///
    /// # Errors
    /// A newer artoo wrote here. Nothing was touched.
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

    /// Reads what comes after a position. The owner makes whole what is torn or damaged; where the disk does
    /// not let it, it only reads.
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
        // What a client finds in the journal before it becomes its owner is news to it.
        let foreign = Mutex::new(u64::from(role == Role::Owner));
        let log = Log { place, queue, tail, foreign, committer: Mutex::new(None) };
        if !matches!(role, Role::Reader { .. }) {
            log.start(post)?;
        }
        Ok(Opened { log, entries: reading.entries, notices: reading.notices })
    }
}

impl Log {
    /// Takes an event, without waiting. It is on disk when [`Log::flush`] says so.
    ///
    /// # Errors
    /// Memory is only read, the event is too long, or too many wait.
    pub fn append(&self, at: DateTime<FixedOffset>, event: Event) -> Result<(), JournalError> {
        self.offer(at, &Entry::Event(event))
    }

    /// Takes note of a snapshot of everything up to an event, without waiting.
    ///
    /// # Errors
    /// As [`Log::append`].
    pub fn note_snapshot(&self, at: DateTime<FixedOffset>, seq: u64, hash: Hash) -> Result<(), JournalError> {
        self.offer(at, &Entry::Snapshot { seq, hash })
    }

    /// Waits until all that was taken is on disk, or lost. Waiting may be given up at any time. While another
    /// process owns the memory and does not answer, this waits; [`Log::close`] does not do so for ever.
    ///
    /// # Errors
    /// Events were lost since this was asked last.
    pub async fn flush(&self) -> Result<(), JournalError> {
        let target = self.queue.counts().accepted;
        let mut counts = self.queue.subscribe();
        // The sender lives as long as the queue, which this holds.
        drop(counts.wait_for(|counts| counts.durable + counts.lost >= target).await);
        self.queue.outcome()
    }

    /// What others committed since this was asked last, up to [`Log::head`]. Events of this process may be
    /// among them, which does not matter to a fold. Where there is nothing, this looks at the length of one
    /// file and for the name of the next, as owner not even that.
    ///
    /// # Errors
    /// The journal was compacted or repaired and does not go on from where this process is
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

    /// What the journal holds behind a position, as it is on disk now.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn read_from(&self, from: Position) -> Result<Reading, JournalError> {
        read(&self.place, from, Repair::No)
    }

    /// Behind which event this process is: all up to it was given out by [`Log::follow`] or when this was
    /// opened, or taken from this process.
    pub fn head(&self) -> Position {
        self.tail().position()
    }

    /// What this process may do now.
    pub fn role(&self) -> Role {
        self.queue.role()
    }

    /// What became of this process's events.
    pub fn counts(&self) -> Counts {
        self.queue.counts()
    }

    /// What is to be told since this was asked last.
    pub fn take_notices(&self) -> Vec<Notice> {
        self.queue.take_notices()
    }

    /// Removes for good what stands under these numbers, whoever owns the memory, and gives how many there
    /// were. Waits for it.
    ///
    /// # Errors
    /// A segment is damaged, cannot be rewritten, or the owner is gone.
    pub fn erase(&self, seqs: BTreeSet<u64>) -> Result<u64, JournalError> {
        self.ask(|answer| Task::Erase { seqs, answer })
    }

    /// As owner, removes the segments that hold nothing but events before a number, and gives how many. Waits
    /// for it.
    ///
    /// # Errors
    /// This process does not own the memory, or the disk refuses.
    pub fn drop_before(&self, seq: u64) -> Result<u64, JournalError> {
        self.ask(|answer| Task::DropBefore { seq, answer })
    }

    /// Checks every checksum, hash and link, without changing anything.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn verify(&self) -> Result<Verified, JournalError> {
        verify(&self.place)
    }

    /// Ends: what was taken is written, for this process and those that sent it something, and the lock is
    /// given back. Waits for another owner no longer than this.
    ///
    /// # Errors
    /// Events were lost since [`Log::flush`] was asked last.
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
