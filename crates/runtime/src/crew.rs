//! The roles of one run as tasks: who still works, how each ended, and how they are sent home.

use std::{any::Any, future::Future, panic::AssertUnwindSafe, time::Duration};

use artoo_types::{Fault, FaultKind, Role};
use futures::FutureExt as _;
use tokio::task::{AbortHandle, JoinSet};

use crate::{foreign_solver::Silent, supervisor::fault};

/// How long memory may take to write what it has been given, when the run is over.
const MEMORY: Duration = Duration::from_secs(2);
/// How long a stopped role may take to notice. Only code that never awaits takes longer.
const GRACE: Duration = Duration::from_millis(200);

/// The loops of one run's roles. Dropping it stops them.
#[derive(Default)]
pub(crate) struct Crew {
    tasks: JoinSet<Ended>,
    handles: Vec<(Role, AbortHandle)>,
}

/// How a role's loop ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// It returned.
    Fine,
    /// It panicked.
    Fault(Fault),
    /// It was stopped from outside.
    Stopped,
}

impl Crew {
    /// Puts a role to work.
    pub(crate) fn add(&mut self, role: Role, actor: impl Future<Output = ()> + Send + 'static) {
        let handle = self.tasks.spawn(async move {
            match AssertUnwindSafe(actor).catch_unwind().await {
                Ok(()) => Ended::Fine,
                Err(panic) => Ended::Fault(fault_of(role, panic.as_ref())),
            }
        });
        self.handles.push((role, handle));
    }

    /// The next role that ends; `None` when all have.
    pub(crate) async fn next_ended(&mut self) -> Option<Ended> {
        let joined = self.tasks.join_next().await?;
        Some(joined.unwrap_or(Ended::Stopped))
    }

    /// Whether nobody speaks for R7 any more, so that its port is free.
    pub(crate) fn ggs_is_gone(&self) -> bool {
        self.of(Role::Ggs).all(AbortHandle::is_finished)
    }

    /// Stops R7's loop at its next await.
    pub(crate) fn stop_ggs(&self) {
        self.of(Role::Ggs).for_each(AbortHandle::abort);
    }

    /// Sends everybody home, after the bus was closed: memory when it has written, the others at once. A role that never
    /// awaits cannot be stopped; it is left behind, where nothing that it says counts.
    pub(crate) async fn dismiss(mut self) {
        for (role, handle) in &self.handles {
            if *role != Role::SharedMemory {
                handle.abort();
            }
        }
        if self.all_gone(MEMORY).await {
            return;
        }
        self.tasks.abort_all();
        if !self.all_gone(GRACE).await {
            let stuck: Vec<&str> = self
                .handles
                .iter()
                .filter(|(_, handle)| !handle.is_finished())
                .map(|(role, _)| role.name())
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
        self.handles.iter().filter(move |(of, _)| *of == role).map(|(_, handle)| handle)
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
