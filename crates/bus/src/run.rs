//! State of one run on the bus: sequence, mailboxes, observers, recorders, clock.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use artoo_case_file::CaseFile;
use artoo_types::{Envelope, Message, MessageKind, Role, RunId};
use tokio::sync::Notify;

use crate::activity::Board;
use crate::contract;
use crate::mailbox::{Mailbox, Mailboxes};
use crate::observer::Lanes;
use crate::observer_queue::Lane;
use crate::run_clock::RunClock;
use crate::tap::TapLane;
use crate::{BusError, Clock, Refusal, RefusalReason, RoleSet, RunFailure};

/// Called for every message of a run, in order, under the run's lock: it must be quick and must not call the
/// bus.
pub type Recorder = Box<dyn FnMut(&Arc<Envelope>) + Send>;

pub(crate) struct Run {
    pub(crate) id: RunId,
    clock: Arc<dyn Clock>,
    mailbox_limit: usize,
    state: Mutex<State>,
    /// Has a lock of its own: a report of progress holds up no message.
    pub(crate) board: Board,
    pub(crate) failed: Notify,
}

/// Everything protected by the run's single lock. One lock gives all receivers the same order.
pub(crate) struct State {
    seq: u64,
    pub(crate) closed: bool,
    has_final_result: bool,
    /// Number of plans dispatched but not reported to R7; `None` before the first.
    unreported: Option<u32>,
    pub(crate) clock: RunClock,
    pub(crate) case_file: Arc<CaseFile>,
    mailboxes: Mailboxes,
    /// The observers' lanes, each with the number by which its reader identifies it, ascending.
    observers: Vec<(u64, Lane)>,
    next_observer: u64,
    pub(crate) taps: Vec<Arc<TapLane>>,
    pub(crate) recorders: Vec<Recorder>,
    pub(crate) failure: Option<RunFailure>,
}

impl State {
    pub(crate) fn mailbox(&mut self, role: Role) -> &mut Mailbox {
        self.mailboxes.of(role)
    }

    pub(crate) fn add_observer(&mut self, capacity: usize) -> u64 {
        let number = self.next_observer;
        self.next_observer += 1;
        let mut lane = Lane::new(capacity);
        if self.closed {
            lane.close();
        }
        self.observers.push((number, lane));
        number
    }

    /// Calls `work` on an observer's lane, which exists as long as the observer does.
    pub(crate) fn with_observer<T>(&mut self, number: u64, work: impl FnOnce(&mut Lane) -> T) -> T {
        match self.observers.iter_mut().find(|(known, _)| *known == number) {
            Some((_, lane)) => work(lane),
            None => work(&mut Lane::ended()),
        }
    }

    pub(crate) fn drop_observer(&mut self, number: u64) {
        self.observers.retain(|(known, _)| *known != number);
    }
}

impl Run {
    pub(crate) fn new(
        id: RunId,
        clock: Arc<dyn Clock>,
        mailbox_limit: usize,
        taps: Vec<Arc<TapLane>>,
    ) -> Self {
        let state = State {
            seq: 0,
            closed: false,
            has_final_result: false,
            unreported: None,
            clock: RunClock::start(clock.monotonic()),
            case_file: Arc::default(),
            mailboxes: Mailboxes::default(),
            observers: Vec::new(),
            next_observer: 0,
            taps,
            recorders: Vec::new(),
            failure: None,
        };
        Self {
            id,
            clock,
            mailbox_limit,
            state: Mutex::new(state),
            board: Board::default(),
            failed: Notify::new(),
        }
    }

