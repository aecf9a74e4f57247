//! The thread that commits events to disk: directly if this process owns the journal, otherwise through the
//! owner.

use std::collections::HashSet;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::protocol::{Request, Response, receive, send};
use super::queue::{Batch, Next, Queue, Task, owner_said};
use super::server::Server;
use super::socket;
use crate::disk::Lock;
use crate::journal::{
    Encoded, Entry, Journal, JournalError, Notice, Place, Position, Repair, Tail, encode, read,
};

/// Wait between attempts while an owner starts or ends.
const PAUSE: Duration = Duration::from_millis(5);

/// The thread's state.
pub(super) struct Committer {
    pub(super) place: Place,
    pub(super) queue: Arc<Queue>,
    /// This process's read position: events it sent cannot be in the journal before that.
    pub(super) read_to: Arc<Mutex<Tail>>,
    pub(super) post: Post,
}

/// The destination of events.
pub(super) enum Post {
    /// The journal.
    Own(Box<Owned>),
    /// The owner.
    Send(UnixStream),
    /// Not found yet.
    Nowhere,
}

/// The journal, and what belongs to owning it. Dropped in this order: the server is closed before the lock is
/// released.
pub(super) struct Owned {
    journal: Journal,
    server: Option<Server>,
    _lock: Box<dyn Lock>,
}

impl Committer {
    /// Commits events until it is told to end. A panic loses the queued events, and reports that.
    pub(super) fn run(mut self) {
        let queue = Arc::clone(&self.queue);
        if catch_unwind(AssertUnwindSafe(|| self.work())).is_err() {
            queue.fail("the thread that writes it panicked");
        }
        // This closes the journal and releases the lock.
        drop(self);
        queue.fail("it is closed");
    }

    fn work(&mut self) {
        if let Post::Own(owned) = &mut self.post {
            owned.open_door(&self.place, &self.queue);
        }
        loop {
            match self.queue.next() {
                Next::Commit(batch) => self.commit(batch),
                Next::Do(task) => self.run_task(task),
                Next::Stop => {
                    if let Post::Own(owned) = &mut self.post {
                        owned.server.iter_mut().for_each(Server::stop);
                    }
                }
                Next::End => return,
            }
        }
    }

    fn commit(&mut self, mut batch: Batch) {
        let since = self.read_to.lock().unwrap_or_else(PoisonError::into_inner).position();
        let result = self.try_commit(&mut batch.lines, since);
        self.queue.settle(batch, &result);
        if let (Err(error), Post::Own(owned)) = (&result, &self.post)
            && owned.journal.has_failed()
        {
            // Another process may determine what is on disk.
            self.queue.fail(&error.to_string());
            self.post = Post::Nowhere;
        }
    }

    /// Commits lines. Lines already found in the journal are removed from them.
    fn try_commit(
        &mut self,
        lines: &mut Vec<Encoded>,
        since: Position,
    ) -> Result<Option<Tail>, JournalError> {
        let mut sent = false;
        loop {
            match &mut self.post {
                Post::Own(owned) => {
                    match lines.as_slice() {
                        [] => owned.journal.settle()?,
                        lines => drop(owned.journal.write(lines)?),
                    }
                    return Ok(Some(owned.journal.tail()));
                }
                Post::Send(stream) => match exchange(stream, &Request::commit(lines), &self.queue) {
                    Some(Response::Done(_)) => return Ok(None),
                    Some(Response::Refused(reason)) => return Err(owner_said(&reason)),
                    None => {
                        sent = true;
                        self.post = Post::Nowhere;
                    }
                },
                Post::Nowhere => {
                    let found = self.find(since)?;
                    // An owner that did not answer may have written before it ended.
                    if sent {
                        let there = match found {
                            Some(entries) => entries,
                            None => read(&self.place, since, Repair::No)?.entries,
                        };
                        without_those(lines, &there);
                    }
                }
            }
        }
    }

