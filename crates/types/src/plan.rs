//! A plan and its subtasks.

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Briefing, Criterion, Law, PlanMemory, RunId, SubTaskId, TaskId};

/// What R2 proposes. R2 to the dispatcher, which gives the subtasks their ids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The task's label.
    pub task_id: TaskId,
    /// Which plan of the run, from 1.
    pub round: u32,
    /// Assertions about the combined output.
    pub task_criteria: Vec<Criterion>,
    /// The subtasks to run.
    pub subtasks: Vec<PlannedSubTask>,
    /// Subtasks of earlier plans whose matched outputs this plan keeps and does not run again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<SubTaskId>,
    /// What memory had to do with it.
    #[serde(default, skip_serializing_if = "PlanMemory::is_empty")]
    pub memory: PlanMemory,
    /// What its steps and judges are told besides. R2's actor adds it to the plan of any planner.
    #[serde(default, skip_serializing_if = "Briefing::is_empty")]
    pub briefing: Briefing,
}

impl Plan {
    /// A plan of these subtasks, with no criteria of the task, nothing kept and nothing remembered.
    pub fn new(task_id: TaskId, round: u32, subtasks: Vec<PlannedSubTask>) -> Self {
        Self {
            task_id,
            round,
            subtasks,
            task_criteria: Vec::new(),
            kept: Vec::new(),
            memory: PlanMemory::default(),
            briefing: Briefing::default(),
        }
    }
}

/// What a step is for. Whoever plans says it; what was seen to change may contradict it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// To answer a question about what there is.
    #[default]
    FindOut,
    /// To make something new.
    Create,
    /// To alter what exists.
    Change,
    /// To make a symbolic or hard link. In a plan without such a step, a link to what the request names is a defect.
    Link,
}

impl StepKind {
    /// Whether it is [`StepKind::FindOut`].
    pub fn is_find_out(&self) -> bool {
        match self {
            Self::FindOut => true,
            Self::Create | Self::Change | Self::Link => false,
        }
    }
}

/// A subtask as R2 writes it, without an id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedSubTask {
    /// Its group, from 1. The same number runs in parallel; groups run in ascending order.
    pub sequence: u32,
    /// What to do.
    pub intent: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "StepKind::is_find_out")]
    pub kind: StepKind,
    /// Everything the executor needs beyond the intent.
    pub context: String,
    /// Assertions about this subtask's output.
    pub success_criteria: Vec<Criterion>,
}

impl PlannedSubTask {
    /// A step that finds something out, without context.
    ///
    /// ```
    /// use artoo_types::{Criterion, Mode, PlannedSubTask, StepKind};
    ///
    /// let criteria = vec![Criterion::new("It is one number", Mode::Plausible)];
    /// let count = PlannedSubTask::new(1, "Count the files", criteria);
    /// let write = PlannedSubTask { kind: StepKind::Create, ..count.clone() };
    /// assert!(count.kind.is_find_out() && !write.kind.is_find_out());
    /// ```
    pub fn new(sequence: u32, intent: impl Into<String>, success_criteria: Vec<Criterion>) -> Self {
        Self {
            sequence,
            intent: intent.into(),
            success_criteria,
            kind: StepKind::FindOut,
            context: String::new(),
        }
    }
}

/// A subtask on its way to R3 and R4a. Dispatcher to both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubTask {
    /// Minted by the dispatcher.
    pub subtask_id: SubTaskId,
    /// The run it belongs to.
    pub parent_task_id: RunId,
    /// Which plan of the run it is of, from 1.
    pub round: u32,
    /// Its group.
    pub sequence: u32,
    /// What to do.
    pub intent: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "StepKind::is_find_out")]
    pub kind: StepKind,
    /// Whether it is the only step of its plan, so that it is to meet the whole request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_whole: bool,
    /// R2's context.
    pub context: String,
    /// What is told besides: the request, the person's laws, and the lessons of memory.
    #[serde(default, skip_serializing_if = "Briefing::is_empty")]
    pub briefing: Briefing,
    /// What the steps of earlier groups found, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EarlierResult>,
    /// Assertions about its output.
    pub success_criteria: Vec<Criterion>,
    /// When it must be done.
    pub deadline: Option<DateTime<FixedOffset>>,
}

/// What an earlier step found, as a later one is given it: work to build on, and evidence where the later step only sums up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierResult {
    /// What the step was to do.
    pub intent: String,
    /// The beginning of its checked output.
    pub output: String,
    /// How many bytes of the output are left out behind that.
    pub left_out_bytes: u64,
}

impl SubTask {
    /// A planned subtask of the first plan, one of several, which knows no earlier results and has no deadline.
    pub fn of(subtask_id: SubTaskId, parent_task_id: RunId, planned: PlannedSubTask) -> Self {
        Self {
            subtask_id,
            parent_task_id,
            round: 1,
            sequence: planned.sequence,
            intent: planned.intent,
            kind: planned.kind,
            is_whole: false,
            context: planned.context,
            briefing: Briefing::default(),
            earlier: Vec::new(),
            success_criteria: planned.success_criteria,
            deadline: None,
        }
    }

    /// Whether it is to make or change something: its plan says so, or a criterion looks at what was made. What is said of a deed is a
    /// remark; the deed itself is looked at.
    pub fn is_about_a_deed(&self) -> bool {
        !self.kind.is_find_out() || self.success_criteria.iter().any(Criterion::is_about_a_deed)
    }
}

/// What R4b waits for. Dispatcher to R4b and R2, before the first subtask of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DispatchManifest {
    /// The task's label.
    pub task_id: TaskId,
    /// Which plan of the run, from 1.
    pub round: u32,
    /// The subtasks of this plan in the plan's order.
    pub subtask_ids: Vec<SubTaskId>,
    /// Subtasks of earlier plans whose outcomes count again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<SubTaskId>,
    /// Assertions about the combined output.
    pub task_criteria: Vec<Criterion>,
    /// The person's laws, which are part of the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub laws: Vec<Law>,
}

impl DispatchManifest {
    /// One of these subtasks alone, without criteria of the task.
    pub fn new(task_id: TaskId, round: u32, subtask_ids: Vec<SubTaskId>) -> Self {
        Self { task_id, round, subtask_ids, kept: Vec::new(), task_criteria: Vec::new(), laws: Vec::new() }
    }
}
