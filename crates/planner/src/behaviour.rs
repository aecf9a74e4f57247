//! The [`Planner`] trait, and the inputs of a plan and of a failure report.

use std::sync::Arc;

use artoo_case_file::{CaseFile, PlanRecord};
use artoo_llm_client::LlmClient;
use artoo_types::{
    FailureReportRequest, Instruction, MemoryReply, Plan, PlanDirective, RepositoryState, RunId, SubTaskId,
    SubTaskOutcome, Surroundings, TaskSpec, ToolName, Turn, UserStatement, Workplace,
};
use async_trait::async_trait;

use crate::{PlanError, direct};

/// Makes plans, and reports a failure.
///
/// *Contract.* `plan` returns at least one subtask; every criterion can turn out false; groups are numbered
/// from 1; kept subtasks were matched, and nothing in `previous.directive.unmet` names them (an entry without
/// a subtask is of the whole, and speaks against the step of a one-step plan); and the plan differs from the
/// one that failed. The actor checks this, but for the rejected whole, with [`crate::validate()`], ends the run with a typed fault if it does not hold, and adds to each
/// step what was recalled ([`crate::Recalled`]). Where no tool is needed it may fail with [`PlanError::Answered`] instead, which counts
/// only if [`PlanContext::may_answer`] allows it.
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

    /// Suggests what the person could do next, in their language. Code writes the rest of the report, and
    /// falls back to a default suggestion if this is empty or fails.
    async fn failure_report(
        &self,
        cx: &FailureContext,
        model: &Arc<dyn LlmClient>,
    ) -> Result<String, PlanError>;
}

/// Everything that a plan may depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanContext {
    /// The task, with the person's later notes.
    pub spec: TaskSpec,
    /// The part of the task's text that consists of those notes, in order.
    pub notes: Vec<String>,
    /// Environment of the run: time, folders, platform.
    pub surroundings: Surroundings,
    /// The available tools and programs.
    pub inventory: Inventory,
    /// Listing of the working folder, as it is now.
    pub listing: FolderListing,
    /// What the workers may do on this machine.
    pub workplace: Workplace,
    /// Whether a person is present whom a step may ask.
    pub person_present: bool,
    /// The last turns of the session, oldest first.
    pub turns: Vec<Turn>,
    /// What a short request may be spared.
    pub shortcuts: Shortcuts,
    /// The person's standing instructions: advice, which yields to the request.
    pub instructions: Arc<[Instruction]>,
    /// What memory knows about this kind of task.
    pub memory: MemoryReply,
    /// The id of this run, which identifies the experiences in memory that come from it.
    pub run_id: RunId,
    /// The number of this plan in the run, from 1.
    pub round: u32,
    /// Outcomes of an earlier, interrupted run of the same request: all of them matched, and are kept.
    pub resumed: Vec<SubTaskOutcome>,
    /// What the user said in this run, besides the request and the notes.
    pub statements: Vec<UserStatement>,
    /// The plans before the previous one, oldest first.
    pub before: Vec<Previous>,
    /// The previous plan, if there was one.
    pub previous: Option<Previous>,
}

impl PlanContext {
    /// Whether the request may be answered without work: the run allows it, nothing was tried yet, and the request names nothing that
    /// lies here, and nothing that looks like a file or an address.
    pub fn may_answer(&self) -> bool {
        self.shortcuts == Shortcuts::DirectAnswer && self.is_fresh() && !direct::names_a_place(self)
    }

    /// Whether nothing was tried yet, in this run or in one that it corrects or resumes.
    pub(crate) fn is_fresh(&self) -> bool {
        self.previous.is_none() && self.resumed.is_empty() && self.spec.earlier.is_empty()
    }
}

/// What a short request may be spared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shortcuts {
    /// Nothing: it is planned like any other.
    #[default]
    None,
    /// The question for a whole plan, if one step does.
    ShortPlan,
    /// The work as well, if the request needs no tool: it is answered from the model's knowledge, and nobody checks that.
    DirectAnswer,
}

/// Lists the working folder.
///
/// *Contract.* The listing is of the moment of the call. *Who calls.* The actor, before each plan.
/// *Cancellation.* The future may be dropped at any await.
#[async_trait]
pub trait ListFolder: Send + Sync {
    /// The files and folders.
    async fn list(&self) -> FolderListing;
}

/// A listing that never changes.
#[async_trait]
impl ListFolder for FolderListing {
    async fn list(&self) -> FolderListing {
        self.clone()
    }
}

/// An earlier round.
#[derive(Clone, Debug, PartialEq)]
pub struct Previous {
    /// Its plan.
    pub plan: Plan,
    /// The number of the person's notes that it was made with.
    pub notes: usize,
    /// The ids of all its subtasks by position: first the kept ones, then its own.
    pub subtask_ids: Vec<SubTaskId>,
    /// Their outcomes, in the same order; a subtask that never ended is missing.
    pub outcomes: Vec<SubTaskOutcome>,
    /// What must change.
    pub directive: PlanDirective,
}

impl Previous {
    /// A plan on record; `None` if no directive followed it.
    pub(crate) fn of(record: &PlanRecord, case: &CaseFile) -> Option<Self> {
        Some(Self {
            plan: record.plan.clone(),
            notes: record.notes,
            subtask_ids: record.subtask_ids.clone(),
            outcomes: case.outcomes_of(record),
            directive: record.directive.clone()?,
        })
    }
}

/// The tools and programs of this machine, probed at startup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// The executor's tools.
    pub tools: Vec<ToolBrief>,
    /// Programs that the shell can start, for example `python3`.
    pub programs: Vec<String>,
}

/// Listing of a folder, possibly partial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderListing {
    /// Files and folders by their paths relative to the folder, shallow entries first.
    pub listed: Vec<Listed>,
    /// Whether entries were left out.
    pub has_more: bool,
    /// The git repository that the folder lies in, if any.
    pub repository: Option<RepositoryState>,
}

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its path relative to the folder, lossily converted to text.
    pub path: String,
    /// Its size in bytes; `None` for a folder.
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

/// Everything that a failure report may depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct FailureContext {
    /// The task.
    pub spec: TaskSpec,
    /// Environment of the run: time, folders, platform.
    pub surroundings: Surroundings,
    /// The request from R7.
    pub request: FailureReportRequest,
}
