//! The difference between a plan and its predecessor.

use std::collections::BTreeMap;

use artoo_types::{Plan, SubTaskId};

use super::PlanChange;

impl PlanChange {
    /// The changes of `plan`. `before` holds the intents of the previous plan's subtasks, including kept
    /// ones; `intents` those of every subtask of the run.
    pub(super) fn of(plan: &Plan, before: &[String], intents: &BTreeMap<SubTaskId, String>) -> Self {
        let mut left = before.to_vec();
        let mut change = Self::default();
        for id in &plan.kept {
            let intent = intents.get(id).cloned().unwrap_or_else(|| id.to_string());
            take(&mut left, &intent);
            change.kept.push(intent);
        }
        for subtask in &plan.subtasks {
            let of_before = take(&mut left, &subtask.intent);
            if of_before { &mut change.again } else { &mut change.new }.push(subtask.intent.clone());
        }
        change.replaced = left;
        change
    }

    /// The intents of the plan's subtasks, including kept ones.
    pub(super) fn intents(&self) -> Vec<String> {
        [&self.kept, &self.again, &self.new].into_iter().flatten().cloned().collect()
    }
}

/// Removes one such text; returns whether there was one.
fn take(left: &mut Vec<String>, text: &str) -> bool {
    let position = left.iter().position(|intent| intent == text);
    position.map(|position| left.remove(position)).is_some()
}
