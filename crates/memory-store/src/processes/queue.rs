//! Queue of events to be committed, and their results.

use std::collections::{BTreeSet, VecDeque};
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::journal::{Encoded, JournalError, Notice, Tail};

/// Maximum number of queued events, and of their bytes.
const MOST_WAITING: usize = 16_384;
const MOST_WAITING_BYTES: usize = 64 << 20;
/// Maximum number of events in a batch, and of their bytes.
const BATCH: usize = 256;
const BATCH_BYTES: usize = 1 << 20;

/// What a process may do with the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Writes, for itself and for others.
    Owner,
    /// Sends its events to the owner, and takes over when the owner is gone.
    Client,
    /// Only reads.
    Reader {
        /// Why it cannot write.
        reason: String,
    },
}

/// The fate of this process's events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Accepted events.
    pub accepted: u64,
    /// Of these, events on disk.
    pub durable: u64,
    /// Of these, events that will never be on disk.
    pub lost: u64,
}

/// Reports a result to another thread.
pub(super) type Answer<T> = Sender<Result<T, JournalError>>;

/// Events to be written together, and the channels for the results; none for this process's own events, which
/// are counted.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) lines: Vec<Encoded>,
    pub(super) answers: Vec<Option<Answer<()>>>,
}

/// A task executed in order.
#[derive(Debug)]
pub(super) enum Task {
    Erase {
        seqs: BTreeSet<u64>,
        answer: Answer<u64>,
    },
    DropBefore {
        seq: u64,
        answer: Answer<u64>,
    },
    /// Only makes sure that the journal's content is on disk.
    Settle {
        answer: Answer<u64>,
    },
}

/// The committer's next step.
#[derive(Debug)]
pub(super) enum Next {
    Commit(Batch),
    Do(Task),
    /// Stop accepting new clients.
    Stop,
    End,
}

/// The queue between the writers and the committing thread.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    counts: watch::Sender<Counts>,
}

#[derive(Debug)]
struct State {
    waiting: VecDeque<Waiting>,
    bytes: usize,
    role: Role,
    /// Why nothing more is accepted.
    closed: Option<String>,
    /// When to give up, once closing.
    deadline: Option<Instant>,
    stop_told: bool,
    /// The number of other processes that may still add events.
    callers: usize,
    lost_told: u64,
    last_reason: String,
    notices: Vec<Notice>,
    /// The end of the journal if this process owns it, and how often other processes added events.
    durable: Option<(Tail, u64)>,
}

#[derive(Debug)]
enum Waiting {
    Line(Encoded, Option<Answer<()>>),
    Task(Task),
}

/// An owner's knowledge of the end of its journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Durable {
    pub(super) tail: Tail,
    pub(super) foreign: u64,
}

impl Queue {
    pub(super) fn new(role: Role) -> Self {
        let state = State {
            waiting: VecDeque::new(),
            bytes: 0,
            role,
            closed: None,
            deadline: None,
            stop_told: false,
            callers: 0,
            lost_told: 0,
            last_reason: String::new(),
            notices: Vec::new(),
            durable: None,
        };
        Self { state: Mutex::new(state), changed: Condvar::new(), counts: watch::Sender::default() }
    }

    /// Adds an event of this process, without waiting.
    pub(super) fn offer(&self, line: Encoded) -> Result<(), JournalError> {
        let mut state = self.state();
        state.check()?;
        if state.is_full() {
            return Err(JournalError::Full { waiting: state.waiting.len() });
        }
        self.counts.send_modify(|counts| counts.accepted += 1);
        state.push(line, None);
        self.changed.notify_all();
        Ok(())
    }

    /// Adds an event of another process, as soon as there is room.
    pub(super) fn put(&self, line: Encoded, answer: Answer<()>) -> Result<(), JournalError> {
        let mut state = self.state();
        while state.is_full() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.closed.clone().map_or(Ok(()), |reason| Err(JournalError::Failed { reason }))?;
        state.push(line, Some(answer));
        self.changed.notify_all();
        Ok(())
    }

    /// Adds a task.
    pub(super) fn ask(&self, task: Task) -> Result<(), JournalError> {
        let mut state = self.state();
        state.check()?;
        state.waiting.push_back(Waiting::Task(task));
        self.changed.notify_all();
        Ok(())
    }

