//! Ports: a role's receiving and publishing end of the bus.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, ready};

use artoo_case_file::CaseFile;
use artoo_types::{Envelope, Message, Progress, Role, RunId, SubTaskId};
use tokio::task::coop::cooperative;

use crate::run::Run;
use crate::{Activities, Activity, BusError, contract};

/// The only live port of a role in a run. It receives the kinds that the role's contract names, and publishes
/// only those that it lists.
///
/// A role ends by dropping it. Undelivered messages are kept for the next port of the role, and its
/// [`Sender`]s may no longer publish.
pub struct Port {
    sender: Sender,
    /// Messages that an earlier port has delivered, and that this one delivers first, see [`Takeover::past`].
    past: VecDeque<Arc<Envelope>>,
    inbox: VecDeque<Arc<Envelope>>,
    /// The delivered messages, if they are kept.
    handed: Option<Vec<Arc<Envelope>>>,
}

/// The messages replayed to a successor that takes over a role.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Takeover {
    /// Messages that the predecessor received and answered. They come first. Messages that the successor
    /// meanwhile publishes to other roles are dropped, since they were sent already; those for observers only
    /// (model calls, warnings) are published.
    pub past: Vec<Arc<Envelope>>,
    /// Messages that the predecessor received and did not answer. They come next, and are answered normally.
    pub again: Vec<Arc<Envelope>>,
}

impl Port {
    pub(crate) fn new(run: Arc<Run>, role: Role, generation: u64) -> Self {
        let sender = Sender { run, role, generation, catching_up: None };
        Self { sender, past: VecDeque::new(), inbox: VecDeque::new(), handed: None }
    }

    /// Keeps the messages delivered from now on, for a [`Takeover`].
    pub(crate) fn keeping(mut self) -> Self {
        self.handed = Some(Vec::new());
        self
    }

    pub(crate) fn taking_over(mut self, takeover: Takeover) -> Self {
        self.past = takeover.past.into();
        self.inbox = takeover.again.into();
        self.sender.catching_up = (!self.past.is_empty()).then(|| Arc::new(AtomicBool::new(true)));
        self
    }

    /// The role of this port.
    pub fn role(&self) -> Role {
        self.sender.role
    }

    /// The run of this port.
    pub fn run_id(&self) -> RunId {
        self.sender.run.id
    }

    /// The next message for this role, in the run's order; `None` when the run is closed and everything was
    /// received.
    ///
    /// Cancel-safe: a dropped future has taken nothing.
    pub async fn recv(&mut self) -> Option<Arc<Envelope>> {
        let Self { sender, past, inbox, handed } = self;
        if let Some(envelope) = past.pop_front() {
            return Some(envelope);
        }
        if let Some(catching_up) = sender.catching_up.take() {
            catching_up.store(false, Ordering::Release);
        }
        let next = cooperative(poll_fn(|cx| {
            if inbox.is_empty() {
                let mut state = sender.run.lock();
                let closed = state.closed;
                ready!(state.mailbox(sender.role).poll_take(inbox, closed, cx));
            }
            Poll::Ready(inbox.pop_front())
        }))
        .await;
        if let (Some(handed), Some(envelope)) = (handed, &next) {
            handed.push(Arc::clone(envelope));
        }
        next
    }

    /// Publishes a message and returns its number in the run, or 0 for a message suppressed as described in
    /// [`Takeover::past`]. Never waits.
    ///
    /// # Errors
    ///
    /// See [`BusError`]: the message is then not delivered.
    pub fn publish(&self, message: impl Into<Message>) -> Result<u64, BusError> {
        self.sender.publish(message)
    }

    /// A publishing handle for workers of this role.
    pub fn sender(&self) -> Sender {
        self.sender.clone()
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        let inbox = std::mem::take(&mut self.inbox);
        let handed = self.handed.take().unwrap_or_default();
        self.sender.run.lock().mailbox(self.sender.role).put_back(inbox, handed);
    }
}

/// Publishes as a role, as long as the [`Port`] that it came from lives.
#[derive(Clone)]
pub struct Sender {
    run: Arc<Run>,
    role: Role,
    generation: u64,
    /// True while the port replays messages of an earlier one; `None` if there are none.
    catching_up: Option<Arc<AtomicBool>>,
}

impl Sender {
    /// The role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The run.
    pub fn run_id(&self) -> RunId {
        self.run.id
    }

    /// As [`Port::publish`].
    ///
    /// # Errors
    ///
    /// See [`BusError`]; in particular [`BusError::Closed`] once the port is gone.
    pub fn publish(&self, message: impl Into<Message>) -> Result<u64, BusError> {
        let message = message.into();
        let (role, kind) = (self.role, message.kind());
        if self.is_catching_up()
            && contract::may_publish(role, kind)
            && !contract::receivers(role, kind).is_empty()
        {
            return Ok(0);
        }
        self.run.publish(role, self.generation, Arc::new(message))
    }

    /// The facts of the run so far: everything that this role has received is in it, and what others have
    /// published since.
    pub fn case_file(&self) -> Arc<CaseFile> {
        Arc::clone(&self.run.lock().case_file)
    }

    /// Begins an activity of this role, see [`Activities::begin`].
    pub fn begin_activity(&self, subtask_id: Option<SubTaskId>, progress: Progress) -> Activity {
        Activities(Arc::clone(&self.run)).begin(self.role, subtask_id, progress)
    }

    fn is_catching_up(&self) -> bool {
        self.catching_up.as_ref().is_some_and(|catching_up| catching_up.load(Ordering::Acquire))
    }
}
