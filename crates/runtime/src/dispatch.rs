//! The dispatcher as a pure state machine: plans and outcomes in, manifests and subtasks out.
//!
//! Subtasks of a group run concurrently; groups run in ascending order; a failed group stops the later ones,
//! whose subtasks are reported as skipped at once. Source: `docs/deviations.md`, "Sequence groups".

use std::collections::BTreeMap;

use artoo_llm_client::fair_share;
use artoo_types::{
    Briefing, CriterionVerdict, DispatchManifest, EarlierResult, FailureClass, Finding, Judge, Message,
    OutcomeStatus, Plan, PlannedSubTask, Role, RunId, SubTask, SubTaskId, SubTaskOutcome, TaskSpec, Warning,
};
use chrono::{DateTime, FixedOffset};

/// Maximum total bytes of earlier outputs that are passed on. Each prompt shows as much of them as its model
/// can take.
const HANDED_ON: usize = 24_000;

/// The state of dispatch in one run.
#[derive(Clone, Debug)]
pub struct Dispatch {
    run_id: RunId,
    round: u32,
    /// When the task must be done.
    deadline: Option<DateTime<FixedOffset>>,
    /// What its steps are told besides.
    briefing: Briefing,
    /// Waiting subtasks by group.
    waiting: BTreeMap<u32, Vec<Placed>>,
    /// Running subtasks.
    running: Vec<SubTaskId>,
    /// Whether a subtask of the running group failed.
    failed: bool,
    ended: BTreeMap<SubTaskId, Outcome>,
    /// The completed work of an interrupted run, until the gate has received it.
    resumed: Vec<SubTaskOutcome>,
    /// The plan's subtasks by position: first the kept ones (group 0), then its own.
    positions: Vec<Position>,
}

/// A subtask that the plan counts.
#[derive(Clone, Copy, Debug)]
struct Position {
    subtask_id: SubTaskId,
    group: u32,
}

/// What later subtasks may need of a finished one.
#[derive(Clone, Debug)]
struct Outcome {
    intent: String,
    output: String,
}

#[derive(Clone, Debug)]
struct Placed {
    subtask_id: SubTaskId,
    planned: PlannedSubTask,
}

impl Dispatch {
    /// Nothing dispatched yet.
    pub fn new(run_id: RunId) -> Self {
        Self {
            run_id,
            round: 0,
            deadline: None,
            briefing: Briefing::default(),
            waiting: BTreeMap::new(),
            running: Vec::new(),
            failed: false,
            ended: BTreeMap::new(),
            resumed: Vec::new(),
            positions: Vec::new(),
        }
    }

    /// Adds the completed work of an earlier run of the request. The gate receives it before the first
    /// manifest, which counts it.
    pub fn resuming(mut self, done: &[SubTaskOutcome]) -> Self {
        self.ended.extend(done.iter().map(|outcome| (outcome.subtask_id, Outcome::from(outcome))));
        self.resumed = done.to_vec();
        self
    }

    /// Takes the task, whose deadline is that of each of its steps.
    pub fn on_task(&mut self, task: &TaskSpec) {
        self.deadline = task.constraints.deadline;
    }

    /// Takes a plan: the manifest, then the first group. `mint` creates the ids. A plan of a round that was
    /// already dispatched is not run again, whatever its source: it only yields a warning.
    pub fn on_plan(&mut self, plan: &Plan, mut mint: impl FnMut() -> SubTaskId) -> Vec<Message> {
        if plan.round <= self.round {
            return vec![ignored(plan.round).into()];
        }
        self.round = plan.round;
        self.briefing.clone_from(&plan.briefing);
        self.waiting.clear();
        self.running.clear();
        self.failed = false;
        self.positions = plan.kept.iter().map(|id| Position { subtask_id: *id, group: 0 }).collect();
        let mut subtask_ids = Vec::with_capacity(plan.subtasks.len());
        for planned in &plan.subtasks {
            let subtask_id = mint();
            subtask_ids.push(subtask_id);
            self.positions.push(Position { subtask_id, group: planned.sequence });
            self.waiting
                .entry(planned.sequence)
                .or_default()
                .push(Placed { subtask_id, planned: planned.clone() });
        }
        let manifest = DispatchManifest {
            kept: plan.kept.clone(),
            task_criteria: plan.task_criteria.clone(),
            laws: plan.briefing.laws.clone(),
            ..DispatchManifest::new(plan.task_id.clone(), plan.round, subtask_ids)
        };
        let resumed = std::mem::take(&mut self.resumed);
        let mut messages: Vec<Message> = resumed.into_iter().map(Message::from).collect();
        messages.push(manifest.into());
        messages.extend(self.next_group());
        messages
    }

