//! Mailbox of a role: lossless, bounded, read by one port at a time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use artoo_types::{Envelope, Role};

use crate::RoleSet;

/// A queue that grew beyond this capacity is freed when it is empty.
const KEEP: usize = 256;

/// A mailbox, protected by the run's lock. Allocates nothing until the first message.
#[derive(Default)]
pub(crate) struct Mailbox {
    queue: VecDeque<Arc<Envelope>>,
    waker: Option<Waker>,
    /// Whether a port is reading it.
    pub(crate) open: bool,
    /// Counts the ports opened so far; a sender of an earlier port may no longer publish.
    pub(crate) generation: u64,
    /// Messages delivered by earlier ports of the role, if they kept them.
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

    /// Moves a batch into `inbox`. Pending if nothing is waiting, and ready with an empty inbox if nothing
    /// ever will.
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
        // The two buffers alternate, so that a steady flow allocates nothing; after a burst the large ones
        // are freed.
        if self.queue.capacity() > KEEP && inbox.len() < self.queue.capacity() / 8 {
            self.queue = VecDeque::new();
        }
        true
    }

    /// Returns the undelivered messages of a dropped port to the front of the queue.
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
