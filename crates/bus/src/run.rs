//! One run on the bus: its order, its mailboxes, its observers, its recorders, its clock.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use artoo_types::{Envelope, Message, MessageKind, Role, RunId};
use tokio::sync::Notify;

use crate::contract;
use crate::lane::Lane;
use crate::mailbox::Mailbox;
use crate::observer::{SharedLane, locked};
use crate::run_clock::RunClock;
use crate::wake::WakeList;
use crate::{BusError, Clock, Refusal, RefusalReason, RoleSet, RunFailure};

/// Called for every message in order, under the run's lock.
pub(crate) type Recorder = Box<dyn FnMut(&Arc<Envelope>) + Send>;

pub(crate) struct Run {
    pub(crate) id: RunId,
    clock: Arc<dyn Clock>,
    mailbox_limit: usize,
    state: Mutex<State>,
    pub(crate) failed: Notify,
}

/// Everything behind the run's one lock. One lock is what gives all receivers the same order.
pub(crate) struct State {
    seq: u64,
    pub(crate) closed: bool,
    has_final_result: bool,
    pub(crate) clock: RunClock,
    mailboxes: BTreeMap<Role, Mailbox>,
    pub(crate) observers: Vec<SharedLane>,
    pub(crate) taps: Vec<SharedLane>,
    pub(crate) recorders: Vec<Recorder>,
    pub(crate) failure: Option<RunFailure>,
}

impl State {
    pub(crate) fn mailbox(&mut self, role: Role) -> &mut Mailbox {
        self.mailboxes.entry(role).or_default()
    }

    fn is_full(&self, role: Role, limit: usize) -> bool {
        self.mailboxes.get(&role).is_some_and(|mailbox| mailbox.len() >= limit)
    }
}

impl Run {
    pub(crate) fn new(id: RunId, clock: Arc<dyn Clock>, mailbox_limit: usize, taps: Vec<SharedLane>) -> Self {
        let state = State {
            seq: 0,
            closed: false,
            has_final_result: false,
            clock: RunClock::start(clock.monotonic()),
            mailboxes: BTreeMap::new(),
            observers: Vec::new(),
            taps,
            recorders: Vec::new(),
            failure: None,
        };
        Self { id, clock, mailbox_limit, state: Mutex::new(state), failed: Notify::new() }
    }

    /// Every change under the lock is complete before anything that could panic, so a poisoned lock is as good as any.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn monotonic(&self) -> Duration {
        self.clock.monotonic()
    }

    pub(crate) fn publish(&self, from: Role, generation: u64, message: Message) -> Result<u64, BusError> {
        let kind = message.kind();
        let message = Arc::new(message);
        let mut wakes = WakeList::default();
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
        if kind == MessageKind::FinalResult && state.has_final_result {
            return Some(RefusalReason::SecondFinalResult);
        }
        to.iter().find(|role| state.is_full(*role, self.mailbox_limit)).map(RefusalReason::Overflow)
    }

    /// Puts a refusal on record and says what the publisher is told.
    fn refuse(&self, state: &mut State, refusal: Refusal, wakes: &mut WakeList) -> BusError {
        let Refusal { role, kind, reason } = refusal;
        let error = match reason {
            RefusalReason::Boundary => BusError::Boundary { role, kind },
            RefusalReason::SecondFinalResult => BusError::SecondFinalResult { run_id: self.id, role },
            RefusalReason::Overflow(full) => {
                self.fail(state, RunFailure::Overflow { role: full, from: role, kind });
                BusError::Overflow { role: full }
            }
        };
        self.deliver(state, Role::Supervisor, Arc::new(refusal.warning()), RoleSet::EMPTY, wakes);
        error
    }

    /// Numbers a message and hands it to everybody. Cannot fail: whoever calls it has made sure of room.
    fn deliver(
        &self,
        state: &mut State,
        from: Role,
        message: Arc<Message>,
        to: RoleSet,
        wakes: &mut WakeList,
    ) -> u64 {
        state.seq += 1;
        let seq = state.seq;
        state.has_final_result |= message.kind() == MessageKind::FinalResult;
        let elapsed = state.clock.elapsed(self.clock.monotonic());
        let envelope = Arc::new(Envelope {
            seq,
            run_id: self.id,
            at: self.clock.now(),
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            from,
            message,
        });
        self.record(state, &envelope);
        for role in to.iter() {
            wakes.push(state.mailbox(role).push(&envelope));
        }
        for lanes in [&mut state.observers, &mut state.taps] {
            let mut someone_left = false;
            for lane in lanes.iter() {
                locked(lane, |lane| {
                    wakes.push(lane.push(&envelope));
                    someone_left |= lane.is_abandoned();
                });
            }
            if someone_left {
                lanes.retain(|lane| !locked(lane, |lane| lane.is_abandoned()));
            }
        }
        seq
    }

    /// A recorder is foreign code under the run's lock: its panic ends the record and marks the run, and nothing else.
    fn record(&self, state: &mut State, envelope: &Arc<Envelope>) {
        let before = state.recorders.len();
        state.recorders.retain_mut(|recorder| catch_unwind(AssertUnwindSafe(|| recorder(envelope))).is_ok());
        if state.recorders.len() != before {
            self.fail(state, RunFailure::Recorder { seq: envelope.seq });
        }
    }

    /// The first failure stays.
    fn fail(&self, state: &mut State, failure: RunFailure) {
        state.failure.get_or_insert(failure);
        self.failed.notify_waiters();
    }

    pub(crate) fn close(&self) {
        let mut wakes = WakeList::default();
        let mut state = self.lock();
        state.closed = true;
        for mailbox in state.mailboxes.values_mut() {
            wakes.push(mailbox.take_waker());
        }
        for lane in state.observers.drain(..) {
            wakes.push(locked(&lane, Lane::close));
        }
        state.taps.clear();
        // Dropped after the lock: a recorder may hold anything.
        let recorders = std::mem::take(&mut state.recorders);
        drop(state);
        wakes.wake();
        self.failed.notify_waiters();
        drop(recorders);
    }
}
