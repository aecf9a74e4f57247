//! A run of a single command from the user: only the executor works, with the same rules, tool and record as
//! in any run. There is no planning and no judging.

use std::{sync::Arc, time::Duration};

use artoo_bus::{Port, RunBus};
use artoo_executor::{Attempt, AttemptContext, CallTool, ExecuteError, Executor};
use artoo_llm_client::{Completion, LlmClient, LlmError, ModelProfile, Request, Silence};
use artoo_tools::{Shell, Tool as _, ToolContext, ToolLimits, Toolbox};
use artoo_types::{
    Arguments, CallEnding, Envelope, ExecutionFailure, ExecutionResult, ExecutionStatus, FailureClass,
    FinalResult, GaveUp, GiveUpKind, Message, OutcomeStatus, PlannedSubTask, Role, SubTask, SubTaskId,
    SubTaskOutcome, TaskSpec, TerminalState, ToolCall,
};
use async_trait::async_trait;
use serde_json::Value;
use uuid::Uuid;

use crate::{
    Deadlines, RunRequest, StartError, artoo::Parts, executor_settings::executor_settings,
    role_tasks::RoleTasks, run_tools::OnThisMachine,
};

/// The deadline of a role in such a run: as long as the command takes. The request's timeout and the user end
/// it.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The client of an artoo without a model, which only runs commands: every call fails.
pub(crate) struct NoModel;

/// The deadlines of such a run.
pub(crate) fn deadlines() -> Deadlines {
    Deadlines {
        perceive: LONGEST,
        plan: LONGEST,
        attempt: LONGEST,
        judge: LONGEST,
        report: LONGEST,
        step: LONGEST,
    }
}

/// The executor, and stand-ins that pass the command to it and its outcome on.
pub(crate) fn role_tasks(
    parts: &Arc<Parts>,
    bus: &RunBus,
    request: &RunRequest,
    tools: ToolContext,
) -> Result<RoleTasks, StartError> {
    let mut role_tasks = RoleTasks::default();
    role_tasks.add(bus, Role::Perceiver, |port| answering(port, task))?;
    role_tasks.add(bus, Role::Dispatcher, |port| answering(port, subtask))?;
    role_tasks.add(bus, Role::AgentValidator, |port| answering(port, outcome))?;
    role_tasks.add(bus, Role::Ggs, |port| answering(port, end))?;
    let limits = ToolLimits {
        command_time: LONGEST,
        longest_command_time: LONGEST,
        call_time: LONGEST,
        ..tools.limits.clone()
    };
    let toolbox = Arc::new(Toolbox::new().with(Shell));
    let tools = OnThisMachine { toolbox, context: ToolContext { limits, ..tools } };
    let settings = artoo_executor::Settings {
        samples: false,
        attempt_deadline: LONGEST,
        // No memory is asked: the user typed the command, so it needs no advice.
        memory_patience: None,
        ..executor_settings(parts, (request, &[]), (tools, &Silence::default()))
    };
    let model = Arc::clone(&parts.models.executor);
    role_tasks.add(bus, Role::Executor, move |port| {
        artoo_executor::run(port, Arc::new(CarriesOut), Arc::clone(&model), settings.clone())
    })?;
    Ok(role_tasks)
}

/// A role that answers single messages.
async fn answering(mut port: Port, answer: fn(&Envelope) -> Option<Message>) {
    while let Some(envelope) = port.recv().await {
        if let Some(message) = answer(&envelope)
            && let Err(error) = port.publish(message)
        {
            tracing::debug!(%error, "a message of a command's run could not be published");
        }
    }
}

/// The command as a task, verbatim.
fn task(envelope: &Envelope) -> Option<Message> {
    let Message::UserRequest(request) = envelope.message.as_ref() else { return None };
    let spec = TaskSpec::verbatim(&request.text);
    Some(spec.into())
}

/// The task as its only step.
fn subtask(envelope: &Envelope) -> Option<Message> {
    let Message::TaskSpec(spec) = envelope.message.as_ref() else { return None };
    let subtask = SubTask {
        is_whole: true,
        ..SubTask::of(
            SubTaskId::new(Uuid::now_v7()),
            envelope.run_id,
            PlannedSubTask::new(1, &spec.intent, Vec::new()),
        )
    };
    Some(subtask.into())
}

