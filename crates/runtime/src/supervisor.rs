//! The watch over one run: it starts the roles, turns silence, panics and cancellation into typed faults, and sees to
//! exactly one final result.

use std::{future::Future, panic::AssertUnwindSafe, pin::Pin, sync::Arc, time::Duration};

use artoo_bus::{Clock, Port, RunBus, RunFailure};
use artoo_types::{
    Envelope, Fault, FaultKind, FinalResult, Loss, Message, PrevDirective, Role, RunId, TaskId, TerminalState,
    UserRequest,
};
use futures::FutureExt as _;
use serde_json::Value;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use crate::{Deadlines, Watch, journal::RunJournal};

/// How long R7 may take to end a run after a fault, before it is replaced.
const LAST_WORD: Duration = Duration::from_secs(2);
/// How long roles may take to notice that the run is closed.
const GRACE: Duration = Duration::from_millis(100);

/// Makes the loop of a fresh R7.
pub(crate) type ReplaceGgs = Box<dyn Fn(Port) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// All that the supervisor of one run needs.
pub(crate) struct Supervised {
    pub(crate) bus: RunBus,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) user: Port,
    pub(crate) supervisor: Port,
    pub(crate) request: UserRequest,
    pub(crate) roles: JoinSet<Ended>,
    /// Every envelope of the run, in order.
    pub(crate) seen: mpsc::UnboundedReceiver<Arc<Envelope>>,
    pub(crate) storage_failure: oneshot::Receiver<std::io::Error>,
    pub(crate) deadlines: Deadlines,
    pub(crate) timeout: Option<Duration>,
    pub(crate) cancel: CancellationToken,
    pub(crate) journal: RunJournal,
    /// Starts a fresh R7 with the default solver, where the run's own is gone.
    pub(crate) replace_ggs: ReplaceGgs,
    pub(crate) result: oneshot::Sender<FinalResult>,
}

/// How a role's loop ended: `Err` holds what a panic said.
pub(crate) type Ended = (Role, Result<(), String>);

/// Puts a role's loop among the watched ones.
pub(crate) fn watched(roles: &mut JoinSet<Ended>, role: Role, actor: impl Future<Output = ()> + Send + 'static) {
    roles.spawn(async move {
        let ended = AssertUnwindSafe(actor).catch_unwind().await.map_err(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
        });
        (role, ended)
    });
}

