//! The loop between the port and the behaviour: one worker per subtask.

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
use artoo_llm_client::{LlmClient, metered};
use artoo_tools::{LookAtJob, ToolContext, ToolEffect, Toolbox, within};
use artoo_types::{
    BlockedTarget, CallId, CorrectionSignal, ExecutionFailure, ExecutionResult, ExecutionStatus,
    FailureClass, Instruction, Message, Role, SubTask, SubTaskId, Surroundings, ToolCall,
};
use futures_util::FutureExt as _;
use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinSet,
};
use tracing::Instrument as _;

use crate::{
    Attempt, AttemptContext, Blocked, ExecuteError, Executor, Ledger, Provenance, Terms, ToolSpec,
    approval_broker::ApprovalBroker, ledger::denial, tool_gateway::ToolGateway,
};

/// What the actor is given besides its port.
#[derive(Clone)]
pub struct Settings {
    /// Where and when the run happens.
    pub surroundings: Surroundings,
    /// The tools.
    pub toolbox: Arc<Toolbox>,
    /// What the tools of this run may know and do.
    pub tool_context: ToolContext,
    /// Under which terms consent is asked for.
    pub terms: Terms,
    /// Programs that `shell` can start.
    pub programs: Vec<String>,
    /// What the person wants of all work here.
    pub instructions: Arc<[Instruction]>,
    /// Whether a guided model's commands are sampled and rehearsed.
    pub samples: bool,
    /// Whose words are in the run before its first step.
    pub provenance: Provenance,
    /// How long one attempt may take, without the time that a person is asked.
    pub attempt_deadline: Duration,
    /// How many subtasks are worked on at a time.
    pub parallel: usize,
    /// Mints the ids of calls.
    pub mint: Arc<dyn Fn() -> CallId + Send + Sync>,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings").field("attempt_deadline", &self.attempt_deadline).finish_non_exhaustive()
    }
}

/// Runs every subtask of the run, and again on each correction. Returns when the run is closed; calls that still run
/// are cancelled then, with their process trees.
pub async fn run(mut port: Port, executor: Arc<dyn Executor>, model: Arc<dyn LlmClient>, settings: Settings) {
    let cancel = settings.tool_context.cancel.child_token();
    let _cancel_on_return = cancel.clone().drop_guard();
    let mut tool_context = settings.tool_context.clone();
    tool_context.cancel = cancel;
    let places = Arc::new(Semaphore::new(settings.parallel.max(1)));
    let shared = Arc::new(WorkerShared {
        sender: port.sender(),
        broker: ApprovalBroker::new(port.sender(), settings.terms.clone(), settings.surroundings.clone()),
        executor,
        model,
        tools: settings.toolbox.tools().map(spec).collect(),
        provenance: Mutex::new(settings.provenance.clone()),
        settings: Settings { tool_context, ..settings },
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
                // It came twice. A second worker would do everything again.
                continue;
            }
            let (sender, receiver) = mpsc::unbounded_channel();
            corrections.insert(subtask.subtask_id, sender);
            let span = tracing::error_span!("subtask", subtask = %subtask.subtask_id);
            let work = Arc::clone(&shared).work(subtask.clone(), blocked.clone(), receiver);
            workers.spawn(work.instrument(span));
        } else if let Message::CorrectionSignal(correction) = envelope.message.as_ref() {
            if let Some(worker) = corrections.get(&correction.subtask_id) {
                // A worker that is gone has published its last result already.
                let _ = worker.send(correction.clone());
            }
        } else if let Message::ApprovalDecided(decision) = envelope.message.as_ref() {
            shared.broker.answered(decision);
        } else if let Message::ClarificationAnswered(answer) = envelope.message.as_ref() {
            shared.broker.person_answered(answer);
        } else if let Message::PlanDirective(directive) = envelope.message.as_ref() {
            blocked = Blocked::from(directive);
            // The subtasks of the plan before have all ended; their workers wait for corrections that will not come.
            corrections.clear();
        }
    }
}

fn spec(tool: &dyn artoo_tools::Tool) -> ToolSpec {
    ToolSpec {
        name: tool.name(),
        summary: tool.summary().to_owned(),
        arguments: Arc::new(tool.arguments()),
        output_is_answer: tool.output_is_answer(),
        only_looks: match tool.effect() {
            ToolEffect::Reads | ToolEffect::Network => true,
            ToolEffect::Creates
            | ToolEffect::Edits
            | ToolEffect::Runs
            | ToolEffect::Apps
            | ToolEffect::Unknown => false,
        },
    }
}

/// What every worker shares.
pub(crate) struct WorkerShared {
    pub(crate) sender: Sender,
    pub(crate) broker: Arc<ApprovalBroker>,
    executor: Arc<dyn Executor>,
    model: Arc<dyn LlmClient>,
    pub(crate) settings: Settings,
    /// What is told of every tool.
    tools: Vec<ToolSpec>,
    /// Calls of the run by the intent of their subtask.
    used: Mutex<Vec<(String, BlockedTarget)>>,
    /// Whose words are in the run by now.
    provenance: Mutex<Provenance>,
    /// How often something has changed in this run, as far as it is known.
    changes: AtomicU64,
    places: Arc<Semaphore>,
}

