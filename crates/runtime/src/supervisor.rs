//! Supervisor of one run: turns silence, panics, cancellation and exhausted budgets into typed faults, and
//! guarantees exactly one final result.

mod going_on;

use std::{
    collections::{BTreeSet, VecDeque},
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use artoo_bus::{Port, RunBus, RunFailure};
use artoo_snapshot::Snapshot;
use artoo_types::{
    CallId, ContinuationRequested, ControlSettings, Envelope, Errand, Fault, FaultKind, FinalResult, Message,
    Role, UserRequest, Warning,
};
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use crate::{
    Deadlines, Watch,
    journal::{RecordFailure, RunJournal, note_unrecorded},
    role_tasks::{Ended, RoleTasks},
    run::{Canceller, Reply},
    spending::{self, Milestone, Spending},
    successor::Successor,
    until_stopped::Gate,
    waiting::Waiting,
};

pub(crate) use crate::successor::lost;

/// How long tools may take to end after a fault, before R7 receives it. Commands are asked to end, and killed
/// after half a second; a person who interrupts waits at most this long.
const WIND_DOWN: Duration = Duration::from_millis(800);
/// How long R7 may take to end a run after a fault, before it is replaced.
const LAST_WORD: Duration = Duration::from_secs(2);
/// Maximum attempts. If R7's successor cannot end the run either, the defect is beyond what messages can
/// report.
const LAST_WORDS: u32 = 3;

/// The inputs of one run's supervisor.
pub(crate) struct Supervised {
    pub(crate) bus: RunBus,
    pub(crate) user: Port,
    pub(crate) port: Port,
    pub(crate) request: UserRequest,
    /// R7's settings, for the record; `None` without a controller.
    pub(crate) settings: Option<ControlSettings>,
    pub(crate) role_tasks: RoleTasks,
    /// What the model calls of the run pass through.
    pub(crate) gate: Gate,
    /// Every envelope of the run, in order.
    pub(crate) seen: mpsc::UnboundedReceiver<Arc<Envelope>>,
    pub(crate) storage_failure: oneshot::Receiver<RecordFailure>,
    pub(crate) deadlines: Deadlines,
    pub(crate) timeout: Option<Duration>,
    /// Cancellation by the person.
    pub(crate) cancel: Canceller,
    /// Stops the tools; a child of `cancel`.
    pub(crate) tools: CancellationToken,
    /// Set by the bus, in order, when the final result passes.
    pub(crate) is_over: Arc<AtomicBool>,
    pub(crate) journal: RunJournal,
    /// The previous state of changed files, for undo.
    pub(crate) snapshot: Snapshot,
    pub(crate) jobs: artoo_tools::Jobs,
    pub(crate) successor: Successor,
    pub(crate) result: oneshot::Sender<FinalResult>,
    /// The person's replies.
    pub(crate) answers: mpsc::UnboundedReceiver<Reply>,
}

/// Supervises a run to its end.
pub(crate) async fn supervise(run: Supervised) {
    let Supervised {
        bus,
        user,
        port,
        request,
        settings,
        role_tasks,
        gate,
        mut seen,
        mut storage_failure,
        deadlines,
        timeout,
        cancel,
        tools,
        is_over,
        journal,
        snapshot,
        jobs,
        successor,
        result,
        mut answers,
    } = run;
    // A command of the user's own has no time budget.
    let max_time = match request.errand {
        Errand::Task => request.limits.max_time_ms.map(Duration::from_millis),
        Errand::Command => None,
    };
    let mut supervisor = Supervisor {
        bus: &bus,
        port,
        user,
        waiting: Waiting::default(),
        may_ask: request.person_present,
        going_on: None,
        gate,
        role_tasks,
        tools: tools.clone(),
        is_over,
        deadlines,
        successor,
        begun: Instant::now(),
        watch: Watch::new(deadlines),
        calls: BTreeSet::new(),
        spending: Spending::new(request.limits, request.prices.clone()),
        stopping: false,
        unsaid: VecDeque::new(),
        wind_down: None,
        last_word: None,
        passed: 0,
    };
    supervisor.role_tasks.start();
    // Before the request: no other message can come earlier, so the settings are first in every record.
    if let Some(settings) = settings
        && let Err(error) = supervisor.port.publish(settings)
    {
        tracing::warn!(run = %bus.run_id(), %error, "what the controller goes by is not on record");
    }
    if let Err(error) = supervisor.user.publish(request) {
        let message = format!("the request could not be sent: {error}");
        supervisor.fail(fault(Role::Supervisor, FaultKind::Bus, message));
    }
    let timed_out = sleep_until(timeout.and_then(|timeout| Instant::now().checked_add(timeout)));
    tokio::pin!(timed_out);
    let (mut interrupted, mut out_of_time, mut storage_failed, mut bus_failed) = (false, false, false, false);
    let mut budget_spent = false;
    let ended = loop {
        supervisor.speak();
        let next = supervisor.next_moment();
        let budget_ends = supervisor.end_of(max_time.filter(|_| !budget_spent));
        // Not biased: neither a flood of messages nor a recurring timer may starve the other branches.
        tokio::select! {
            envelope = seen.recv() => {
                let Some(envelope) = envelope else { break None };
                if let Some(result) = supervisor.see(&envelope) {
                    break Some(result);
                }
            }
            () = cancel.token.cancelled(), if !interrupted => {
                interrupted = true;
                let (kind, message) = cancel.reason().fault();
                supervisor.fail(fault(Role::User, kind, message.to_owned()));
            }
            () = &mut timed_out, if !out_of_time => {
                out_of_time = true;
                let seconds = timeout.unwrap_or_default().as_secs_f64();
                supervisor.fail(fault(Role::User, FaultKind::Timeout, format!("the run took longer than {seconds} s")));
            }
            () = sleep_until(budget_ends), if budget_ends.is_some() => {
                budget_spent = true;
                supervisor.run_short(spending::out_of_time(max_time.unwrap_or_default()));
            }
            answer = answers.recv(), if supervisor.waiting.asked().is_some() => supervisor.answered(answer),
            failure = &mut storage_failure, if !storage_failed => {
                storage_failed = true;
                supervisor.fail(failure.unwrap_or(RecordFailure::NoThread).fault());
            }
            failure = bus.failure(), if !bus_failed => {
                bus_failed = true;
                if let Some(failure) = failure {
                    supervisor.fail(bus_fault(&failure));
                }
            }
            Some(ended) = supervisor.role_tasks.next_ended() => supervisor.role_ended(ended),
            () = sleep_until(next), if next.is_some() => {
                if supervisor.moment_came() == Verdict::GiveUp {
                    break None;
                }
            }
        }
    };
    // From here on nothing of the run may act.
    tools.cancel();
    crate::background_jobs::stop(&jobs, &supervisor.port).await;
    bus.close();
    let (run_id, journal_folder) = (bus.run_id(), journal.folder().to_owned());
    supervisor.role_tasks.dismiss().await;
    // Nothing of the run writes any more, so the files are as it left them.
    let closed = tokio::task::spawn_blocking(move || snapshot.close()).await;
    if let Err(error) = closed.unwrap_or_else(|panic| Err(io::Error::other(panic))) {
        tracing::warn!(run = %run_id, %error, "the record for undo could not be closed");
    }
    let mut ended = ended.unwrap_or_else(|| lost(run_id));
    if let Err(failure) = journal.close().await {
        note_unrecorded(&journal_folder, &failure.to_string());
        // Too late for a message: R7's result stands. Its missing record must still be reported.
        ended.fault.get_or_insert_with(|| failure.fault());
    }
    for name in [crate::assembly::PRIVATE_TMP, crate::assembly::PREVIEW] {
        remove_folder(&journal_folder.join(name)).await;
    }
    // The receiver may be gone; the run is recorded anyway.
    let _ = result.send(ended);
}

/// The supervisor's state.
struct Supervisor<'a> {
    bus: &'a RunBus,
    port: Port,
    /// The person's port.
    user: Port,
    waiting: Waiting,
    /// Whether somebody is there to be asked.
    may_ask: bool,
    /// The open question whether the run goes on.
    going_on: Option<ContinuationRequested>,
    /// Shut while that question is open.
    gate: Gate,
    role_tasks: RoleTasks,
    tools: CancellationToken,
    is_over: Arc<AtomicBool>,
    deadlines: Deadlines,
    successor: Successor,
    begun: Instant,
    watch: Watch,
    /// Calls that have started and not ended.
    calls: BTreeSet<CallId>,
    spending: Spending,
    /// Whether the run is ending because of a fault of the supervisor; the tools are cancelled then.
    stopping: bool,
    /// Faults not yet sent to R7, and the time until which tools may end first.
    unsaid: VecDeque<Fault>,
    wind_down: Option<Instant>,
    /// After a fault was sent: R7's deadline, and how often it was missed.
    last_word: Option<Instant>,
    passed: u32,
}

