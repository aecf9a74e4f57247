//! A role's mailbox: lossless, bounded, read by one port at a time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use artoo_types::{Envelope, Role};

use crate::RoleSet;

/// A queue that grew beyond this gives its memory back when it is empty.
const KEEP: usize = 256;

/// Lives under the run's lock. Allocates nothing until the first message.
#[derive(Default)]
pub(crate) struct Mailbox {
    queue: VecDeque<Arc<Envelope>>,
    waker: Option<Waker>,
    /// Whether a port reads it now.
    pub(crate) open: bool,
    /// Counts the ports it has had; a sender of an earlier one may not publish any more.
    pub(crate) generation: u64,
    /// What earlier ports of the role have handed out, where they kept it.
    pub(crate) handed: Vec<Arc<Envelope>>,
}

impl Mailbox {
    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(crate) fn push(&mut self, envelope: &Arc<Envelope>) -> Option<Waker> {
        self.queue.push_back(Arc::clone(envelope));
        self.waker.take()
    }

    /// Moves a batch into `inbox`. Pending where nothing waits, and ready with an empty inbox where nothing ever will.
    pub(crate) fn poll_take(
        &mut self,
        inbox: &mut VecDeque<Arc<Envelope>>,
        closed: bool,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        if self.queue.is_empty() {
            if closed {
                return Poll::Ready(());
            }
            match &mut self.waker {
                Some(waker) => waker.clone_from(cx.waker()),
                none => *none = Some(cx.waker().clone()),
            }
            return Poll::Pending;
        }
        self.take(inbox);
        Poll::Ready(())
    }

    pub(crate) fn take(&mut self, inbox: &mut VecDeque<Arc<Envelope>>) -> bool {
        if self.queue.is_empty() {
            return false;
        }
        std::mem::swap(&mut self.queue, inbox);
        // The two buffers take turns, so that a steady flow allocates nothing; after a burst the large ones go.
        if self.queue.capacity() > KEEP && inbox.len() < self.queue.capacity() / 8 {
            self.queue = VecDeque::new();
        }
        true
    }

    /// Takes back what a dropped port had not delivered, in front of what came since.
    pub(crate) fn put_back(&mut self, mut inbox: VecDeque<Arc<Envelope>>, handed: Vec<Arc<Envelope>>) {
        self.open = false;
        self.waker = None;
        self.handed.extend(handed);
        inbox.append(&mut self.queue);
        self.queue = inbox;
    }

    pub(crate) fn take_waker(&mut self) -> Option<Waker> {
        self.waker.take()
    }
}

/// One mailbox for each role.
#[derive(Default)]
pub(crate) struct Mailboxes([Mailbox; Role::ALL.len()]);

impl Mailboxes {
    pub(crate) fn of(&mut self, role: Role) -> &mut Mailbox {
        let [
            perceiver,
            planner,
            executor,
            agent_validator,
            meta_validator,
            shared_memory,
            auditor,
            ggs,
            dispatcher,
            supervisor,
            user,
        ] = &mut self.0;
        match role {
            Role::Perceiver => perceiver,
            Role::Planner => planner,
            Role::Executor => executor,
            Role::AgentValidator => agent_validator,
            Role::MetaValidator => meta_validator,
            Role::SharedMemory => shared_memory,
            Role::Auditor => auditor,
            Role::Ggs => ggs,
            Role::Dispatcher => dispatcher,
            Role::Supervisor => supervisor,
            Role::User => user,
        }
    }

    pub(crate) fn iter(&self, roles: RoleSet) -> impl Iterator<Item = (Role, &Mailbox)> {
        Role::ALL.into_iter().zip(&self.0).filter(move |(role, _)| roles.contains(*role))
    }

    pub(crate) fn iter_mut(&mut self, roles: RoleSet) -> impl Iterator<Item = &mut Mailbox> {
        Role::ALL
            .into_iter()
            .zip(&mut self.0)
            .filter(move |(role, _)| roles.contains(*role))
            .map(|(_, mailbox)| mailbox)
    }
}
