//! Tool gateway of one subtask: applies the call rules, makes the call, and records everything.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use artoo_bus::Activity;
use artoo_consent::PauseClock;
use artoo_llm_client::{Image, Silence};
use artoo_types::{
    Arguments, BlockedTarget, CallEnding, CallFailure, CallId, FailureClass, MemoryGuard, NotRehearsed,
    OutputRecord, Perturbation, Progress, Rehearsed, SubTask, SubTaskId, TagPair, ToolCall, ToolFinished,
    ToolKind, ToolName, ToolOutput, ToolStarted, printable, settled,
};
use async_trait::async_trait;
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use tracing::Instrument as _;

use crate::{
    CallStopped, CallTerms, CallTool, Ledger, Ruling,
    actor::WorkerShared,
    ledger::denial,
    memory_hold::{self, Hold},
};

/// The longest output that may be used verbatim as the answer, in bytes. A longer one belongs in a file.
const MAX_ANSWER_BYTES: u64 = 64 * 1024;

/// Timeout of a rehearsed command.
const REHEARSAL: Duration = Duration::from_secs(5);

/// Tool access for one subtask.
pub(crate) struct ToolGateway<'a> {
    shared: &'a WorkerShared,
    subtask_id: SubTaskId,
    /// The request, by which memory knows wrong answers to it.
    request: String,
    ledger: Mutex<Ledger>,
    /// Time that its calls have waited for the person.
    pauses: PauseClock,
    /// How long nothing was heard of it.
    silence: Silence,
    /// The commands that are tried.
    trial: Mutex<Option<Activity>>,
}

impl<'a> ToolGateway<'a> {
    pub(crate) fn new(shared: &'a WorkerShared, subtask: &SubTask, ledger: Ledger) -> Self {
        Self {
            shared,
            subtask_id: subtask.subtask_id,
            request: subtask.briefing.request.clone(),
            ledger: Mutex::new(ledger),
            pauses: PauseClock::default(),
            silence: shared.settings.silence.below(),
            trial: Mutex::default(),
        }
    }

    pub(crate) fn rest(&self) -> &PauseClock {
        &self.pauses
    }

    pub(crate) fn silence(&self) -> &Silence {
        &self.silence
    }

    pub(crate) fn begin_attempt(&self) {
        self.ledger().begin_attempt();
    }

    /// The recorded calls from this position on.
    pub(crate) fn calls(&self, from: usize) -> Vec<ToolCall> {
        self.ledger().calls().get(from..).unwrap_or_default().to_vec()
    }

