//! What an executor is, and what it is given.

use std::sync::Arc;

use artoo_llm_client::{Image, LlmClient};
use artoo_types::{
    Arguments, BlockedProgram, CorrectionSignal, ExecutionFailure, ExecutionStatus, Instruction,
    NotRehearsed, Perturbation, Rehearsed, Samples, SubTask, Surroundings, ToolCall, ToolName,
};
use async_trait::async_trait;

use crate::{CallStopped, ExecuteError};

/// Makes one attempt at a subtask.
///
/// *Contract.* Work is done only through `tools`; every call is recorded by the actor, whatever the implementation says
/// about it. The output is a claim that the calls must bear out. A correction names what was wrong with the attempt before.
///
/// *Who calls.* The actor, once per attempt.
///
/// *Cancellation.* The future may be dropped at any await; a running call is then killed with its process tree.
///
/// *An implementation must not* judge its output, repeat itself after the actor stopped it, or invent tool output.
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

/// The way to the tools. Implemented by the actor, which enforces the rules and keeps the record.
#[async_trait]
pub trait CallTool: Send + Sync {
    /// Calls a tool. A call that failed or was refused is a record like any other; `Err` means that this attempt is over.
    async fn call(&self, tool: &ToolName, arguments: Arguments) -> Result<ToolCall, CallStopped>;

    /// What a command of `shell` would put out in this world: it runs where nothing of it lasts and nobody is asked, and is no call. What may
    /// not be called is not rehearsed.
    ///
    /// # Errors
    /// Why it was not run, or did not end.
    async fn rehearse(&self, _command: &str, _world: &Perturbation) -> Result<Rehearsed, NotRehearsed> {
        Err(NotRehearsed { reason: "nothing can be rehearsed here".to_owned() })
    }

    /// Asks the person. `None` where nobody is there, or the answer is empty. The clocks rest until it is there.
    async fn ask_person(&self, _question: &str) -> Option<String> {
        None
    }

    /// The picture that a call put out, where it is one and is kept.
    async fn picture(&self, _call: &ToolCall) -> Option<Image> {
        None
    }

    /// All that a call put out, of which its record may show only head and tail. `None` where it is too long for an
    /// answer or is not kept: then what is shown is not the whole of it, and may not pass for it.
    async fn whole_output(&self, call: &ToolCall) -> Option<String> {
        let shown = &call.output.shown;
        (u64::try_from(shown.len()).ok()? == call.output.bytes).then(|| shown.clone())
    }
}

/// A tool as the model is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSpec {
    /// Its name.
    pub name: ToolName,
    /// What it does, in one line.
    pub summary: String,
    /// The JSON Schema of its arguments, shared: a specification is cloned for every turn.
    pub arguments: Arc<serde_json::Value>,
    /// Whether its output may stand as an answer word for word.
    pub output_is_answer: bool,
    /// Whether it changes nothing, so that several of its calls may run at once.
    pub only_looks: bool,
}

/// All that an attempt may depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct AttemptContext {
    /// The subtask.
    pub subtask: SubTask,
    /// Where and when.
    pub surroundings: Surroundings,
    /// The tools that may be used: those that exist and are not blocked.
    pub tools: Vec<ToolSpec>,
    /// Programs that `shell` can start.
    pub programs: Vec<String>,
    /// What the person wants of all work here: advice, weaker than the step.
    pub instructions: Arc<[Instruction]>,
    /// Programs that the directive blocks, wherever in a command they stand.
    pub blocked: Vec<BlockedProgram>,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// What was wrong with the attempt before.
    pub correction: Option<CorrectionSignal>,
    /// What the attempt before put out.
    pub said_before: Option<String>,
    /// Every call of the attempts before, with its result.
    pub earlier: Vec<ToolCall>,
}

/// How an attempt ended, without its calls, which the actor knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// How.
    pub status: ExecutionStatus,
    /// The output.
    pub output: String,
    /// True where the output is exactly what the last call put out.
    pub verbatim: bool,
    /// Why it failed, where it did.
    pub failure: Option<ExecutionFailure>,
    /// How far several samples agreed on the last call, where there were any.
    pub samples: Option<Samples>,
}
