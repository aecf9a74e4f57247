//! The steps of a run, numbered as its plan lists them. Everything else that is said of a step uses this number.

use artoo_runtime::events::{Event, Line};
use artoo_types::{PlannedSubTask, SubTaskId};

/// The steps of the current plan, and which subtask each has become.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps(Vec<(PlannedSubTask, Option<SubTaskId>)>);

impl Steps {
    /// Takes note of a line.
    pub(super) fn on(&mut self, line: &Line) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "two of many events make and begin steps")]
        match &line.event {
            Event::PlanProposed { subtasks, .. } => {
                self.0 = subtasks.iter().map(|subtask| (subtask.clone(), None)).collect();
            }
            Event::SubTaskStarted { intent, sequence, .. } => {
                self.started(line.subtask_id, *sequence, intent)
            }
            _ => {}
        }
    }

    /// The number of a step; `None` for one of an earlier plan.
    pub(super) fn number(&self, id: Option<SubTaskId>) -> Option<usize> {
        let at = self.0.iter().position(|(_, subtask)| id.is_some() && *subtask == id)?;
        Some(at + 1)
    }

    /// The number with a blank behind it; empty if the plan has no other step.
    pub(super) fn prefix(&self, id: Option<SubTaskId>) -> String {
        let number = self.number(id).filter(|_| self.0.len() > 1);
        number.map(|number| format!("{number} ")).unwrap_or_default()
    }

    /// Finds out which step of the plan a subtask is.
    fn started(&mut self, id: Option<SubTaskId>, sequence: u32, intent: &str) {
        let is_free = |(planned, subtask): &(PlannedSubTask, Option<SubTaskId>)| {
            subtask.is_none() && planned.sequence == sequence
        };
        let same = |step: &(PlannedSubTask, _)| is_free(step) && step.0.intent == intent;
        let at = self.0.iter().position(same).or_else(|| self.0.iter().position(is_free));
        if let Some((_, subtask)) = at.and_then(|at| self.0.get_mut(at)) {
            *subtask = id;
        }
    }
}

/// A planned step with its number.
pub(super) fn planned(at: usize, subtask: &PlannedSubTask) -> String {
    format!("{at} {}", subtask.intent)
}