    /// Finds a destination for events: this process itself if the journal has no owner. Returns the entries
    /// since a position if the journal was read for that.
    fn find(&mut self, since: Position) -> Result<Option<Vec<(u64, Entry)>>, JournalError> {
        loop {
            let lock = self.place.lock();
            match self.place.disk.try_lock(&lock) {
                Ok(Some(lock)) => {
                    // The previous owner may have been a newer artoo.
                    self.place.check_formats()?;
                    let (journal, reading) = Journal::begin(self.place.clone(), since)?;
                    let mut owned = Owned::new(journal, lock);
                    self.queue.own(reading.tail, reading.notices);
                    owned.open_door(&self.place, &self.queue);
                    self.post = Post::Own(Box::new(owned));
                    return Ok(Some(reading.entries));
                }
                Ok(None) => {
                    if let Ok(stream) = socket::connect(&self.place.memory) {
                        self.post = Post::Send(stream);
                        return Ok(None);
                    }
                }
                Err(error) => {
                    self.queue.only_reads(&error.to_string());
                    return Err(JournalError::io("lock", &lock)(error));
                }
            }
            if self.queue.is_over() {
                return Err(owner_said("it could not be reached in time"));
            }
            self.queue.pause(PAUSE);
        }
    }

    fn run_task(&mut self, task: Task) {
        let answer = match &task {
            Task::Erase { answer, .. } | Task::DropBefore { answer, .. } | Task::Settle { answer } => {
                answer.clone()
            }
        };
        // The receiver may be gone.
        drop(answer.send(self.try_task(&task)));
    }

    fn try_task(&mut self, task: &Task) -> Result<u64, JournalError> {
        loop {
            match (&mut self.post, task) {
                (Post::Own(owned), task) => {
                    let done = match task {
                        Task::Erase { seqs, .. } => owned.journal.erase(seqs),
                        Task::DropBefore { seq, .. } => {
                            owned.journal.drop_before(*seq).map(|count| count as u64)
                        }
                        Task::Settle { .. } => owned.journal.settle().map(|()| 0),
                    };
                    self.queue.moved(owned.journal.tail());
                    return done;
                }
                (Post::Send(stream), Task::Erase { seqs, .. }) => {
                    let request = Request::Erase(seqs.iter().copied().collect());
                    match exchange(stream, &request, &self.queue) {
                        Some(Response::Done(count)) => return Ok(count),
                        Some(Response::Refused(reason)) => return Err(owner_said(&reason)),
                        None => self.post = Post::Nowhere,
                    }
                }
                (Post::Send(_), Task::DropBefore { .. } | Task::Settle { .. }) => {
                    return Err(owner_said("only the owner of the memory does that"));
                }
                (Post::Nowhere, _) => {
                    let since = self.read_to.lock().unwrap_or_else(PoisonError::into_inner).position();
                    self.find(since)?;
                }
            }
        }
    }
}

impl Owned {
    pub(super) fn new(journal: Journal, lock: Box<dyn Lock>) -> Self {
        Self { journal, server: None, _lock: lock }
    }

    /// Opens the socket for other processes. If that is impossible, this process continues alone, and reports
    /// that.
    fn open_door(&mut self, place: &Place, queue: &Arc<Queue>) {
        match Server::start(&place.memory, queue) {
            Ok(server) => self.server = Some(server),
            Err(error) => queue.tell(Notice::Alone { reason: error.to_string() }),
        }
    }
}

/// Sends a request to the owner; `None` if it is gone.
fn exchange(stream: &mut UnixStream, request: &Request, queue: &Queue) -> Option<Response> {
    send(stream, request).ok()?;
    receive(stream, || queue.is_over()).ok()?
}

/// Removes lines that the journal already contains.
fn without_those(lines: &mut Vec<Encoded>, there: &[(u64, Entry)]) {
    let there: HashSet<Vec<u8>> = there.iter().filter_map(|(_, entry)| encode(entry).ok()).collect();
    lines.retain(|line| !there.contains(&line.line));
}
