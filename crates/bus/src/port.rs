//! A role's way onto the bus and off it.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, ready};

use artoo_types::{Envelope, Message, Role, RunId};
use tokio::task::coop::cooperative;

use crate::run::Run;
use crate::{BusError, contract};

/// One role's port in one run: the only live one. It receives the kinds that the role's contract names, and publishes
/// only those that it lists.
///
/// Dropping it is how a role ends. What it had not received is kept for the next port of the role, and its
/// [`Sender`]s may not publish any more.
pub struct Port {
    sender: Sender,
    /// What an earlier port has handed out, and this one hands out first, see [`Takeover::past`].
    past: VecDeque<Arc<Envelope>>,
    inbox: VecDeque<Arc<Envelope>>,
    /// What it has handed out, where that is kept.
    handed: Option<Vec<Arc<Envelope>>>,
}

/// What somebody is told who takes a role over from somebody who is gone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Takeover {
    /// What the one before has heard and answered. It comes first. What is said meanwhile to other roles goes nowhere, since it was
    /// said already; what observers alone hear (model calls, warnings) is heard.
    pub past: Vec<Arc<Envelope>>,
    /// What the one before has heard and not answered. It comes next, and is answered like any message.
    pub again: Vec<Arc<Envelope>>,
}

impl Port {
    pub(crate) fn new(run: Arc<Run>, role: Role, generation: u64) -> Self {
        let sender = Sender { run, role, generation, catching_up: None };
        Self { sender, past: VecDeque::new(), inbox: VecDeque::new(), handed: None }
    }

    /// Keeps what it hands out from now on, for a [`Takeover`].
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

    /// Whose port it is.
    pub fn role(&self) -> Role {
        self.sender.role
    }

    /// In which run.
    pub fn run_id(&self) -> RunId {
        self.sender.run.id
    }

    /// The next message for this role, in the run's order; `None` when the run is closed and everything was received.
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

    /// Publishes a message and returns its number in the run; 0 for what was not said again, see [`Takeover::past`]. Never waits.
    ///
    /// # Errors
    ///
    /// See [`BusError`]: the message is then delivered to nobody.
    pub fn publish(&self, message: impl Into<Message>) -> Result<u64, BusError> {
        self.sender.publish(message)
    }

    /// A publisher for workers of this role.
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

/// Publishes in the name of a role, as long as the [`Port`] that it came from lives.
#[derive(Clone)]
pub struct Sender {
    run: Arc<Run>,
    role: Role,
    generation: u64,
    /// True while the port hands out what an earlier one has; `None` where there is nothing of that.
    catching_up: Option<Arc<AtomicBool>>,
}

impl Sender {
    /// In whose name.
    pub fn role(&self) -> Role {
        self.role
    }

    /// In which run.
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

    fn is_catching_up(&self) -> bool {
        self.catching_up.as_ref().is_some_and(|catching_up| catching_up.load(Ordering::Acquire))
    }
}
