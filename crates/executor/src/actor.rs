//! The executor's actor: connects the bus port to the behaviour, with one worker task per subtask.

use std::{
    collections::{HashMap, HashSet},
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use artoo_bus::{Port, Sender};
use artoo_case_file::CaseFile;
use artoo_consent::within;
use artoo_llm_client::{KeptConversation, LlmClient, Silence, metered};
use artoo_types::{
    BlockedTarget, CallId, CommandNetwork, CorrectionSignal, Criterion, EffectKind, Envelope,
    ExecutionFailure, ExecutionResult, ExecutionStatus, FailureClass, GiveUpKind, Instruction, Message, Role,
    SubTask, SubTaskId, Surroundings, ToolCall, Workplace, Writes,
};
use futures_util::FutureExt as _;
use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinSet,
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::{
    Attempt, AttemptContext, Blocked, CallTool as _, Conversation, Environment, ExecuteError, Executor,
    Ledger, Provenance, RunTools, Terms, ToolSpec, approval_broker::ApprovalBroker, attempt_end::was_started,
    guard_lookup::GuardLookup, ledger::denial, told::told, tool_gateway::ToolGateway,
};

/// The actor's inputs besides its port.
#[derive(Clone)]
pub struct Settings {
    /// Environment of the run: time, folders, platform.
    pub surroundings: Surroundings,
    /// The tools.
    pub tools: Arc<dyn RunTools>,
    /// Ends all calls.
    pub cancel: CancellationToken,
    /// The consent policy of the run.
    pub terms: Terms,
    /// What calls may do here, as the model is told.
    pub environment: Environment,
    /// Programs that `shell` can start.
    pub programs: Vec<String>,
    /// The person's standing instructions for work in this project.
    pub instructions: Arc<[Instruction]>,
    /// Whether a guided model's commands are sampled and rehearsed.
    pub samples: bool,
    /// Origin of the words that are in the run before its first step.
    pub provenance: Provenance,
    /// How long an attempt may be silent: the limit starts anew with each model call and each tool call, and rests while
    /// the person is asked. Longer than a tool may take.
    pub attempt_deadline: Duration,
    /// The run's silence. Limits of silence rest while it rests, as when the run waits for a person.
    pub silence: Silence,
    /// Maximum number of subtasks that run at the same time.
    pub parallel: usize,
    /// How long memory may take to say what it holds against a call; `None` if it is not asked.
    pub memory_patience: Option<Duration>,
    /// Generates call ids.
    pub mint: Arc<dyn Fn() -> CallId + Send + Sync>,
    /// Keeps the conversation about the only step of a plan, for a judge that goes on with it.
    pub conversation: Option<KeptConversation>,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings").field("attempt_deadline", &self.attempt_deadline).finish_non_exhaustive()
    }
}

