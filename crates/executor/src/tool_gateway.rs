//! The way of one subtask to the tools: the rules are asked, the call is made, everything is recorded.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use artoo_llm_client::Image;
use artoo_tools::{NotRehearsed, PauseClock, Perturbation, Rehearsal, Rehearsed};
use artoo_types::{
    Arguments, BlockedTarget, CallEnding, CallFailure, CallId, FailureClass, OutputRecord, SubTaskId,
    ToolCall, ToolFinished, ToolName, ToolOutput, ToolStarted, Trust,
};
use async_trait::async_trait;
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use tracing::Instrument as _;

use crate::{
    CallStopped, CallTool, Ledger, Ruling,
    actor::WorkerShared,
    guard::{self, Hold},
    ledger::denial,
};

/// The longest output that may be an answer word for word, in bytes. A longer one belongs in a file.
const MAX_ANSWER_BYTES: u64 = 64 * 1024;

/// How long a command may take that is only rehearsed.
const REHEARSAL: Duration = Duration::from_secs(5);

/// The way of one subtask to the tools.
pub(crate) struct ToolGateway<'a> {
    shared: &'a WorkerShared,
    subtask_id: SubTaskId,
    ledger: Mutex<Ledger>,
    /// How long its calls have waited for people.
    pauses: PauseClock,
}

impl<'a> ToolGateway<'a> {
    pub(crate) fn new(shared: &'a WorkerShared, subtask_id: SubTaskId, ledger: Ledger) -> Self {
        Self { shared, subtask_id, ledger: Mutex::new(ledger), pauses: PauseClock::default() }
    }

    pub(crate) fn rest(&self) -> &PauseClock {
        &self.pauses
    }

    pub(crate) fn begin_attempt(&self) {
        self.ledger().begin_attempt();
    }

    /// The calls on record from this position on.
    pub(crate) fn calls(&self, from: usize) -> Vec<ToolCall> {
        self.ledger().calls().get(from..).unwrap_or_default().to_vec()
    }

    /// Whether this is what the call put out, all of it.
    pub(crate) async fn quotes(&self, call: Option<&ToolCall>, output: &str) -> bool {
        let Some(call) = call else { return false };
        self.whole_output(call).await.is_some_and(|whole| whole.trim() == output.trim())
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        // The ledger is never left half changed, so a panic elsewhere spoils nothing.
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What becomes of a call that memory holds back; `None` where it holds nothing against it. The clocks rest while a person is asked.
    async fn hold(&self, call_id: CallId, call: &BlockedTarget) -> Result<Option<Hold>, CallStopped> {
        let context = &self.shared.settings.tool_context;
        let recorded = context.evidence.redactor().apply(&call.target).into_owned();
        let recorded = BlockedTarget { target: recorded, ..call.clone() };
        let Some(guard) = self.ledger().guard(call, &recorded).cloned() else { return Ok(None) };
        let resting = self.pauses.begin();
        let answer = tokio::select! {
            answer = self.shared.broker.ask_about_memory((self.subtask_id, call_id), call, &guard) => answer,
            () = context.cancel.cancelled() => return Err(CallStopped::Cancelled),
        };
        drop(resting);
        Ok(Some(guard::hold(&guard, answer.as_ref())))
    }

    /// The record of a call that the end of its attempt killed.
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
            call_id,
            tool: tool.clone(),
            arguments,
            ending: CallEnding::Refused,
            failure: Some(CallFailure { class: FailureClass::Logical, reason, hint: None }),
            output: OutputRecord::default(),
            stderr: OutputRecord::default(),
            files: Vec::new(),
            trust: Trust::default(),
            held: None,
            started_at: self.shared.settings.tool_context.time.now(),
            duration_ms: 0,
        }
    }
}

#[async_trait]
impl CallTool for ToolGateway<'_> {
    async fn call(&self, tool: &ToolName, arguments: Arguments) -> Result<ToolCall, CallStopped> {
        let settings = &self.shared.settings;
        if settings.tool_context.cancel.is_cancelled() {
            return Err(CallStopped::Cancelled);
        }
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
        // Before the call, whose own output comes too late to have brought anything in.
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
                let mut cx = settings.tool_context.clone();
                cx.consent = self.shared.broker.of(subtask_id, call_id, foreign);
                cx.pauses = self.pauses.clone();
                cx.images = self.shared.shows_images();
                cx.trial_only = matches!(hold, Some(Hold::Tried(_)));
                cx.on_output = Some(Arc::new(move |text: &str| {
                    // A live view may miss output; the evidence has it.
                    let _ = sender.publish(ToolOutput { subtask_id, call_id, text: text.to_owned() });
                }));
                let made = settings.toolbox.call(call_id, tool, arguments, &cx);
                let made = made.instrument(tracing::error_span!("tool_call", call = %call_id)).await;
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

    async fn rehearse(&self, command: &str, world: &Perturbation) -> Result<Rehearsed, NotRehearsed> {
        if !self.shared.settings.samples {
            return Err(NotRehearsed { reason: "nothing is rehearsed in this run".to_owned() });
        }
        let arguments = [("command".to_owned(), command.into())].into_iter().collect();
        let call = BlockedTarget::of(&ToolName::new("shell"), &arguments);
        let may_not = |reason: String| NotRehearsed { reason };
        let held = {
            let ledger = self.ledger();
            if let Ruling::Refused(reason) = ledger.forbidden(&call) {
                return Err(may_not(reason));
            }
            ledger.guard(&call, &call).is_some()
        };
        if held {
            return Err(may_not("memory advises against it".to_owned()));
        }
        let settings = &self.shared.settings;
        let rules = settings.terms.rules.clone();
        let rehearsal = Rehearsal::new(&settings.toolbox, settings.tool_context.clone(), rules);
        rehearsal.run(&[command], world, REHEARSAL).await
    }

    async fn ask_person(&self, question: &str) -> Option<String> {
        let resting = self.pauses.begin();
        let cancel = &self.shared.settings.tool_context.cancel;
        let answer = tokio::select! {
            answer = self.shared.broker.ask_person(self.subtask_id, question) => answer,
            () = cancel.cancelled() => None,
        };
        drop(resting);
        // The person's words are the person's: what they name is no taint.
        answer.inspect(|words| self.shared.provenance().say(words))
    }

    async fn picture(&self, call: &ToolCall) -> Option<Image> {
        let OutputRecord { media_type, evidence, .. } = &call.output;
        let bytes = self.shared.settings.tool_context.evidence.get(evidence.as_ref()?).ok()?;
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
        let kept = self.shared.settings.tool_context.evidence.get(evidence.as_ref()?).ok()?;
        // As in what is shown: nothing that could drive a terminal.
        let printable =
            |c: char| if c.is_control() && c != '\n' && c != '\t' { char::REPLACEMENT_CHARACTER } else { c };
        Some(String::from_utf8_lossy(&kept).replace("\r\n", "\n").chars().map(printable).collect())
    }
}

/// A call that runs. Where it is dropped before it ends, because the attempt was cut off, it goes on record all the same.
struct Running<'a> {
    gateway: &'a ToolGateway<'a>,
    /// The record of a call that was cut off; taken out when the call ends by itself.
    call: Option<ToolCall>,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let Some(mut call) = self.call.take() else { return };
        let now = self.gateway.shared.settings.tool_context.time.now();
        call.duration_ms = u64::try_from((now - call.started_at).num_milliseconds()).unwrap_or_default();
        self.gateway.ledger().record(call.clone());
        self.gateway.shared.publish(ToolFinished { subtask_id: self.gateway.subtask_id, call });
    }
}