/// Runs a run to its end.
pub(crate) async fn supervise(run: Supervised) {
    let Supervised {
        bus,
        clock,
        user,
        supervisor,
        request,
        mut roles,
        mut seen,
        mut storage_failure,
        deadlines,
        timeout,
        cancel,
        journal,
        replace_ggs,
        result,
    } = run;
    let mut watch = Watch::new(deadlines);
    let publish = |fault: Fault| {
        if let Err(error) = supervisor.publish(fault) {
            tracing::debug!(%error, "a fault could not be published");
        }
    };
    if let Err(error) = user.publish(request) {
        publish(fault(Role::Supervisor, FaultKind::Bus, format!("the request could not be sent: {error}")));
    }
    let sleep_until_timeout = async {
        match timeout {
            Some(timeout) => tokio::time::sleep(timeout).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(sleep_until_timeout);
    let (mut timed_out, mut cancelled, mut storage_failed, mut bus_failed) = (false, false, false, false);
    // Once a fault is out, R7 has the last word within a short time.
    let mut last_word: Option<tokio::time::Instant> = None;
    let ended = loop {
        let wait = watch.next_due().map(|due| due.saturating_sub(clock.monotonic()));
        tokio::select! {
            biased;
            envelope = seen.recv() => {
                let Some(envelope) = envelope else { break None };
                watch.on(&envelope, clock.monotonic());
                match envelope.message.as_ref() {
                    Message::FinalResult(result) => break Some(result.clone()),
                    Message::Fault(_) if last_word.is_none() => {
                        last_word = Some(tokio::time::Instant::now() + LAST_WORD);
                    }
                    _ => {}
                }
            }
            () = cancel.cancelled(), if !cancelled => {
                cancelled = true;
                publish(fault(Role::User, FaultKind::Cancelled, "the run was interrupted".to_owned()));
            }
            () = &mut sleep_until_timeout, if !timed_out => {
                timed_out = true;
                let seconds = timeout.unwrap_or_default().as_secs_f64();
                publish(fault(Role::User, FaultKind::Timeout, format!("the run took longer than {seconds} s")));
                cancel.cancel();
                cancelled = true;
            }
            failure = &mut storage_failure, if !storage_failed => {
                storage_failed = true;
                if let Ok(error) = failure {
                    publish(Fault {
                        hint: Some("free some space, or choose another folder with --data-dir".to_owned()),
                        ..fault(Role::Supervisor, FaultKind::Storage, format!("the journal cannot be written: {error}"))
                    });
                }
            }
            failure = bus.failure(), if !bus_failed => {
                bus_failed = true;
                if let Some(failure) = failure {
                    publish(fault(Role::Supervisor, FaultKind::Bus, bus_failure(&failure)));
                }
            }
            Some(joined) = roles.join_next() => {
                if let Ok((role, Err(message))) = joined {
                    publish(fault(role, FaultKind::Panic, format!("the role {role} panicked: {message}")));
                    if role == Role::Ggs {
                        replace(&bus, &replace_ggs, &mut roles);
                    }
                }
            }
            () = sleep_some(wait), if wait.is_some() => {
                if let Some(overdue) = watch.overdue(clock.monotonic()) {
                    let seconds = overdue.allowed.as_secs();
                    let message = format!("the role {} owes {} since {seconds} s", overdue.role, overdue.what);
                    publish(fault(overdue.role, FaultKind::Deadline, message));
                }
            }
            () = sleep_until(last_word), if last_word.is_some() => {
                last_word = Some(tokio::time::Instant::now() + LAST_WORD);
                replace(&bus, &replace_ggs, &mut roles);
                publish(fault(Role::Ggs, FaultKind::Deadline, "the controller did not end the run".to_owned()));
            }
        }
    };
    // From here on nothing of the run may act: commands are killed with their process trees.
    cancel.cancel();
    bus.close();
    let all_joined = async { while roles.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, all_joined).await.is_err() {
        roles.shutdown().await;
    }
    let run_id = bus.run_id();
    journal.close().await;
    // The receiver may be gone: the run is recorded all the same.
    let _ = result.send(ended.unwrap_or_else(|| lost(run_id)));
}

/// A result for a run whose supervisor itself is gone: the one case that R7 cannot report.
pub(crate) fn lost(run_id: RunId) -> FinalResult {
    FinalResult {
        run_id,
        task_id: TaskId::from_text("task"),
        summary: "The run was lost: its supervisor ended without a result.".to_owned(),
        output: Value::Null,
        loss: Loss::default(),
        grad_l: 0.0,
        grad_goal: 0.0,
        replans: 0,
        prev_directive: PrevDirective::Init,
        directive: TerminalState::Abandon,
        unmet: Vec::new(),
        partial: Vec::new(),
        fault: Some(fault(Role::Supervisor, FaultKind::Panic, "the supervisor ended without a result".to_owned())),
    }
}

fn replace(
    bus: &RunBus,
    replace_ggs: &ReplaceGgs,
    roles: &mut JoinSet<Ended>,
) {
    // While the old one still holds its port there is nothing to replace; the next last word tries again.
    if let Ok(port) = bus.port(Role::Ggs) {
        watched(roles, Role::Ggs, replace_ggs(port));
    }
}

fn fault(role: Role, kind: FaultKind, message: String) -> Fault {
    Fault { role, kind, message, hint: None }
}

fn bus_failure(failure: &RunFailure) -> String {
    format!("the bus failed: {failure:?}")
}

async fn sleep_some(wait: Option<Duration>) {
    match wait {
        Some(wait) => tokio::time::sleep(wait).await,
        None => std::future::pending().await,
    }
}

async fn sleep_until(at: Option<tokio::time::Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
