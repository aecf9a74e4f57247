//! The roles of one run as tasks: their start, end, restart and shutdown.

use std::{any::Any, future::Future, panic::AssertUnwindSafe, pin::Pin, time::Duration};

use artoo_bus::{BusError, Port, RunBus};
use artoo_types::{Fault, FaultKind, Role};
use futures_util::FutureExt as _;
use tokio::task::{AbortHandle, JoinSet};
use tracing::Instrument as _;

use crate::{foreign_solver::Silent, restart, supervisor::fault};

/// How long memory may take to write pending data after the run.
const MEMORY: Duration = Duration::from_secs(2);
/// How long a stopped role may take to notice. Only code that never awaits takes longer.
const GRACE: Duration = Duration::from_millis(200);

/// The loops of one run's roles. Dropping it stops them.
#[derive(Default)]
pub(crate) struct RoleTasks {
    tasks: JoinSet<Ended>,
    members: Vec<Member>,
}

/// A role's loop, on the port that it is given.
type Work = Box<dyn Fn(Port) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

struct Member {
    role: Role,
    work: Work,
    /// The port of a loop that is not started yet.
    port: Option<Port>,
    /// The loop that was started last.
    handle: Option<AbortHandle>,
    /// Whether the loop was restarted.
    is_second: bool,
}

/// How a role's loop ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The role's loop returned.
    Returned(Role),
    /// It panicked.
    Died(Fault),
    /// It was stopped from outside.
    Stopped,
}

impl RoleTasks {
    /// Sets a role's port and loop, replacing an earlier loop that was not started. If the role can be
    /// restarted, the loop must work a second time.
    ///
    /// # Errors
    /// Its port cannot be opened.
    pub(crate) fn add<F: Future<Output = ()> + Send + 'static>(
        &mut self,
        bus: &RunBus,
        role: Role,
        work: impl Fn(Port) -> F + Send + 'static,
    ) -> Result<(), BusError> {
        self.members.retain(|member| member.role != role);
        let port = if restart::is_possible(role) { bus.kept_port(role) } else { bus.port(role) }?;
        let work: Work = Box::new(move |port| Box::pin(work(port)));
        self.members.push(Member { role, work, port: Some(port), handle: None, is_second: false });
        Ok(())
    }

    /// Starts all loops.
    pub(crate) fn start(&mut self) {
        let Self { tasks, members } = self;
        for member in members {
            if let Some(port) = member.port.take() {
                member.start(port, tasks);
            }
        }
    }

    /// Restarts the loop of a role that died. It receives the messages of its predecessor, and the message
    /// that one died on again. `false` if the role cannot be restarted, or already was.
    pub(crate) fn restart(&mut self, bus: &RunBus, role: Role) -> bool {
        let Self { tasks, members } = self;
        let Some(member) = members.iter_mut().find(|member| member.role == role) else { return false };
        if member.is_second || !restart::is_possible(role) {
            return false;
        }
        member.is_second = true;
        match bus.take_over(role, |handed| restart::takeover(role, handed)) {
            Ok(port) => {
                member.start(port, tasks);
                true
            }
            Err(error) => {
                tracing::warn!(%role, %error, "a role that died cannot be taken over");
                false
            }
        }
    }

    /// The next role that ends; `None` when all have.
    pub(crate) async fn next_ended(&mut self) -> Option<Ended> {
        let joined = self.tasks.join_next().await?;
        Some(joined.unwrap_or(Ended::Stopped))
    }

    /// Whether R7's loop is gone, so that its port is free.
    pub(crate) fn ggs_is_gone(&self) -> bool {
        self.of(Role::Ggs).all(AbortHandle::is_finished)
    }

    /// Stops R7's loop at its next await.
    pub(crate) fn stop_ggs(&self) {
        self.of(Role::Ggs).for_each(AbortHandle::abort);
    }

    /// Stops all loops after the bus was closed: memory when it has written, the others at once. A role that
    /// never awaits cannot be stopped; it is left behind, and its messages have no effect.
    pub(crate) async fn dismiss(mut self) {
        for member in &self.members {
            if member.role != Role::SharedMemory
                && let Some(handle) = &member.handle
            {
                handle.abort();
            }
        }
        if self.all_gone(MEMORY).await {
            return;
        }
        self.tasks.abort_all();
        if !self.all_gone(GRACE).await {
            let stuck: Vec<&str> = self
                .members
                .iter()
                .filter(|member| member.handle.as_ref().is_some_and(|handle| !handle.is_finished()))
                .map(|member| member.role.name())
                .collect();
            tracing::warn!(roles = stuck.join(", "), "roles that do not stop are left behind");
            self.tasks.detach_all();
        }
    }

    async fn all_gone(&mut self, within: Duration) -> bool {
        let gone = async { while self.tasks.join_next().await.is_some() {} };
        tokio::time::timeout(within, gone).await.is_ok()
    }

    fn of(&self, role: Role) -> impl Iterator<Item = &AbortHandle> {
        let members = self.members.iter().filter(move |member| member.role == role);
        members.filter_map(|member| member.handle.as_ref())
    }
}

impl Member {
    fn start(&mut self, port: Port, tasks: &mut JoinSet<Ended>) {
        let (role, actor) = (self.role, (self.work)(port));
        let ended = async move {
            match AssertUnwindSafe(actor).catch_unwind().await {
                Ok(()) => Ended::Returned(role),
                Err(panic) => Ended::Died(fault_of(role, panic.as_ref())),
            }
        };
        self.handle = Some(tasks.spawn(ended.instrument(tracing::error_span!("role", %role))));
    }
}

fn fault_of(role: Role, panic: &(dyn Any + Send)) -> Fault {
    if let Some(silent) = panic.downcast_ref::<Silent>() {
        return fault(role, FaultKind::Deadline, silent.to_string());
    }
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    fault(role, FaultKind::Panic, format!("the role {role} panicked: {text}"))
}
