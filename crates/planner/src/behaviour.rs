//! What a planner is, and what it is given.

use std::sync::Arc;

use artoo_llm_client::LlmClient;
use artoo_types::{
    FailureReportRequest, Instruction, MemoryReply, Plan, PlanDirective, RunId, SubTaskId, SubTaskOutcome,
    Surroundings, TaskSpec, ToolName,
};
use async_trait::async_trait;

use crate::PlanError;

/// Plans, and tells the story of a failure.
///
/// *Contract.* `plan` returns at least one subtask; every criterion can turn out false; groups are numbered from 1; what it keeps was
/// matched; and it is another plan than the one that failed. The actor checks all that with [`crate::validate()`] and ends the
/// run with a typed fault where it does not hold, and adds to each step what was recalled ([`crate::Recalled`]).
///
/// *Who calls.* The actor: once for the first plan, once per directive, and at most once for the report.
///
/// *Cancellation.* The future may be dropped at any await.
///
/// *An implementation must not* run tools, judge outputs, write to memory, or invent subtask ids.
#[async_trait]
pub trait Planner: Send + Sync {
    /// Makes a plan. `model` is metered; an implementation may leave it unused.
    async fn plan(&self, cx: &PlanContext, model: &Arc<dyn LlmClient>) -> Result<Plan, PlanError>;

    /// Tells what the person could do next, in their language: the rest of the story is told by code, which says what is usually done where
    /// this is empty or fails.
    async fn failure_report(
        &self,
        cx: &FailureContext,
        model: &Arc<dyn LlmClient>,
    ) -> Result<String, PlanError>;
}

/// All that a plan may depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanContext {
    /// The task, with what the person has said since.
    pub spec: TaskSpec,
    /// What of its words those are, in order.
    pub notes: Vec<String>,
    /// Where and when.
    pub surroundings: Surroundings,
    /// What exists to work with.
    pub inventory: Inventory,
    /// What lies in the working folder.
    pub listing: FolderListing,
    /// Whether a person is there, whom a step may ask.
    pub person_present: bool,
    /// What the person wants of all work here: advice, weaker than the request.
    pub instructions: Arc<[Instruction]>,
    /// What memory knows of this kind of task.
    pub memory: MemoryReply,
    /// The run, by which memory tells what comes of it.
    pub run_id: RunId,
    /// Which plan of the run this will be, from 1.
    pub round: u32,
    /// What an earlier run of the same request had done, which was cut off: all of it matched, and stands.
    pub resumed: Vec<SubTaskOutcome>,
    /// The plan before, where there was one.
    pub previous: Option<Previous>,
}

/// The round before.
#[derive(Clone, Debug, PartialEq)]
pub struct Previous {
    /// Its plan.
    pub plan: Plan,
    /// How many of the person's notes it was made with.
    pub notes: usize,
    /// The ids of all subtasks that it counted, by position: first the kept ones, then its own.
    pub subtask_ids: Vec<SubTaskId>,
    /// Their outcomes, in the same order; one that never ended is missing.
    pub outcomes: Vec<SubTaskOutcome>,
    /// What must change.
    pub directive: PlanDirective,
}

/// The tools and programs of this machine, probed at start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// The executor's tools.
    pub tools: Vec<ToolBrief>,
    /// Programs that the shell can start, for example `python3`.
    pub programs: Vec<String>,
}

/// What lies in a folder, as far as it was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderListing {
    /// Files and folders by their paths from the folder, what lies in it before what lies deeper.
    pub listed: Vec<Listed>,
    /// Whether there are more.
    pub has_more: bool,
}

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its path from the folder, as far as it is text.
    pub path: String,
    /// Its size; none of a folder.
    pub bytes: Option<u64>,
}

/// A tool in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolBrief {
    /// Its name.
    pub name: ToolName,
    /// What it is for.
    pub summary: String,
}

/// All that the story of a failure may tell.
#[derive(Clone, Debug, PartialEq)]
pub struct FailureContext {
    /// The task.
    pub spec: TaskSpec,
    /// Where and when.
    pub surroundings: Surroundings,
    /// What R7 asks.
    pub request: FailureReportRequest,
}