    /// Takes the end of a subtask: the next group when its own is complete, or the skipped rest when its
    /// group failed.
    pub fn on_outcome(&mut self, outcome: &SubTaskOutcome) -> Vec<Message> {
        let Some(position) = self.running.iter().position(|id| *id == outcome.subtask_id) else {
            // From an earlier plan, or a duplicate: neither may affect this one.
            return Vec::new();
        };
        self.running.swap_remove(position);
        self.failed |= outcome.status != OutcomeStatus::Matched;
        self.ended.insert(outcome.subtask_id, Outcome::from(outcome));
        if !self.running.is_empty() {
            return Vec::new();
        }
        if self.failed { self.skip_rest() } else { self.next_group() }
    }

    fn next_group(&mut self) -> Vec<Message> {
        let Some((_, group)) = self.waiting.pop_first() else { return Vec::new() };
        self.running = group.iter().map(|placed| placed.subtask_id).collect();
        group.into_iter().map(|placed| Message::from(self.subtask(placed))).collect()
    }

    fn skip_rest(&mut self) -> Vec<Message> {
        let rest = std::mem::take(&mut self.waiting);
        rest.into_values().flatten().map(|placed| Message::from(self.skipped(placed))).collect()
    }

    fn subtask(&self, placed: Placed) -> SubTask {
        let Placed { subtask_id, planned } = placed;
        SubTask {
            briefing: self.briefing.clone(),
            round: self.round,
            is_whole: self.positions.len() == 1,
            deadline: self.deadline,
            earlier: self.earlier(planned.sequence),
            ..SubTask::of(subtask_id, self.run_id, planned)
        }
    }

    /// The outputs of the groups before this one, in order: short outputs in full, long ones truncated to
    /// their beginning.
    fn earlier(&self, group: u32) -> Vec<EarlierResult> {
        let mut visible: Vec<&Position> =
            self.positions.iter().filter(|position| position.group < group).collect();
        visible.sort_by_key(|position| position.group);
        let ended: Vec<&Outcome> =
            visible.into_iter().filter_map(|position| self.ended.get(&position.subtask_id)).collect();
        let share = fair_share(ended.iter().map(|outcome| outcome.output.len()), HANDED_ON);
        let handed_on = |outcome: &&Outcome| {
            let output = outcome.output.get(..outcome.output.floor_char_boundary(share)).unwrap_or_default();
            EarlierResult {
                intent: outcome.intent.clone(),
                output: output.to_owned(),
                left_out_bytes: (outcome.output.len() - output.len()) as u64,
            }
        };
        ended.iter().map(handed_on).collect()
    }

    fn skipped(&self, placed: Placed) -> SubTaskOutcome {
        let Placed { subtask_id, planned } = placed;
        let not_run =
            Finding::failure(FailureClass::Unknown, "not run, because an earlier step failed".to_owned());
        let verdict = |criterion| CriterionVerdict::of(criterion, Judge::Rule, not_run.clone());
        let subtask = SubTask::of(subtask_id, self.run_id, planned);
        SubTaskOutcome {
            criteria_verdicts: subtask.success_criteria.iter().map(verdict).collect(),
            failure_reason: Some("an earlier step failed".to_owned()),
            ..SubTaskOutcome::of(&subtask, OutcomeStatus::Skipped)
        }
    }
}

/// The warning about a repeated plan.
pub(crate) fn ignored(round: u32) -> Warning {
    let message = format!("plan {round} came again, or too late, and is not run");
    Warning { role: Role::Dispatcher, message }
}

impl From<&SubTaskOutcome> for Outcome {
    fn from(outcome: &SubTaskOutcome) -> Self {
        Self {
            intent: outcome.intent.clone(),
            output: outcome.output.as_str().map_or_else(|| outcome.output.to_string(), str::to_owned),
        }
    }
}