/// The outcome of the step, without judging: it matched if the command was run.
fn outcome(envelope: &Envelope) -> Option<Message> {
    let Message::ExecutionResult(result) = envelope.message.as_ref() else { return None };
    let call = result.tool_calls.last();
    if is_cut_short(result) {
        return None;
    }
    let command = call.map(ToolCall::target).unwrap_or_default();
    let status = if call.is_some_and(is_done) { OutcomeStatus::Matched } else { OutcomeStatus::Failed };
    let outcome = SubTaskOutcome {
        output: Value::String(result.output.clone()),
        failure_reason: result.failure.as_ref().map(|failure| failure.reason.clone()),
        tool_calls: result.tool_calls.clone(),
        ..SubTaskOutcome::new(result.subtask_id, envelope.run_id, command, status)
    };
    Some(outcome.into())
}

/// Whether the run is being ended from outside; the fault that follows says by whom.
fn is_cut_short(result: &ExecutionResult) -> bool {
    match result.tool_calls.last() {
        Some(call) => call.ending == CallEnding::Cancelled,
        // The interruption came before the call.
        None => result.failure.as_ref().is_some_and(|failure| !failure.infrastructure),
    }
}

/// The end of the run: accepted if the command was run; its exit status is its own.
fn end(envelope: &Envelope) -> Option<Message> {
    let nothing = FinalResult::nothing(envelope.run_id, "command");
    if let Message::SubTaskOutcome(outcome) = envelope.message.as_ref() {
        let call = outcome.tool_calls.last();
        let is_done = outcome.status == OutcomeStatus::Matched;
        let result = FinalResult {
            summary: call.map(summary).or(outcome.failure_reason.clone()).unwrap_or_default(),
            output: outcome.output.clone(),
            directive: if is_done { TerminalState::Accept } else { TerminalState::Abandon },
            gave_up: call.and_then(refusal),
            ..nothing
        };
        Some(result.into())
    } else if let Message::Fault(fault) = envelope.message.as_ref() {
        let (summary, fault) = (fault.message.clone(), Some(fault.clone()));
        Some(FinalResult { summary, fault, ..nothing }.into())
    } else {
        None
    }
}

/// Whether the command ended by itself, with any status.
fn is_done(call: &ToolCall) -> bool {
    match call.ending {
        CallEnding::Exited { .. } | CallEnding::Signalled { .. } => true,
        CallEnding::Returned | CallEnding::TimedOut | CallEnding::Cancelled | CallEnding::Refused => false,
    }
}

fn refusal(call: &ToolCall) -> Option<GaveUp> {
    let failure = call.failure.as_ref().filter(|_| call.ending == CallEnding::Refused)?;
    // No consent would help with what is never allowed.
    let kind = match failure.class {
        FailureClass::Forbidden => GiveUpKind::Impossible,
        FailureClass::Denied
        | FailureClass::Logical
        | FailureClass::Environmental
        | FailureClass::Unknown => GiveUpKind::NeedsConsent,
    };
    Some(GaveUp { kind, reason: failure.reason.clone(), question: None })
}

/// How the command ended, in a sentence.
fn summary(call: &ToolCall) -> String {
    let failed = || call.failure.as_ref().map(|failure| failure.reason.clone()).unwrap_or_default();
    match call.ending {
        CallEnding::Exited { status } => format!("The command ended with status {status}."),
        CallEnding::Signalled { .. }
        | CallEnding::Returned
        | CallEnding::TimedOut
        | CallEnding::Cancelled
        | CallEnding::Refused => failed(),
    }
}

/// Calls the shell with the text of the step.
struct CarriesOut;

#[async_trait]
impl Executor for CarriesOut {
    async fn attempt(
        &self,
        cx: &AttemptContext,
        tools: &dyn CallTool,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError> {
        let arguments: Arguments =
            [("command".to_owned(), cx.subtask.intent.as_str().into())].into_iter().collect();
        let attempt = Attempt {
            status: ExecutionStatus::Failed,
            output: String::new(),
            verbatim: false,
            failure: None,
            samples: None,
            conversation: None,
        };
        Ok(match tools.call(&Shell.name(), arguments).await {
            Ok(call) if is_done(&call) => {
                Attempt { status: ExecutionStatus::Completed, output: call.output.shown, ..attempt }
            }
            Ok(call) => {
                let failure = call.failure.map(|failure| ExecutionFailure::of(failure.class, failure.reason));
                Attempt { output: call.output.shown, failure, ..attempt }
            }
            Err(stopped) => {
                let failure = ExecutionFailure::of(FailureClass::Unknown, stopped.to_string());
                Attempt { failure: Some(failure), ..attempt }
            }
        })
    }
}

#[async_trait]
impl LlmClient for NoModel {
    fn model(&self) -> &str {
        "none"
    }

    fn structured(&self) -> bool {
        false
    }

    fn profile(&self) -> ModelProfile {
        ModelProfile::default()
    }

    async fn complete(&self, _: &Request) -> Result<Completion, LlmError> {
        Err(LlmError::Configuration { reason: "no model is set up".to_owned() })
    }
}