/// The limit of an attempt whose task has no deadline.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Runs every subtask of the run, and runs it again on each correction. Returns when the run is closed; calls
/// still in flight are then cancelled together with their process trees.
pub async fn run(mut port: Port, executor: Arc<dyn Executor>, model: Arc<dyn LlmClient>, settings: Settings) {
    let cancel = settings.cancel.child_token();
    let _cancel_on_return = cancel.clone().drop_guard();
    let places = Arc::new(Semaphore::new(settings.parallel.max(1)));
    let shared = Arc::new(WorkerShared {
        sender: port.sender(),
        broker: ApprovalBroker::new(port.sender(), settings.terms.clone(), settings.surroundings.clone()),
        guards: GuardLookup::new(port.sender(), settings.memory_patience),
        executor,
        model,
        tools: settings.tools.specs(),
        provenance: Mutex::new(settings.provenance.clone()),
        settings: Settings { cancel, ..settings },
        used: Mutex::default(),
        changes: AtomicU64::new(0),
        places,
    });
    let mut blocked = Blocked::default();
    let mut corrections: HashMap<SubTaskId, mpsc::UnboundedSender<CorrectionSignal>> = HashMap::new();
    let mut known = HashSet::new();
    let mut workers = JoinSet::new();
    while let Some(envelope) = port.recv().await {
        while workers.try_join_next().is_some() {}
        if let Message::SubTask(subtask) = envelope.message.as_ref() {
            if !known.insert(subtask.subtask_id) {
                // A duplicate message. A second worker would do everything again.
                continue;
            }
            let (sender, receiver) = mpsc::unbounded_channel();
            corrections.insert(subtask.subtask_id, sender);
            let span = tracing::error_span!("subtask", subtask = %subtask.subtask_id);
            let until = until(subtask, &envelope);
            let work = Arc::clone(&shared).work((subtask.clone(), until), blocked.clone(), receiver);
            workers.spawn(work.instrument(span));
        } else if let Message::CorrectionSignal(correction) = envelope.message.as_ref() {
            if let Some(worker) = corrections.get(&correction.subtask_id) {
                // If the worker has ended, it has already published its last result.
                let _ = worker.send(correction.clone());
            }
        } else if let Message::ApprovalDecided(decision) = envelope.message.as_ref() {
            shared.broker.answered(decision);
        } else if let Message::GuardReply(reply) = envelope.message.as_ref() {
            shared.guards.answered(reply);
        } else if let Message::ClarificationAnswered(answer) = envelope.message.as_ref() {
            shared.broker.person_answered(answer);
        } else if let Message::PlanDirective(directive) = envelope.message.as_ref() {
            blocked = Blocked::from(directive);
            // All subtasks of the previous plan have ended; their workers wait for corrections that will not
            // come.
            corrections.clear();
        }
    }
}

/// When the last attempt at a subtask that is handed out now must have ended, if its task has a deadline.
fn until(subtask: &SubTask, handed_out: &Envelope) -> Option<Instant> {
    let left = subtask.deadline?.signed_duration_since(handed_out.at).to_std();
    Instant::now().checked_add(left.unwrap_or(Duration::ZERO))
}

/// State shared by all workers.
pub(crate) struct WorkerShared {
    pub(crate) sender: Sender,
    pub(crate) broker: Arc<ApprovalBroker>,
    pub(crate) guards: GuardLookup,
    executor: Arc<dyn Executor>,
    model: Arc<dyn LlmClient>,
    pub(crate) settings: Settings,
    /// The specification of every tool.
    tools: Vec<ToolSpec>,
    /// Calls of the run, keyed by the intent of their subtask.
    used: Mutex<Vec<(String, BlockedTarget)>>,
    /// Origin of the words in the run so far.
    provenance: Mutex<Provenance>,
    /// Number of known changes in this run.
    changes: AtomicU64,
    places: Arc<Semaphore>,
}

impl WorkerShared {
    async fn work(
        self: Arc<Self>,
        (subtask, until): (SubTask, Option<Instant>),
        blocked: Blocked,
        mut corrections: mpsc::UnboundedReceiver<CorrectionSignal>,
    ) {
        let tools = self.offered(&blocked);
        let blocked_programs: Vec<_> = blocked.programs.iter().cloned().collect();
        let ledger = Ledger::new(&subtask.intent, &self.used_for(&subtask.intent), blocked)
            .guided(self.model.profile().guided);
        self.take_on(&subtask);
        let gateway = ToolGateway::new(&self, &subtask, ledger);
        let (mut correction, mut said_before, mut conversation) = (None, None, None);
        let mut attempt = 1;
        loop {
            let case = self.sender.case_file();
            let cx = AttemptContext {
                surroundings: self.settings.surroundings.clone(),
                environment: self.settings.environment.clone(),
                background: case.background(subtask.round),
                task_criteria: of_the_task(&subtask, &case),
                subtask: subtask.clone(),
                tools: tools.clone(),
                programs: self.settings.programs.clone(),
                instructions: Arc::clone(&self.settings.instructions),
                blocked: blocked_programs.clone(),
                attempt,
                correction,
                said_before,
                earlier: gateway.calls(0),
                conversation,
            };
            let result;
            (result, conversation) = self.attempt(&cx, until, &gateway).await;
            self.remember(&subtask.intent, &result.tool_calls);
            self.provenance().hand_on(&result.output, gateway.calls(0).last());
            said_before = Some(result.output.clone());
            self.publish(result);
            // Only a correction of this attempt starts another one; a duplicate correction does not.
            correction = loop {
                match corrections.recv().await {
                    Some(next) if next.attempt_number == attempt => break Some(next),
                    Some(_) => {}
                    None => return,
                }
            };
            attempt += 1;
        }
    }