impl WorkerShared {
    async fn work(
        self: Arc<Self>,
        subtask: SubTask,
        blocked: Blocked,
        mut corrections: mpsc::UnboundedReceiver<CorrectionSignal>,
    ) {
        let tools = self.offered(&blocked);
        let blocked_programs: Vec<_> = blocked.programs.iter().cloned().collect();
        let ledger = Ledger::new(&subtask.intent, &subtask.avoid, &self.used_for(&subtask.intent), blocked)
            .guarded(&subtask.guards)
            .guided(self.model.profile().guided);
        self.take_on(&subtask);
        let gateway = ToolGateway::new(&self, subtask.subtask_id, ledger);
        let (mut correction, mut said_before) = (None, None);
        let mut attempt = 1;
        loop {
            let cx = AttemptContext {
                subtask: subtask.clone(),
                surroundings: self.settings.surroundings.clone(),
                tools: tools.clone(),
                programs: self.settings.programs.clone(),
                instructions: Arc::clone(&self.settings.instructions),
                blocked: blocked_programs.clone(),
                attempt,
                correction,
                said_before,
                earlier: gateway.calls(0),
            };
            let result = self.attempt(&cx, &gateway).await;
            self.remember(&subtask.intent, &result.tool_calls);
            self.provenance().hand_on(&result.output, gateway.calls(0).last());
            said_before = Some(result.output.clone());
            self.publish(result);
            // Only a correction of this very attempt asks for another one; a second copy of it does not.
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

    async fn attempt(&self, cx: &AttemptContext, gateway: &ToolGateway<'_>) -> ExecutionResult {
        // The semaphore is never closed; without a permit the attempt would merely not be bounded.
        let _place = self.places.acquire().await.ok();
        gateway.begin_attempt();
        let sender = self.sender.clone();
        let model =
            metered(Arc::clone(&self.model), Role::Executor, Some(cx.subtask.subtask_id), move |call| {
                if let Err(error) = sender.publish(call) {
                    tracing::debug!(%error, "a model call was not recorded");
                }
            });
        let deadline = self.settings.attempt_deadline;
        // The call itself is inside, since an implementation may panic before it returns its future.
        let working = AssertUnwindSafe(async { self.executor.attempt(cx, gateway, &model).await });
        let ended = match within(deadline, gateway.rest(), working.catch_unwind()).await {
            Some(Ok(ended)) => ended,
            Some(Err(panic)) => Err(ExecuteError::Panic { message: panic_message(panic.as_ref()) }),
            None => Err(ExecuteError::Deadline { seconds: deadline.as_secs() }),
        };
        let tool_calls = gateway.calls(cx.earlier.len());
        let ended = match tool_calls.iter().find_map(denial) {
            // Whatever the behaviour made of it: a denied effect ends the subtask and is never reached by other means.
            Some(reason) => Ok(denied(reason)),
            None => ended,
        };
        match ended {
            Ok(ended) => ExecutionResult {
                subtask_id: cx.subtask.subtask_id,
                attempt: cx.attempt,
                status: ended.status,
                // Whatever the behaviour says: a quotation is compared with what it quotes.
                verbatim: ended.verbatim && gateway.quotes(tool_calls.last(), &ended.output).await,
                output: ended.output,
                tool_calls,
                failure: ended.failure,
                samples: ended.samples,
            },
            Err(error) => ExecutionResult {
                subtask_id: cx.subtask.subtask_id,
                attempt: cx.attempt,
                status: ExecutionStatus::Failed,
                output: String::new(),
                verbatim: false,
                tool_calls,
                failure: Some(error.failure()),
                samples: None,
            },
        }
    }

    /// The words of a plan are ours as far as no output has had them: a plan after the first was made with outputs in sight.
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
        // Never left half changed in a way that matters: at worst a word is missing.
        self.provenance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the model sees pictures.
    pub(crate) fn shows_images(&self) -> bool {
        let profile = self.model.profile();
        profile.images && !profile.guided
    }

    /// How often something has changed so far.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// Takes what a call changed. Where nobody watches, whatever is no look may have changed something; so may what goes on running.
    pub(crate) fn notice(&self, call: &ToolCall) {
        // A guided model goes round in circles, whether anybody watches or not.
        let is_watched = self.settings.tool_context.snapshot.is_some() || self.model.profile().guided;
        let only_looks = self.tools.iter().any(|spec| spec.name == call.tool && spec.only_looks);
        let goes_on =
            call.tool.as_str() == LookAtJob::NAME || self.settings.tool_context.jobs.is_any_running();
        if !call.files.is_empty() || goes_on || !(is_watched || only_looks) {
            self.changes.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// What is told of the tools that are not blocked.
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
            // A closed run needs no result; an overflow is reported by the bus itself.
            tracing::debug!(%error, "the executor could not publish");
        }
    }
}

fn denied(reason: String) -> Attempt {
    let failure = ExecutionFailure::of(FailureClass::Denied, reason);
    Attempt {
        status: ExecutionStatus::Failed,
        output: String::new(),
        verbatim: false,
        failure: Some(failure),
        samples: None,
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
