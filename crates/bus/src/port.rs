//! A role's way onto the bus and off it.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, ready};

use artoo_types::{Envelope, Message, Role, RunId};
use tokio::task::coop::cooperative;

use crate::BusError;
use crate::run::Run;

/// One role's port in one run: the only live one. It receives the kinds that the role's contract names, and publishes
/// only those that it lists.
///
/// Dropping it is how a role ends. What it had not received is kept for the next port of the role, and its
/// [`Sender`]s may not publish any more.
pub struct Port {
    sender: Sender,
    inbox: VecDeque<Arc<Envelope>>,
}

impl Port {
    pub(crate) fn new(run: Arc<Run>, role: Role, generation: u64) -> Self {
        Self { sender: Sender { run, role, generation }, inbox: VecDeque::new() }
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
        let Self { sender, inbox } = self;
        cooperative(poll_fn(|cx| {
            if inbox.is_empty() {
                let mut state = sender.run.lock();
                let closed = state.closed;
                ready!(state.mailbox(sender.role).poll_take(inbox, closed, cx));
            }
            Poll::Ready(inbox.pop_front())
        }))
        .await
    }

    /// Publishes a message and returns its number in the run. Never waits.
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
        self.sender.run.lock().mailbox(self.sender.role).put_back(inbox);
    }
}

/// Publishes in the name of a role, as long as the [`Port`] that it came from lives.
#[derive(Clone)]
pub struct Sender {
    run: Arc<Run>,
    role: Role,
    generation: u64,
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
        self.run.publish(self.role, self.generation, Arc::new(message.into()))
    }
}