    /// Waits for the next step.
    pub(super) fn next(&self) -> Next {
        let mut state = self.state();
        loop {
            if state.deadline.is_some() && !state.stop_told {
                state.stop_told = true;
                return Next::Stop;
            }
            if let Some(next) = state.take() {
                self.changed.notify_all();
                return next;
            }
            if state.deadline.is_some() && state.callers == 0 {
                return Next::End;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Reports the result of a batch. If this process owns the journal, the result has its new end.
    pub(super) fn settle(&self, batch: Batch, result: &Result<Option<Tail>, JournalError>) {
        let mut state = self.state();
        let own = batch.answers.iter().filter(|answer| answer.is_none()).count() as u64;
        let foreign = u64::from(own < batch.answers.len() as u64);
        match result {
            Ok(tail) => {
                if let Some(tail) = tail {
                    let before = state.durable.map_or(0, |(_, foreign)| foreign);
                    state.durable = Some((*tail, before.saturating_add(foreign)));
                }
            }
            Err(error) => state.last_reason = error.to_string(),
        }
        drop(state);
        for answer in batch.answers.into_iter().flatten() {
            let result = result.as_ref().map(|_| ()).map_err(|error| owner_said(&error.to_string()));
            // The receiver may be gone.
            drop(answer.send(result));
        }
        self.counts.send_modify(|counts| match result {
            Ok(_) => counts.durable += own,
            Err(_) => counts.lost += own,
        });
        self.changed.notify_all();
    }

    /// This process owns the journal from now on, and has read this tail.
    pub(super) fn own(&self, tail: Tail, notices: Vec<Notice>) {
        let mut state = self.state();
        state.role = Role::Owner;
        let before = state.durable.map_or(0, |(_, foreign)| foreign);
        state.durable = Some((tail, before.saturating_add(1)));
        state.notices.extend(notices);
    }

    /// Sets a new tail of the journal, because files were replaced.
    pub(super) fn moved(&self, tail: Tail) {
        let mut state = self.state();
        if let Some((before, _)) = &mut state.durable {
            *before = tail;
        }
    }

    pub(super) fn tell(&self, notice: Notice) {
        self.state().notices.push(notice);
    }

    /// Accepts no more events, and drops the queued ones.
    pub(super) fn fail(&self, reason: &str) {
        let mut state = self.state();
        state.closed.get_or_insert_with(|| reason.to_owned());
        state.last_reason = reason.to_owned();
        state.bytes = 0;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        drop(waiting); // and with it the answers: whoever waits for one hears that there is none
        // Those being written are lost, too.
        self.counts.send_modify(|counts| counts.lost = counts.accepted.saturating_sub(counts.durable));
        self.changed.notify_all();
    }

    /// Starts closing: queued events are written within this time.
    pub(super) fn stop(&self, patience: Duration) {
        let mut state = self.state();
        let deadline = Instant::now() + patience;
        state.deadline = Some(state.deadline.map_or(deadline, |before| before.min(deadline)));
        self.changed.notify_all();
    }

    /// Whether it is time to give up.
    pub(super) fn is_over(&self) -> bool {
        self.state().deadline.is_some_and(|deadline| deadline <= Instant::now())
    }

    /// Waits a little, or until something happens.
    pub(super) fn pause(&self, pause: Duration) {
        drop(self.changed.wait_timeout(self.state(), pause).unwrap_or_else(PoisonError::into_inner));
    }

    /// Admits one more process, up to a limit.
    pub(super) fn caller_came(&self, most: usize) -> bool {
        let mut state = self.state();
        let room = state.callers < most;
        state.callers += usize::from(room);
        room
    }

    pub(super) fn caller_left(&self) {
        let mut state = self.state();
        state.callers = state.callers.saturating_sub(1);
        self.changed.notify_all();
    }

    pub(super) fn role(&self) -> Role {
        self.state().role.clone()
    }

    /// This process only reads from now on.
    pub(super) fn only_reads(&self, reason: &str) {
        self.state().role = Role::Reader { reason: reason.to_owned() };
    }

    pub(super) fn durable(&self) -> Option<Durable> {
        self.state().durable.map(|(tail, foreign)| Durable { tail, foreign })
    }

    pub(super) fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut self.state().notices)
    }

    pub(super) fn counts(&self) -> Counts {
        *self.counts.borrow()
    }

    /// Subscribes to the counts.
    pub(super) fn subscribe(&self) -> watch::Receiver<Counts> {
        self.counts.subscribe()
    }

    /// The result of the events since the last call.
    pub(super) fn outcome(&self) -> Result<(), JournalError> {
        let mut state = self.state();
        let lost = self.counts().lost;
        let count = lost.saturating_sub(state.lost_told);
        state.lost_told = lost;
        if count > 0 { Err(JournalError::Lost { count, reason: state.last_reason.clone() }) } else { Ok(()) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn check(&self) -> Result<(), JournalError> {
        if let Role::Reader { reason } = &self.role {
            return Err(JournalError::ReadOnly { reason: reason.clone() });
        }
        let ending = self.deadline.map(|_| "it is being closed".to_owned());
        self.closed.clone().or(ending).map_or(Ok(()), |reason| Err(JournalError::Failed { reason }))
    }

    fn is_full(&self) -> bool {
        self.closed.is_none() && (self.waiting.len() >= MOST_WAITING || self.bytes >= MOST_WAITING_BYTES)
    }

    fn push(&mut self, line: Encoded, answer: Option<Answer<()>>) {
        self.bytes += line.line.len();
        self.waiting.push_back(Waiting::Line(line, answer));
    }

    /// The next step: a task, or as many events as fit into a batch.
    fn take(&mut self) -> Option<Next> {
        let mut batch = Batch::default();
        let mut bytes = 0_usize;
        while batch.lines.len() < BATCH && bytes < BATCH_BYTES {
            match self.waiting.pop_front() {
                Some(Waiting::Line(line, answer)) => {
                    bytes = bytes.saturating_add(line.line.len());
                    batch.lines.push(line);
                    batch.answers.push(answer);
                }
                Some(Waiting::Task(task)) if batch.lines.is_empty() => return Some(Next::Do(task)),
                Some(task @ Waiting::Task(_)) => {
                    self.waiting.push_front(task);
                    break;
                }
                None => break,
            }
        }
        self.bytes = self.bytes.saturating_sub(bytes);
        (!batch.lines.is_empty()).then_some(Next::Commit(batch))
    }
}

/// An error as reported to another process.
pub(super) fn owner_said(reason: &str) -> JournalError {
    JournalError::Owner { reason: reason.to_owned() }
}
