//! `Run`: the handle of one run.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use artoo_bus::{Activities, Observer, RunBus};
use artoo_types::{
    ApprovalDecided, ApprovalScope, CallId, ContinuationDecided, FaultKind, FinalResult, PlanApprovalDecided,
    ProposedRule, RunId,
};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::{Noter, question::Asked};

/// One run. Dropping it, or the future of [`finished`](Run::finished), cancels the run; it still ends with a
/// recorded result.
pub struct Run {
    pub(crate) run_id: RunId,
    pub(crate) folder: PathBuf,
    pub(crate) bus: RunBus,
    pub(crate) canceller: Canceller,
    pub(crate) answerer: Answerer,
    pub(crate) noter: Noter,
    /// The open question to the person. It is updated before its message reaches the journal or an observer.
    pub(crate) question: watch::Receiver<Option<Asked>>,
    pub(crate) result: Option<oneshot::Receiver<FinalResult>>,
    /// Cancelled when the run has ended and is recorded.
    pub(crate) recorded: CancellationToken,
    /// Created before the first message; goes to the first caller that asks for one.
    pub(crate) first_observer: Mutex<Option<Observer>>,
}

impl Run {
    /// Its id.
    pub fn id(&self) -> RunId {
        self.run_id
    }

    /// The folder of its record.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A read-only view of its messages. `capacity` is the minimum number of messages that it may lag before
    /// it loses the oldest; it is told which.
    ///
    /// The first observer sees every message of the run, whenever it is requested. Later ones see only
    /// messages from then on: the roles may be working on other threads before `start` returns.
    pub fn observe(&self, capacity: usize) -> Observer {
        let first = self.first_observer.lock().unwrap_or_else(PoisonError::into_inner).take();
        first.unwrap_or_else(|| self.bus.observe(capacity))
    }

    /// What goes on in it at this moment, for those who wait: it is in no message and no record. Look as often as you like.
    pub fn activities(&self) -> Activities {
        self.bus.activities()
    }

    /// A handle to cancel the run.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Completes when the run has ended and its journal is written, whether or not its result is awaited.
    pub fn recorded(&self) -> impl Future<Output = ()> + Send + 'static {
        self.recorded.clone().cancelled_owned()
    }

    /// A handle to answer the run's questions. While a question is open the run waits: only its timeout and
    /// cancellation end it.
    pub fn answerer(&self) -> Answerer {
        self.answerer.clone()
    }

    /// A handle to send the person's notes.
    pub fn noter(&self) -> Noter {
        self.noter.clone()
    }

    /// Waits for its one final result. When this returns, the journal is written and the run's processes are
    /// gone; one that resists its end for a second has been killed with its process group, and the rest of
    /// its tree is being killed.
    pub async fn finished(mut self) -> FinalResult {
        // It was never requested: drop its buffer.
        self.first_observer.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let received = match self.result.as_mut() {
            Some(result) => result.await.ok(),
            None => None,
        };
        self.result = None;
        received.unwrap_or_else(|| crate::supervisor::lost(self.run_id))
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.result.is_some() {
            self.canceller.cancel();
        }
    }
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("run_id", &self.run_id)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// Why a run is ended early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interruption {
    /// By the person: Ctrl+C (SIGINT) or leaving.
    #[default]
    Interrupted,
    /// The terminal was closed (SIGHUP).
    HungUp,
    /// By the person: SIGQUIT.
    Quit,
    /// By another process: SIGTERM.
    Terminated,
}

impl Interruption {
    pub(crate) const fn fault(self) -> (FaultKind, &'static str) {
        match self {
            Self::Interrupted => (FaultKind::Cancelled, "the run was interrupted"),
            Self::HungUp => (FaultKind::HungUp, "the run was ended: its terminal was closed"),
            Self::Quit => (FaultKind::Quit, "the run was ended by SIGQUIT"),
            Self::Terminated => (FaultKind::Terminated, "the run was ended by SIGTERM"),
        }
    }
}

/// Cancels a run: it ends with a recorded result, and its processes are killed.
#[derive(Clone, Debug)]
pub struct Canceller {
    pub(crate) token: CancellationToken,
    /// The first reason given.
    pub(crate) reason: Arc<OnceLock<Interruption>>,
}

