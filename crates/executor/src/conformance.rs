//! Conformance suite for [`Executor`]: contract checks that any implementation can be run against.
//!
//! Each check is one law. `model` is passed to the implementation; an implementation that asks a model needs
//! one that answers any question. The laws of [`check_all`] must hold for any answers;
//! [`completes_what_is_possible`] needs a model that chooses a call and takes its result for the answer, and
//! is the law that an executor which does nothing breaks. What the actor enforces by itself (blocked calls,
//! duplicates, consent, deadlines) needs no check here.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! use std::sync::Arc;
//! use artoo_executor::{ModelExecutor, conformance};
//! use artoo_llm_client::{LlmClient, doubles::{Answer, Expect, ScriptedModel}};
//!
//! let turn = serde_json::json!({"tool": "shell", "arguments": {"command": "ls"}, "output_is_answer": true});
//! let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new().always(Expect::any(), Answer::json(turn)));
//! assert_eq!(conformance::check_all(&ModelExecutor::default(), &model).await, Ok(()));
//! assert_eq!(conformance::completes_what_is_possible(&ModelExecutor::default(), &model).await, Ok(()));
//! # });
//! ```

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use artoo_case_file::Background;
use artoo_llm_client::LlmClient;
use artoo_types::{
    Arguments, CallEnding, CallFailure, CallId, ExecutionStatus, FailureClass, OutputRecord, PlannedSubTask,
    RunId, SubTask, SubTaskId, Surroundings, ToolCall, ToolName,
};
use async_trait::async_trait;
use chrono::DateTime;
use serde_json::json;
use uuid::Uuid;

use crate::{Attempt, AttemptContext, CallStopped, CallTool, Environment, Executor, ToolSpec};

/// Number of calls after which an attempt without progress must have ended.
const PATIENCE: u32 = 200;

/// Checks every law in turn.
///
/// # Errors
/// Describes how the implementation broke the first law that failed; likewise for the functions below.
pub async fn check_all(executor: &dyn Executor, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    completes_nothing_without_a_call(executor, model).await?;
    stops_when_it_is_stopped(executor, model).await?;
    ends_where_everything_is_refused(executor, model).await
}

/// An attempt without a call is not reported as completed.
pub async fn completes_nothing_without_a_call(
    executor: &dyn Executor,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    let (attempt, calls) = attempted(executor, model, Way::Works).await?;
    match attempt.status {
        ExecutionStatus::Completed if calls == 0 => {
            Err(format!("it was completed without a call: {:?}", attempt.output))
        }
        ExecutionStatus::Failed if attempt.failure.is_none() => Err("it failed without a reason".to_owned()),
        ExecutionStatus::Completed | ExecutionStatus::Uncertain | ExecutionStatus::Failed => Ok(()),
    }
}

/// A step that a single call can do is completed: every `shell` call here outputs 3, and that is the answer.
///
/// # Errors
/// See [`check_all`].
pub async fn completes_what_is_possible(
    executor: &dyn Executor,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    let (attempt, calls) = attempted(executor, model, Way::Works).await?;
    let is_done = attempt.status == ExecutionStatus::Completed && attempt.failure.is_none();
    if calls == 0 {
        Err("every call would have worked, and it made none".to_owned())
    } else if !is_done {
        Err(format!("its calls worked, and it ended as {:?}: {:?}", attempt.status, attempt.failure))
    } else if attempt.output.trim() != "3" {
        Err(format!("its calls put out 3, and it says {:?}", attempt.output))
    } else {
        Ok(())
    }
}

/// After the actor has ended the attempt, the executor makes no call and claims nothing.
///
/// # Errors
/// See [`check_all`].
pub async fn stops_when_it_is_stopped(
    executor: &dyn Executor,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    let (attempt, calls) = attempted(executor, model, Way::Denies).await?;
    if calls > 1 {
        return Err(format!("it made {} more calls after it was stopped", calls - 1));
    }
    let claims = calls > 0 && attempt.status == ExecutionStatus::Completed;
    if claims { Err(format!("it was denied, and claimed {:?}", attempt.output)) } else { Ok(()) }
}