/// What follows from an event.
#[derive(PartialEq, Eq)]
enum Verdict {
    GoOn,
    GiveUp,
}

impl Supervisor<'_> {
    /// Applies a message; returns the final result if it is one.
    fn see(&mut self, envelope: &Arc<Envelope>) -> Option<FinalResult> {
        self.watch.on(envelope, self.begun.elapsed());
        self.successor.remember(envelope);
        let message = envelope.message.as_ref();
        self.waiting.on(envelope, self.bus);
        match self.spending.on(message) {
            // An exhausted budget ends the run; open calls still report.
            Some(Milestone::End(spent)) => self.run_short(spent),
            Some(Milestone::Checkpoint(asked)) => self.may_it_go_on(asked),
            None => {}
        }
        if let Message::ToolStarted(started) = message {
            self.calls.insert(started.call_id);
        } else if let Message::ToolFinished(finished) = message {
            self.calls.remove(&finished.call.call_id);
        } else if let Message::ContinuationDecided(decision) = message {
            self.goes_on(decision);
        } else if let Message::Fault(_) = message {
            self.last_word = Some(Instant::now() + LAST_WORD);
        } else if let Message::FailureReportRequest(_) = message {
            // The planner may tell the story after a fault as well, with the deadline that R7 keeps for it.
            self.last_word = self.last_word.map(|_| Instant::now() + self.deadlines.report + LAST_WORD);
        } else if let Message::FinalResult(result) = message {
            return Some(result.clone());
        }
        None
    }

    /// When a run with this time budget ends; none while it waits for the person, and once it is being stopped.
    fn end_of(&self, max_time: Option<Duration>) -> Option<Instant> {
        if self.stopping { None } else { self.waiting.end_of(self.begun, max_time?) }
    }

    /// Handles a reply of the person. A reply that answers no open question is dropped.
    fn answered(&mut self, reply: Option<Reply>) {
        let Some(asked) = self.waiting.asked() else { return };
        if let Some(Reply::Declined) = reply {
            let message = "you ended the run instead of answering its question".to_owned();
            return self.fail(fault(Role::User, FaultKind::Declined, message));
        }
        let Some(answer) = asked.answered(reply) else { return };
        self.waiting.answered(self.bus);
        if let Err(error) = self.user.publish(answer) {
            tracing::debug!(%error, "an answer could not be published");
        }
    }

    /// Ends the run for a spent budget, unless it ends already.
    fn run_short(&mut self, spent: Fault) {
        if !self.stopping && !self.is_over() {
            self.fail(spent);
        }
    }

    /// Starts to end the run: tools are stopped at once, and R7 receives the fault when they have ended.
    fn fail(&mut self, fault: Fault) {
        self.stopping = true;
        self.tools.cancel();
        // What may still be asked now is the planner, for the story of the failure.
        self.gate.open();
        self.wind_down.get_or_insert_with(|| Instant::now() + WIND_DOWN);
        self.successor.blame(&fault);
        self.unsaid.push_back(fault);
    }

    /// Sends pending faults as soon as they may be sent.
    fn speak(&mut self) {
        let still = self.calls.is_empty() || self.wind_down.is_some_and(|until| until <= Instant::now());
        if !still {
            return;
        }
        while let Some(fault) = self.unsaid.pop_front() {
            self.wind_down = None;
            if self.is_over() {
                continue;
            }
            // R7's time begins even if the fault cannot be delivered: its successor knows the fault.
            self.last_word = Some(Instant::now() + LAST_WORD);
            if let Err(error) = self.port.publish(fault) {
                tracing::debug!(%error, "a fault could not be published");
            }
            self.conclude_if_r7_is_gone();
        }
    }

    /// The next deadline.
    fn next_moment(&self) -> Option<Instant> {
        let owed = self.watch.next_due().map(|due| self.begun + due);
        let wind_down = self.wind_down.filter(|_| !self.unsaid.is_empty());
        [owed, wind_down, self.last_word].into_iter().flatten().min()
    }

    fn moment_came(&mut self) -> Verdict {
        let now = Instant::now();
        while let Some(overdue) = self.watch.overdue(now - self.begun) {
            let seconds = overdue.allowed.as_secs_f64();
            let message = format!("the role {} owes {} since {seconds} s", overdue.role, overdue.what);
            self.fail(fault(overdue.role, FaultKind::Deadline, message));
        }
        if self.last_word.is_none_or(|until| until > now) {
            return Verdict::GoOn;
        }
        self.passed += 1;
        self.last_word = Some(now + LAST_WORD);
        if self.passed == LAST_WORDS {
            return Verdict::GiveUp;
        }
        self.successor.blame(&fault(
            Role::Ggs,
            FaultKind::Deadline,
            "the controller did not end the run".to_owned(),
        ));
        self.role_tasks.stop_ggs();
        self.conclude_if_r7_is_gone();
        Verdict::GoOn
    }

    fn role_ended(&mut self, ended: Ended) {
        match ended {
            // R7 returns when it has ended the run.
            Ended::Returned(_) if self.is_over() => {}
            Ended::Returned(role) => {
                let message = format!("the role {role} ended before its run");
                self.role_died(fault(role, FaultKind::Panic, message));
            }
            Ended::Died(fault) => self.role_died(fault),
            Ended::Stopped => self.conclude_if_r7_is_gone(),
        }
    }

    /// Restarts a role once, if possible; a second death ends the run. A silent role is not restarted: it
    /// would be silent again, and cost the time twice.
    fn role_died(&mut self, fault: Fault) {
        let role = fault.role;
        let goes_on = !self.stopping && !self.is_over() && fault.kind != FaultKind::Deadline;
        if !goes_on || !self.role_tasks.restart(self.bus, role) {
            self.fail(fault);
            return;
        }
        let message = format!("{}; it was started again", fault.message);
        if let Err(error) = self.port.publish(Warning { role, message }) {
            tracing::debug!(%error, "a warning could not be published");
        }
    }

    /// When R7's loop has ended, its last message is out, so there is no race for the final result.
    fn conclude_if_r7_is_gone(&self) {
        if self.role_tasks.ggs_is_gone() && !self.is_over() {
            self.successor.conclude(self.bus);
        }
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }
}

pub(crate) fn fault(role: Role, kind: FaultKind, message: String) -> Fault {
    Fault { role, kind, message, hint: None, remedy: None }
}

fn bus_fault(failure: &RunFailure) -> Fault {
    fault(Role::Supervisor, FaultKind::Bus, failure.to_string())
}

/// Best effort: what remains is inside the run's own folder.
async fn remove_folder(path: &std::path::Path) {
    if path.symlink_metadata().is_ok() {
        let _ = tokio::fs::remove_dir_all(path).await;
    }
}

/// Waits forever without a deadline.
async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
