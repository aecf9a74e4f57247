//! The dispatcher as a pure state machine: plans and outcomes in, manifests and subtasks out.
//!
//! Subtasks of a group run side by side; groups run in ascending order; a failed group stops the later ones, whose subtasks
//! are reported as skipped at once. Source: `docs/deviations.md`, "Sequence groups".

use std::{collections::BTreeMap, fmt::Write as _};

use artoo_llm_client::{Origin, fenced};
use artoo_types::{
    BlockedTarget, CriterionVerdict, DispatchManifest, FailureClass, Finding, Judge, Message, OutcomeStatus, Plan,
    PlannedSubTask, RunId, SubTask, SubTaskId, SubTaskOutcome,
};
use chrono::{DateTime, FixedOffset};
use serde_json::Value;

/// The most characters of an earlier output that are handed on.
const HANDED_ON: usize = 1500;

/// The state of dispatch in one run.
#[derive(Clone, Debug)]
pub struct Dispatch {
    run_id: RunId,
    round: u32,
    /// Subtasks that wait, by group.
    waiting: BTreeMap<u32, Vec<Placed>>,
    /// Subtasks that run.
    running: Vec<SubTaskId>,
    /// Whether one of the running group failed.
    failed: bool,
    outcomes: BTreeMap<SubTaskId, SubTaskOutcome>,
    /// The plan's subtasks by position: first the kept ones (group 0), then its own.
    positions: Vec<(SubTaskId, u32, bool)>,
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
            waiting: BTreeMap::new(),
            running: Vec::new(),
            failed: false,
            outcomes: BTreeMap::new(),
            positions: Vec::new(),
        }
    }

    /// Takes a plan: the manifest, then the first group. `mint` makes the ids.
    pub fn on_plan(
        &mut self,
        plan: &Plan,
        now: DateTime<FixedOffset>,
        mut mint: impl FnMut() -> SubTaskId,
    ) -> Vec<Message> {
        self.round = plan.round;
        self.waiting.clear();
        self.running.clear();
        self.failed = false;
        self.positions = plan.kept.iter().map(|id| (*id, 0, false)).collect();
        let mut subtask_ids = Vec::with_capacity(plan.subtasks.len());
        for planned in &plan.subtasks {
            let subtask_id = mint();
            subtask_ids.push(subtask_id);
            self.positions.push((subtask_id, planned.sequence, !planned.independent_of.is_empty()));
            self.waiting.entry(planned.sequence).or_default().push(Placed { subtask_id, planned: planned.clone() });
        }
        let manifest = DispatchManifest {
            task_id: plan.task_id.clone(),
            round: plan.round,
            subtask_ids,
            kept: plan.kept.clone(),
            task_criteria: plan.task_criteria.clone(),
            dispatched_at: now,
        };
        let mut messages = vec![Message::from(manifest)];
        messages.extend(self.next_group());
        messages
    }

    /// Takes the end of a subtask: the next group when its own is complete, or the skipped rest when its group failed.
    pub fn on_outcome(&mut self, outcome: &SubTaskOutcome) -> Vec<Message> {
        let Some(position) = self.running.iter().position(|id| *id == outcome.subtask_id) else {
            // Of an earlier plan, or a second time: neither may move this one.
            return Vec::new();
        };
        self.running.swap_remove(position);
        self.failed |= outcome.status != OutcomeStatus::Matched;
        self.outcomes.insert(outcome.subtask_id, outcome.clone());
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
        let originals: Vec<(SubTaskId, u32)> = planned
            .independent_of
            .iter()
            .filter_map(|position| self.positions.get(*position))
            .map(|(id, sequence, _)| (*id, *sequence))
            .collect();
        // A second derivation is shown what the first one was shown, and nothing of what came of it.
        let before = originals.iter().map(|(_, sequence)| *sequence).min().unwrap_or(planned.sequence);
        let avoid = originals.iter().filter_map(|(id, _)| self.outcomes.get(id)).flat_map(means).collect();
        SubTask {
            subtask_id,
            parent_task_id: self.run_id,
            round: self.round,
            sequence: planned.sequence,
            context: self.context(&planned.context, before, &originals),
            intent: planned.intent,
            success_criteria: planned.success_criteria,
            avoid,
            deadline: None,
        }
    }

    /// R2's context, then what earlier groups put out: labelled, bounded and fenced.
    fn context(&self, planned: &str, before: u32, originals: &[(SubTaskId, u32)]) -> String {
        let mut text = planned.to_owned();
        for (id, sequence, second) in &self.positions {
            let is_original = originals.iter().any(|(original, _)| original == id);
            let Some(outcome) = self.outcomes.get(id).filter(|_| *sequence < before && !second && !is_original) else {
                continue;
            };
            let output = outcome.output.as_str().map_or_else(|| outcome.output.to_string(), str::to_owned);
            let mut shown: String = output.chars().take(HANDED_ON).collect();
            if shown.len() < output.len() {
                // Writing to a string cannot fail.
                let _ = write!(shown, "\n({} more bytes)", output.len() - shown.len());
            }
            let _ = write!(text, "\nResult of an earlier step ({}):\n{}", outcome.intent, fenced(Origin::SubTask, &shown));
        }
        text.trim_start().to_owned()
    }

    fn skipped(&self, placed: Placed) -> SubTaskOutcome {
        let Placed { subtask_id, planned } = placed;
        let verdict = |criterion: &artoo_types::Criterion| CriterionVerdict {
            criterion: criterion.text.clone(),
            mode: criterion.mode,
            judge: Judge::Rule,
            finding: Finding::Fail {
                failure_class: FailureClass::Unknown,
                reason: "not run, because an earlier step failed".to_owned(),
                evidence: None,
            },
        };
        SubTaskOutcome {
            subtask_id,
            parent_task_id: self.run_id,
            sequence: planned.sequence,
            criteria_verdicts: planned.success_criteria.iter().map(verdict).collect(),
            intent: planned.intent,
            criteria: planned.success_criteria,
            status: OutcomeStatus::Skipped,
            output: Value::Null,
            failure_reason: Some("an earlier step failed".to_owned()),
            gap_trajectory: Vec::new(),
            tool_calls: Vec::new(),
        }
    }
}

/// The calls by which an answer was derived.
fn means(outcome: &SubTaskOutcome) -> impl Iterator<Item = BlockedTarget> + '_ {
    outcome
        .tool_calls
        .iter()
        .filter(|call| call.succeeded())
        .map(|call| BlockedTarget { tool: call.tool.clone(), target: call.target() })
}