/// If every call is refused, the attempt ends by itself and claims nothing.
///
/// # Errors
/// See [`check_all`].
pub async fn ends_where_everything_is_refused(
    executor: &dyn Executor,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    let (attempt, calls) = attempted(executor, model, Way::Refuses).await?;
    if calls >= PATIENCE {
        return Err(format!("it asked for {PATIENCE} calls although each was refused"));
    }
    let claims = attempt.status == ExecutionStatus::Completed;
    if claims { Err(format!("nothing was carried out, and it claimed {:?}", attempt.output)) } else { Ok(()) }
}

/// The first attempt at a subtask with this intent, with `shell` as the only tool.
pub fn context(intent: &str) -> AttemptContext {
    AttemptContext {
        subtask: SubTask::of(
            SubTaskId::new(Uuid::nil()),
            RunId::OPERATOR,
            PlannedSubTask::new(1, intent, Vec::new()),
        ),
        surroundings: Surroundings {
            now: DateTime::UNIX_EPOCH.fixed_offset(),
            zone: "UTC".to_owned(),
            working_folder: PathBuf::from("/home/ada/work"),
            workspace: PathBuf::from("/home/ada/artoo_workspace"),
            home: PathBuf::from("/home/ada"),
            platform: "linux".to_owned(),
        },
        environment: Environment::default(),
        background: Background::default(),
        task_criteria: Vec::new(),
        tools: vec![ToolSpec {
            name: ToolName::new("shell"),
            summary: "runs a command".to_owned(),
            description: "Run a command.".to_owned(),
            in_this_run: None,
            arguments: Arc::new(json!({
                "type": "object",
                "properties": {"command": {"type": "string"}},
                "required": ["command"],
                "additionalProperties": false,
            })),
            output_is_answer: true,
            only_looks: false,
        }],
        programs: vec!["find".to_owned(), "python3".to_owned()],
        instructions: Arc::default(),
        blocked: Vec::new(),
        attempt: 1,
        correction: None,
        said_before: None,
        earlier: Vec::new(),
        conversation: None,
    }
}

/// The fate of every call.
#[derive(Clone, Copy)]
enum Way {
    Works,
    Refuses,
    Denies,
}

struct Tools {
    way: Way,
    calls: AtomicU32,
}

#[async_trait]
impl CallTool for Tools {
    async fn call(&self, tool: &ToolName, arguments: Arguments) -> Result<ToolCall, CallStopped> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst);
        let refused = match self.way {
            Way::Works => false,
            Way::Refuses if number < PATIENCE => true,
            Way::Refuses | Way::Denies => {
                return Err(CallStopped::Denied { reason: "nobody allowed it".to_owned() });
            }
        };
        let failure =
            CallFailure { class: FailureClass::Logical, reason: "it is blocked".to_owned(), hint: None };
        let shown = if refused { String::new() } else { "3\n".to_owned() };
        Ok(ToolCall {
            failure: refused.then_some(failure),
            output: OutputRecord { bytes: shown.len() as u64, shown, ..OutputRecord::default() },
            duration_ms: 1,
            ..ToolCall::new(
                CallId::new(Uuid::from_u128(u128::from(number))),
                tool.clone(),
                arguments,
                if refused { CallEnding::Refused } else { CallEnding::Exited { status: 0 } },
                DateTime::UNIX_EPOCH.fixed_offset(),
            )
        })
    }
}

async fn attempted(
    executor: &dyn Executor,
    model: &Arc<dyn LlmClient>,
    way: Way,
) -> Result<(Attempt, u32), String> {
    let tools = Tools { way, calls: AtomicU32::new(0) };
    let attempt = executor.attempt(&context("Count the files in docs"), &tools, model).await;
    let attempt = attempt.map_err(|error| format!("the attempt came to nothing: {error}"))?;
    Ok((attempt, tools.calls.load(Ordering::SeqCst)))
}