    async fn attempt(
        &self,
        cx: &AttemptContext,
        until: Option<Instant>,
        gateway: &ToolGateway<'_>,
    ) -> (ExecutionResult, Option<Conversation>) {
        // The semaphore is never closed; without a permit the attempt would only lack a concurrency bound.
        let _place = self.places.acquire().await.ok();
        gateway.begin_attempt();
        let (sender, heard) = (self.sender.clone(), gateway.silence().clone());
        let model =
            metered(Arc::clone(&self.model), Role::Executor, Some(cx.subtask.subtask_id), move |call| {
                heard.heard();
                if let Err(error) = sender.publish(call) {
                    tracing::debug!(%error, "a model call was not recorded");
                }
            });
        let model = match &self.settings.conversation {
            Some(kept) if cx.subtask.is_whole => kept.of(cx.subtask.subtask_id, model),
            Some(_) | None => model,
        };
        let left = until.map_or(LONGEST, |until| until.saturating_duration_since(Instant::now()));
        let deadline = self.settings.attempt_deadline;
        // The call itself is inside the future, since an implementation may panic before it returns its
        // future.
        let working = AssertUnwindSafe(async { self.executor.attempt(cx, gateway, &model).await });
        let working = gateway.silence().at_most(deadline, working.catch_unwind());
        let mut ended = match within(left, gateway.rest(), working).await {
            Some(Some(Ok(ended))) => ended,
            Some(Some(Err(panic))) => Err(ExecuteError::Panic { message: panic_message(panic.as_ref()) }),
            Some(None) => Err(ExecuteError::Silent { seconds: deadline.as_secs() }),
            None => Err(ExecuteError::Deadline { seconds: left.as_secs() }),
        };
        // An attempt that was cut off tries nothing any more.
        gateway.tell_trial(None);
        let tool_calls = gateway.calls(cx.earlier.len());
        let conversation = ended.as_mut().ok().and_then(|ended| ended.conversation.take());
        let ended = match tool_calls.iter().find_map(denial) {
            // Overrides the behaviour's own result: a denied effect ends the subtask and is never reached by
            // other means.
            Some(reason) => Ok(denied(reason)),
            None => ended.map(|ended| without_useless_consent(ended, &tool_calls)),
        };
        let subtask = &cx.subtask;
        let result = |status, output| ExecutionResult::new(subtask.subtask_id, cx.attempt, status, output);
        let result = match ended {
            Ok(ended) => ExecutionResult {
                told: told(&subtask.briefing, subtask.is_whole, ended.samples.is_some(), tool_calls.last()),
                // Checked regardless of what the behaviour says: a quotation is compared with what it quotes.
                verbatim: ended.verbatim && gateway.quotes(tool_calls.last(), &ended.output).await,
                tool_calls,
                failure: ended.failure,
                samples: ended.samples,
                ..result(ended.status, ended.output)
            },
            Err(error) => ExecutionResult {
                failure: Some(error.failure(tool_calls.iter().rfind(|call| was_started(call)))),
                tool_calls,
                ..result(ExecutionStatus::Failed, String::new())
            },
        };
        (result, conversation)
    }

    /// Marks the words of a plan as ours unless an output contained them first: every plan after the first is
    /// made with outputs in view.
    fn take_on(&self, subtask: &SubTask) {
        let mut provenance = self.provenance();
        provenance.say(&subtask.intent);
        for criterion in &subtask.success_criteria {
            provenance.say(&criterion.text);
            if let Some(check) = criterion.check.as_ref().and_then(|check| serde_json::to_string(check).ok())
            {
                provenance.say(&check);
            }
        }
    }

    pub(crate) fn provenance(&self) -> MutexGuard<'_, Provenance> {
        // A poisoned lock is harmless: at worst one word is missing.
        self.provenance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the model accepts images.
    pub(crate) fn shows_images(&self) -> bool {
        let profile = self.model.profile();
        profile.images && !profile.guided
    }