    /// Whether the text equals the full output of the call.
    pub(crate) async fn quotes(&self, call: Option<&ToolCall>, output: &str) -> bool {
        let Some(call) = call else { return false };
        self.whole_output(call).await.is_some_and(|whole| whole.trim() == output.trim())
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        // The ledger is always consistent, so a panic elsewhere corrupts nothing.
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An activity of this subtask.
    fn activity(&self, progress: Progress) -> Activity {
        self.shared.sender.begin_activity(Some(self.subtask_id), progress)
    }

    /// What memory holds against a call. Experience alone holds only while the run has changed nothing.
    async fn guard(&self, call_id: CallId, call: &BlockedTarget) -> Option<MemoryGuard> {
        let folder = &self.shared.settings.surroundings.working_folder;
        let pairs = TagPair::about_call(&self.request, call, folder);
        let guard = self.shared.guards.of(call_id, call, pairs).await?;
        (guard.by_rule || self.shared.changes() == 0).then_some(guard)
    }

    /// Decides about a call that memory holds back; `None` if memory has nothing against it. The clocks pause
    /// while the person is asked.
    async fn hold(&self, call_id: CallId, call: &BlockedTarget) -> Result<Option<Hold>, CallStopped> {
        let settings = &self.shared.settings;
        let Some(guard) = self.guard(call_id, call).await else { return Ok(None) };
        let resting = (self.pauses.begin(), self.silence.rest());
        let answer = tokio::select! {
            answer = self.shared.broker.ask_about_memory((self.subtask_id, call_id), call, &guard) => answer,
            () = settings.cancel.cancelled() => return Err(CallStopped::Cancelled),
        };
        drop(resting);
        Ok(Some(memory_hold::hold(&guard, answer.as_ref())))
    }

    /// The record of a call that was killed because its attempt ended.
    fn cut_off(&self, call_id: CallId, tool: &ToolName, arguments: &Arguments) -> ToolCall {
        let reason = "the attempt ended while it ran".to_owned();
        ToolCall {
            ending: CallEnding::Cancelled,
            failure: Some(CallFailure { class: FailureClass::Environmental, reason, hint: None }),
            ..self.refused(call_id, tool, arguments.clone(), String::new())
        }
    }

    fn refused(&self, call_id: CallId, tool: &ToolName, arguments: Arguments, reason: String) -> ToolCall {
        ToolCall {
            failure: Some(CallFailure { class: FailureClass::Logical, reason, hint: None }),
            ..ToolCall::new(
                call_id,
                tool.clone(),
                arguments,
                CallEnding::Refused,
                self.shared.settings.tools.now(),
            )
        }
    }
}

#[async_trait]
impl CallTool for ToolGateway<'_> {
    async fn call(&self, tool: &ToolName, arguments: Arguments) -> Result<ToolCall, CallStopped> {
        let settings = &self.shared.settings;
        if settings.cancel.is_cancelled() {
            return Err(CallStopped::Cancelled);
        }
        let arguments = settings.tools.coerced(tool, arguments);
        let target = BlockedTarget::of(tool, &arguments);
        let ruling = self.ledger().rule(tool, &arguments, self.shared.changes());
        let call_id = (settings.mint)();
        let started = ToolStarted {
            subtask_id: self.subtask_id,
            call_id,
            tool: tool.clone(),
            arguments: arguments.clone(),
        };
        self.shared.publish(started);
        // Computed before the call, since its own output comes too late to have brought anything in.
        let foreign = self.shared.provenance().foreign_words(&arguments);
        let tainted = foreign.first().map(|word| word.taint.clone());
        let marked = |mut call: ToolCall| {
            call.trust.tainted.clone_from(&tainted);
            call
        };
        let call = match ruling {
            Ruling::Stopped(stopped) => {
                let call = marked(self.refused(call_id, tool, arguments, stopped.to_string()));
                self.shared.publish(ToolFinished { subtask_id: self.subtask_id, call });
                return Err(stopped);
            }
            Ruling::Refused(reason) => marked(self.refused(call_id, tool, arguments, reason)),
            Ruling::Known(known) => {
                let reason =
                    "this very call was made before, and nothing has changed since; it gave this".to_owned();
                let ToolCall { output, stderr, .. } = *known;
                ToolCall { output, stderr, ..marked(self.refused(call_id, tool, arguments, reason)) }
            }
            Ruling::Allowed => {
                let (sender, subtask_id) = (self.shared.sender.clone(), self.subtask_id);
                let mut running =
                    Running { gateway: self, call: Some(marked(self.cut_off(call_id, tool, &arguments))) };
                let hold = self.hold(call_id, &target).await?;
                let held = hold.as_ref().map(|hold| hold.held().clone());
                if let Some(Hold::Refused(_, reason)) = hold {
                    running.call = None;
                    let call = ToolCall { held, ..marked(self.refused(call_id, tool, arguments, reason)) };
                    self.shared.publish(ToolFinished { subtask_id, call: call.clone() });
                    return Ok(call);
                }
                let terms = CallTerms {
                    consent: self.shared.broker.of((subtask_id, call_id), foreign, &self.silence),
                    pauses: self.pauses.clone(),
                    images: self.shared.shows_images(),
                    trial_only: matches!(hold, Some(Hold::Tried(_))),
                    on_output: Arc::new(move |text: &str| {
                        // A live view may miss output; the evidence has all of it.
                        let _ = sender.publish(ToolOutput { subtask_id, call_id, text: text.to_owned() });
                    }),
                    cancel: settings.cancel.clone(),
                };
                self.silence.heard();
                let activity = self.activity(Progress::RunningTool { call_id });
                let made = settings.tools.call(call_id, tool, arguments, terms);
                let made = made.instrument(tracing::error_span!("tool_call", call = %call_id)).await;
                drop(activity);
                self.silence.heard();
                let call = ToolCall { held, ..marked(made) };
                running.call = None;
                self.ledger().record(call.clone());
                self.shared.provenance().record(&call);
                self.shared.notice(&call);
                call
            }
        };
        self.shared.publish(ToolFinished { subtask_id: self.subtask_id, call: call.clone() });
        match denial(&call) {
            Some(reason) => Err(CallStopped::Denied { reason }),
            None => Ok(call),
        }
    }