    /// Every change under the lock is complete before anything that could panic, so a poisoned lock is
    /// consistent.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn monotonic(&self) -> Duration {
        self.clock.monotonic()
    }

    pub(crate) fn publish(
        &self,
        from: Role,
        generation: u64,
        message: Arc<Message>,
    ) -> Result<u64, BusError> {
        let kind = message.kind();
        let mut wakes = Wakes::default();
        let mut state = self.lock();
        let sender = state.mailbox(from);
        if !sender.open || sender.generation != generation || state.closed {
            return Err(BusError::Closed { run_id: self.id, role: from });
        }
        let to = contract::receivers(from, kind);
        let result = match self.refusal(&state, from, kind, to) {
            None => Ok(self.deliver(&mut state, from, message, to, &mut wakes)),
            Some(reason) => Err(self.refuse(&mut state, Refusal { role: from, kind, reason }, &mut wakes)),
        };
        drop(state);
        wakes.wake();
        result
    }

    fn refusal(&self, state: &State, from: Role, kind: MessageKind, to: RoleSet) -> Option<RefusalReason> {
        if !contract::may_publish(from, kind) {
            return Some(RefusalReason::Boundary);
        }
        if to.is_empty() {
            return None;
        }
        if kind == MessageKind::FinalResult && state.has_final_result {
            return Some(RefusalReason::SecondFinalResult);
        }
        if is_report(kind) && state.unreported == Some(0) {
            return Some(RefusalReason::SecondReport);
        }
        let full = |(_, mailbox): &(Role, &Mailbox)| mailbox.len() >= self.mailbox_limit;
        state.mailboxes.iter(to).find(full).map(|(role, _)| RefusalReason::Overflow(role))
    }

    /// Records a refusal and returns the publisher's error.
    fn refuse(&self, state: &mut State, refusal: Refusal, wakes: &mut Wakes) -> BusError {
        let Refusal { role, kind, reason } = refusal;
        let error = match reason {
            RefusalReason::Boundary => BusError::Boundary { role, kind },
            RefusalReason::SecondFinalResult => BusError::SecondFinalResult { run_id: self.id, role },
            RefusalReason::SecondReport => BusError::SecondReport { run_id: self.id, role },
            RefusalReason::Overflow(full) => {
                self.fail(state, RunFailure::Overflow { role: full, from: role, kind });
                BusError::Overflow { role: full }
            }
        };
        self.deliver(state, Role::Supervisor, Arc::new(refusal.warning()), RoleSet::EMPTY, wakes);
        error
    }

    /// Numbers a message and delivers it to all receivers. Cannot fail: the caller has made sure of room.
    fn deliver(
        &self,
        state: &mut State,
        from: Role,
        message: Arc<Message>,
        to: RoleSet,
        wakes: &mut Wakes,
    ) -> u64 {
        state.seq += 1;
        let seq = state.seq;
        let kind = message.kind();
        state.has_final_result |= kind == MessageKind::FinalResult;
        if kind == MessageKind::DispatchManifest {
            state.unreported = Some(state.unreported.unwrap_or_default().saturating_add(1));
        } else if is_report(kind) {
            state.unreported = state.unreported.map(|plans| plans.saturating_sub(1));
        }
        let elapsed = state.clock.elapsed(self.clock.monotonic());
        let envelope = Arc::new(Envelope {
            seq,
            run_id: self.id,
            at: self.clock.now(),
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            from,
            message,
        });
        // Before it is delivered: whoever receives a message finds it in the case file.
        Arc::make_mut(&mut state.case_file).on(envelope.message.as_ref(), from);
        self.record(state, &envelope);
        for mailbox in state.mailboxes.iter_mut(to) {
            wakes.add(mailbox.push(&envelope));
        }
        for (_, lane) in &mut state.observers {
            wakes.add(lane.push(&envelope));
        }
        if !state.taps.is_empty() {
            state.taps.retain(|tap| {
                tap.with(|lane| {
                    wakes.add(lane.push(&envelope));
                    !lane.is_abandoned()
                })
            });
        }
        seq
    }

    /// A recorder is foreign code under the run's lock: its panic ends the record and marks the run as
    /// failed, and nothing else.
    fn record(&self, state: &mut State, envelope: &Arc<Envelope>) {
        let before = state.recorders.len();
        state.recorders.retain_mut(|recorder| catch_unwind(AssertUnwindSafe(|| recorder(envelope))).is_ok());
        if state.recorders.len() != before {
            self.fail(state, RunFailure::Recorder { seq: envelope.seq });
        }
    }

    /// Marks the run as failed; the first failure is kept.
    fn fail(&self, state: &mut State, failure: RunFailure) {
        state.failure.get_or_insert(failure);
        self.failed.notify_waiters();
    }

    pub(crate) fn close(&self) {
        let mut wakes = Wakes::default();
        let mut state = self.lock();
        state.closed = true;
        for mailbox in state.mailboxes.iter_mut(RoleSet::ALL) {
            wakes.add(mailbox.take_waker());
        }
        for (_, lane) in &mut state.observers {
            wakes.add(lane.close());
        }
        state.taps.clear();
        // Dropped after the lock: a recorder may own anything.
        let recorders = std::mem::take(&mut state.recorders);
        drop(state);
        wakes.wake();
        self.failed.notify_waiters();
        drop(recorders);
    }
}

/// Whether a kind reports the result of a plan to R7. A second report would make it decide twice on one plan.
fn is_report(kind: MessageKind) -> bool {
    matches!(kind, MessageKind::OutcomeSummary | MessageKind::ReplanRequest)
}

/// Wakers that are collected under the lock and woken after it: a task woken under the lock would block on it
/// at once.
#[derive(Default)]
struct Wakes(Vec<Waker>);

impl Wakes {
    fn add(&mut self, waker: Option<Waker>) {
        if let Some(waker) = waker {
            self.0.push(waker);
        }
    }

    fn wake(self) {
        self.0.into_iter().for_each(Waker::wake);
    }
}