    /// Number of changes so far.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// Counts the changes made by a call. Without a file watcher, every call that is not read-only may have
    /// changed something, and so may a job that is still running.
    pub(crate) fn notice(&self, call: &ToolCall) {
        // A guided model tends to loop, so its calls are treated as watched in any case.
        let is_watched = self.settings.tools.watches_changes() || self.model.profile().guided;
        let only_looks = self.only_looks(call);
        if call.changed_files() || self.settings.tools.goes_on(call) || !(is_watched || only_looks) {
            self.changes.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Whether the tool of a call changes nothing.
    pub(crate) fn only_looks(&self, call: &ToolCall) -> bool {
        self.tools.iter().any(|spec| spec.name == call.tool && spec.only_looks)
    }

    /// Whether a command may change what its record does not show: other machines, or files that are not watched.
    pub(crate) fn may_act_unseen(&self) -> bool {
        const UNSEEN: [EffectKind; 3] =
            [EffectKind::Network, EffectKind::OutsideMachine, EffectKind::Privilege];
        let Workplace { writes, network, granted } = &self.settings.environment.workplace;
        *network == CommandNetwork::Machine
            || *writes == Writes::Everywhere
            || UNSEEN.iter().any(|kind| granted.contains(kind))
            || !self.settings.tools.watches_changes()
    }

    /// The specifications of the tools that are not blocked.
    fn offered(&self, blocked: &Blocked) -> Vec<ToolSpec> {
        self.tools.iter().filter(|spec| !blocked.tools.contains(&spec.name)).cloned().collect()
    }

    fn used_for(&self, intent: &str) -> Vec<BlockedTarget> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.iter().filter(|(of, _)| of == intent).map(|(_, call)| call.clone()).collect()
    }

    fn remember(&self, intent: &str, calls: &[ToolCall]) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.extend(calls.iter().map(|call| {
            (intent.to_owned(), BlockedTarget { tool: call.tool.clone(), target: call.target() })
        }));
    }

    pub(crate) fn publish(&self, message: impl Into<Message>) {
        if let Err(error) = self.sender.publish(message) {
            // A closed run needs no result; the bus itself reports an overflow.
            tracing::debug!(%error, "the executor could not publish");
        }
    }
}

/// The criteria of the task by which this step is judged, too: all of them if it is the only step, otherwise those
/// that were set for it as the last one.
fn of_the_task(subtask: &SubTask, case: &CaseFile) -> Vec<Criterion> {
    let record = case.plans().iter().find(|record| record.plan.round == subtask.round);
    let Some(plan) = record.map(|record| &record.plan) else { return Vec::new() };
    let is_last = plan.subtasks.iter().all(|other| other.sequence <= subtask.sequence);
    let is_of_it = |one: &&Criterion| subtask.is_whole || (is_last && one.of_last_step);
    plan.task_criteria.iter().filter(is_of_it).cloned().collect()
}

/// An attempt that asks for consent to what is never allowed would mislead the person, whose consent changes nothing, so it
/// counts as impossible. No other refusal can be meant: a denied call ends the attempt before this.
fn without_useless_consent(mut ended: Attempt, calls: &[ToolCall]) -> Attempt {
    let mut failures = calls.iter().rev().filter_map(|call| call.failure.as_ref());
    let last = failures.find(|failure| failure.class == FailureClass::Forbidden);
    if let (Some(forbidden), Some(failure)) = (last, &mut ended.failure)
        && let Some(gave_up) = &mut failure.gave_up
        && gave_up.kind == GiveUpKind::NeedsConsent
    {
        gave_up.kind = GiveUpKind::Impossible;
        gave_up.reason = forbidden.reason.clone();
        failure.reason = forbidden.reason.clone();
        failure.class = FailureClass::Forbidden;
    }
    ended
}

fn denied(reason: String) -> Attempt {
    let failure = ExecutionFailure::of(FailureClass::Denied, reason);
    Attempt {
        status: ExecutionStatus::Failed,
        output: String::new(),
        verbatim: false,
        failure: Some(failure),
        samples: None,
        conversation: None,
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