    fn is_known(&self, tool: &ToolName, arguments: &Arguments) -> bool {
        // As `call` records them.
        let arguments = self.shared.settings.tools.coerced(tool, arguments.clone());
        self.ledger().knows(tool, &arguments, self.shared.changes())
    }

    async fn rehearse(&self, command: &str, world: &Perturbation) -> Result<Rehearsed, NotRehearsed> {
        if !self.shared.settings.samples {
            return Err(NotRehearsed { reason: "nothing is rehearsed in this run".to_owned() });
        }
        let arguments = [("command".to_owned(), command.into())].into_iter().collect();
        let call = BlockedTarget::of(&ToolKind::Shell.into(), &arguments);
        let may_not = |reason: String| NotRehearsed { reason };
        let forbidden = self.ledger().forbidden(&call);
        if let Ruling::Refused(reason) = forbidden {
            return Err(may_not(reason));
        }
        let settings = &self.shared.settings;
        if self.guard((settings.mint)(), &call).await.is_some() {
            return Err(may_not("memory advises against it".to_owned()));
        }
        let rules = settings.terms.rules.clone();
        let rehearsed = settings.tools.rehearse(command, world, rules, REHEARSAL).await?;
        let mut provenance = self.shared.provenance();
        provenance.overhear(&rehearsed.stdout.text());
        provenance.overhear(&rehearsed.stderr.text());
        Ok(rehearsed)
    }

    fn tell_trial(&self, trial: Option<Progress>) {
        // A poisoned lock is harmless: at worst a report is missing.
        let mut told = self.trial.lock().unwrap_or_else(PoisonError::into_inner);
        match (trial, told.as_ref()) {
            (Some(progress), Some(activity)) => activity.report(progress),
            (Some(progress), None) => *told = Some(self.activity(progress)),
            (None, _) => *told = None,
        }
    }

    async fn ask_person(&self, question: &str) -> Option<String> {
        let resting = (self.pauses.begin(), self.silence.rest());
        let cancel = &self.shared.settings.cancel;
        let answer = tokio::select! {
            answer = self.shared.broker.ask_person(self.subtask_id, question) => answer,
            () = cancel.cancelled() => None,
        };
        drop(resting);
        // The person's answer is trusted: what it names is no taint.
        answer.inspect(|words| self.shared.provenance().say(words))
    }

    fn hides_effects(&self, call: &ToolCall) -> bool {
        // What a job has changed is in the record of the job, not in that of a look at it.
        let is_tracked = call.tool.is(ToolKind::Job) || call.tool.kind().is_some_and(ToolKind::is_tracked);
        !self.shared.only_looks(call) && (!is_tracked || self.shared.may_act_unseen())
    }

    async fn picture(&self, call: &ToolCall) -> Option<Image> {
        let OutputRecord { media_type, evidence, .. } = &call.output;
        let bytes = self.shared.settings.tools.kept(evidence.as_ref()?)?;
        Some(Image { media_type: media_type.clone()?, data: BASE64.encode(bytes).into() })
    }

    async fn whole_output(&self, call: &ToolCall) -> Option<String> {
        let OutputRecord { shown, bytes, dropped_bytes, evidence, .. } = &call.output;
        if *bytes == u64::try_from(shown.len()).ok()? {
            return Some(shown.clone());
        }
        if *dropped_bytes > 0 || *bytes > MAX_ANSWER_BYTES {
            return None;
        }
        let kept = self.shared.settings.tools.kept(evidence.as_ref()?)?;
        let kept = String::from_utf8_lossy(&kept);
        // As the record shows it.
        let is_of_command = call.tool.is(ToolKind::Shell) || call.tool.is(ToolKind::Job);
        Some(if is_of_command { printable(&settled(&kept).text) } else { printable(&kept) })
    }
}

/// A call in flight. If it is dropped before it ends, because the attempt was cut off, it is still recorded.
struct Running<'a> {
    gateway: &'a ToolGateway<'a>,
    /// The record to write if the call is cut off; taken out when the call ends by itself.
    call: Option<ToolCall>,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let Some(mut call) = self.call.take() else { return };
        let now = self.gateway.shared.settings.tools.now();
        call.duration_ms = u64::try_from((now - call.started_at).num_milliseconds()).unwrap_or_default();
        self.gateway.ledger().record(call.clone());
        self.gateway.shared.publish(ToolFinished { subtask_id: self.gateway.subtask_id, call });
    }
}