impl Canceller {
    /// Cancels, as by Ctrl+C. Idempotent.
    pub fn cancel(&self) {
        self.interrupt(Interruption::Interrupted);
    }

    /// Cancels with this reason, which decides the exit code. The first reason counts.
    pub fn interrupt(&self, reason: Interruption) {
        // An earlier reason stands.
        let _ = self.reason.set(reason);
        self.token.cancel();
    }

    /// Why it was cancelled.
    pub(crate) fn reason(&self) -> Interruption {
        self.reason.get().copied().unwrap_or_default()
    }
}

/// A reply of the person to a question of the run.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// To a round of questions of R1 or of a step.
    Clarification(u32, String),
    /// To the dispatcher.
    Plan(PlanApprovalDecided),
    /// To the supervisor.
    Continuation(ContinuationDecided),
    /// To R3.
    Effect(ApprovalDecided),
    /// The user ends the run instead of answering, whatever the question is.
    Declined,
}

/// Answers the questions of a run, see [`ClarificationRequested`](artoo_types::ClarificationRequested),
/// [`PlanApprovalRequested`](artoo_types::PlanApprovalRequested),
/// [`ContinuationRequested`](artoo_types::ContinuationRequested) and
/// [`ApprovalRequested`](artoo_types::ApprovalRequested). An answer without an open question is dropped.
#[derive(Clone, Debug)]
pub struct Answerer(pub(crate) mpsc::UnboundedSender<Reply>);

impl Answerer {
    /// Answers a round of questions; empty means: go ahead.
    pub fn answer(&self, round: u32, answer: String) {
        self.reply(Reply::Clarification(round, answer));
    }

    /// Approves the plan of this round.
    pub fn agree(&self, round: u32) {
        let reason = "the person agreed".to_owned();
        self.reply(Reply::Plan(PlanApprovalDecided { round, granted: true, reason }));
    }

    /// Rejects the plan of this round: the run ends, with exit code 5.
    pub fn refuse(&self, round: u32) {
        let reason = "the person did not agree".to_owned();
        self.reply(Reply::Plan(PlanApprovalDecided { round, granted: false, reason }));
    }

    /// Says that the run goes on, to the question of this number.
    pub fn go_on(&self, number: u32) {
        let reason = "the person agreed".to_owned();
        self.reply(Reply::Continuation(ContinuationDecided { number, granted: true, reason }));
    }

    /// Says that the run does not go on: it ends with what there is, with exit code 5.
    pub fn end_here(&self, number: u32) {
        let reason = "the person did not agree".to_owned();
        self.reply(Reply::Continuation(ContinuationDecided { number, granted: false, reason }));
    }

    /// Allows the effects in question of a call, and from now on those that the scope covers.
    pub fn allow(&self, call_id: CallId, scope: ApprovalScope) {
        let reason = "the person agreed".to_owned();
        let decision = ApprovalDecided { call_id, granted: true, scope, reason, instead: None, rule: None };
        self.reply(Reply::Effect(decision));
    }

    /// Allows the effects in question of a call, and says that the person has written this rule, for this
    /// reason: the same effects are allowed for the rest of the run. The caller writes the rule; a run reads
    /// rules only at its start.
    pub fn allow_always(&self, call_id: CallId, rule: ProposedRule, reason: &str) {
        let (scope, reason) = (ApprovalScope::Always, format!("the person agreed, by a rule: {reason}"));
        let rule = Some(rule);
        let decision = ApprovalDecided { call_id, granted: true, scope, reason, instead: None, rule };
        self.reply(Reply::Effect(decision));
    }

    /// Denies the effects in question for the rest of the run. With words, the subtask continues and receives
    /// them.
    pub fn deny(&self, call_id: CallId, instead: Option<String>) {
        let (scope, reason) = (ApprovalScope::Once, "the person did not agree".to_owned());
        let decision = ApprovalDecided { call_id, granted: false, scope, reason, instead, rule: None };
        self.reply(Reply::Effect(decision));
    }

    /// Ends the run instead of answering the open question: no model is asked any more, and the result says
    /// so, with exit code 5.
    pub fn decline(&self) {
        self.reply(Reply::Declined);
    }

    pub(crate) fn reply(&self, reply: Reply) {
        // A run that has ended needs no answer.
        let _ = self.0.send(reply);
    }
}
