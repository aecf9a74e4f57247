//! The [`Executor`] trait, its tool interface [`CallTool`], and the inputs and result of an attempt.

use std::sync::Arc;

use artoo_case_file::Background;
use artoo_llm_client::{Image, LlmClient};
use artoo_types::{
    Arguments, BlockedProgram, CorrectionSignal, Criterion, ExecutionFailure, ExecutionStatus, Instruction,
    NotRehearsed, Perturbation, Progress, Rehearsed, Samples, SubTask, Surroundings, ToolCall, ToolName,
};
use async_trait::async_trait;

use crate::{CallStopped, Conversation, Environment, ExecuteError};

/// Makes one attempt at a subtask.
///
/// *Contract.* Work is done only through `tools`; the actor records every call, independent of what the
/// implementation reports. The output is a claim that the calls must support. A correction names what was
/// wrong with the previous attempt.
///
/// *Who calls.* The actor, once per attempt.
///
/// *Cancellation.* The future may be dropped at any await; a running call is then killed with its process
/// tree.
///
/// *An implementation must not* judge its output, repeat itself after the actor stopped it, or invent tool
/// output.
#[async_trait]
pub trait Executor: Send + Sync {
    /// Makes the attempt. `model` is metered; an implementation may leave it unused.
    async fn attempt(
        &self,
        cx: &AttemptContext,
        tools: &dyn CallTool,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError>;
}

/// Tool access for an attempt. Implemented by the actor, which enforces the rules and keeps the record.
#[async_trait]
pub trait CallTool: Send + Sync {
    /// Calls a tool. A call that failed or was refused is a record like any other; `Err` means that this
    /// attempt is over.
    async fn call(&self, tool: &ToolName, arguments: Arguments) -> Result<ToolCall, CallStopped>;

    /// Whether an identical call was requested before and nothing has changed since, so that another one
    /// yields nothing new.
    fn is_known(&self, _tool: &ToolName, _arguments: &Arguments) -> bool {
        false
    }

    /// Runs a `shell` command in the given perturbed world and returns its output. Nothing it does persists,
    /// the person is not asked, and it does not count as a call. A command that may not be called is not
    /// rehearsed either.
    ///
    /// # Errors
    /// Why it was not run, or did not end.
    async fn rehearse(&self, _command: &str, _world: &Perturbation) -> Result<Rehearsed, NotRehearsed> {
        Err(NotRehearsed { reason: "nothing can be rehearsed here".to_owned() })
    }

    /// Tells who waits for the run what is tried now; `None` when nothing is. The run is the same without it.
    fn tell_trial(&self, _trial: Option<Progress>) {}

    /// Asks the person. `None` if no person is present or the answer is empty. The clocks pause until the
    /// answer arrives.
    async fn ask_person(&self, _question: &str) -> Option<String> {
        None
    }

    /// Whether a call may have had effects that its record does not show: on other machines, or where nobody watches.
    fn hides_effects(&self, _call: &ToolCall) -> bool {
        false
    }

    /// The image that a call produced, if its output is one and was stored.
    async fn picture(&self, _call: &ToolCall) -> Option<Image> {
        None
    }

    /// The full output of a call, of which the record may show only head and tail. `None` if it is too long
    /// for an answer or was not stored: the excerpt is then incomplete and must not be used as the answer.
    async fn whole_output(&self, call: &ToolCall) -> Option<String> {
        let shown = &call.output.shown;
        (u64::try_from(shown.len()).ok()? == call.output.bytes).then(|| shown.clone())
    }
}

/// A tool as it is described to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSpec {
    /// Its name.
    pub name: ToolName,
    /// What it does, in one line.
    pub summary: String,
    /// What it does, as a model that may choose it is told. The same in every run.
    pub description: String,
    /// What its caller has to know that holds in this run alone.
    pub in_this_run: Option<String>,
    /// The JSON Schema of its arguments, shared: a specification is cloned for every turn.
    pub arguments: Arc<serde_json::Value>,
    /// Whether its output may be used as the answer verbatim.
    pub output_is_answer: bool,
    /// Whether it is read-only, so that several of its calls may run concurrently.
    pub only_looks: bool,
}

/// Everything that an attempt may depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct AttemptContext {
    /// The subtask.
    pub subtask: SubTask,
    /// Environment of the run: time, folders, platform.
    pub surroundings: Surroundings,
    /// What calls may do here, and who can be asked.
    pub environment: Environment,
    /// What happened in the run besides its plan.
    pub background: Background,
    /// The criteria of the whole task, if this is the only step of its plan.
    pub task_criteria: Vec<Criterion>,
    /// The tools that may be used: those that exist and are not blocked.
    pub tools: Vec<ToolSpec>,
    /// Programs that `shell` can start.
    pub programs: Vec<String>,
    /// The person's standing instructions: advice, which yields to the step.
    pub instructions: Arc<[Instruction]>,
    /// Programs that the directive blocks, at any position of a command.
    pub blocked: Vec<BlockedProgram>,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// What was wrong with the previous attempt.
    pub correction: Option<CorrectionSignal>,
    /// The output of the previous attempt.
    pub said_before: Option<String>,
    /// Every call of the previous attempts, with its result.
    pub earlier: Vec<ToolCall>,
    /// The conversation of the previous attempt, if it left one. A correction goes on with it.
    pub conversation: Option<Conversation>,
}

/// The result of an attempt, without its calls, which the actor records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The outcome.
    pub status: ExecutionStatus,
    /// The output.
    pub output: String,
    /// Whether the output is exactly the output of the last call.
    pub verbatim: bool,
    /// The failure, if it failed.
    pub failure: Option<ExecutionFailure>,
    /// The agreement of the samples on the last call, if there were samples.
    pub samples: Option<Samples>,
    /// The conversation with the model, for the attempt that corrects this one.
    pub conversation: Option<Conversation>,
}
