//! Plan validator: rules that no plan may break, whichever planner made it.

use artoo_checks::{Flaw, lint, lint_text, matches_any_text};
use artoo_types::{Check, Criterion, OutcomeStatus, Plan, SubTaskId};

use crate::PlanContext;

/// The maximum number of subtasks of a plan.
const MAX_SUBTASKS: usize = 256;

/// A rule that a plan breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// The plan has no subtask of its own. A plan that only keeps finished steps would be accepted without
    /// the missing part.
    #[error("it has no subtask that is not done already")]
    Empty,
    /// The plan has too many subtasks.
    #[error("it has {count} subtasks; at most {MAX_SUBTASKS} are run")]
    TooMany {
        /// Their number.
        count: usize,
    },
    /// A subtask has an empty intent.
    #[error("subtask {position} has no intent")]
    NoIntent {
        /// Its position, from 0.
        position: usize,
    },
    /// A subtask's group is 0 (lesson N2).
    #[error("subtask {position} has sequence 0; groups are numbered from 1")]
    NoGroup {
        /// Its position, from 0.
        position: usize,
    },
    /// A subtask has no criterion.
    #[error("subtask {position} has no criterion")]
    NoCriterion {
        /// Its position, from 0.
        position: usize,
    },
    /// A subtask is only checked by the exit status of its last command, which says nothing about the answer.
    #[error(
        "subtask {position} is checked by an exit status alone; say what must be true of its output or of what it makes"
    )]
    OnlyStatus {
        /// Its position, from 0.
        position: usize,
    },
    /// A criterion is unusable.
    #[error("{flaw}")]
    Criterion {
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// The plan keeps a subtask that did not match in the previous plan, or keeps one twice. The gate would
    /// wait for it forever.
    #[error("it keeps {id}, which is not a matched subtask of the plan before")]
    Kept {
        /// Its id.
        id: SubTaskId,
    },
    /// A criterion of the whole task uses a command, which only the judge of a subtask runs.
    #[error("the task is to be decided by a command; only a subtask can be")]
    TaskCommand,
    /// The plan would do what the previous plan did, and that plan failed.
    #[error("this is the plan that failed: plan another way to get there, or say that there is none")]
    SamePlan,
    /// The plan says in nearly the same words what the previous plan said, and that way was a dead end twice.
    #[error(
        "this is the plan that failed in nearly the same words, and it was not the first that failed so: plan another way to get there, or say that there is none"
    )]
    NearlySamePlan,
}

/// Every rule that `plan` breaks; empty for a usable plan.
///
/// Calls that a directive or memory blocks are refused by the executor at the call: the words of a plan do
/// not show what will be called.
///
/// Source: specification v0.8, "R2 plan validator"; `docs/deviations.md`, "Criteria" and "Blocked sets".
pub fn validate(plan: &Plan, cx: &PlanContext) -> Vec<Violation> {
    let mut violations = Vec::new();
    // If an earlier run was interrupted, everything may be done except the final judgement.
    let is_rest = cx.previous.is_none() && !plan.kept.is_empty();
    if plan.subtasks.is_empty() && !is_rest {
        violations.push(Violation::Empty);
    }
    violations.extend(wrongly_kept(plan, cx));
    if plan.subtasks.len() > MAX_SUBTASKS {
        violations.push(Violation::TooMany { count: plan.subtasks.len() });
    }
    for (position, subtask) in plan.subtasks.iter().enumerate() {
        if subtask.intent.trim().is_empty() {
            violations.push(Violation::NoIntent { position });
        }
        if subtask.sequence == 0 {
            violations.push(Violation::NoGroup { position });
        }
        if subtask.success_criteria.is_empty() {
            violations.push(Violation::NoCriterion { position });
        } else if subtask.success_criteria.iter().all(is_status) {
            violations.push(Violation::OnlyStatus { position });
        }
        violations
            .extend(subtask.success_criteria.iter().filter_map(|criterion| flaw(criterion, &subtask.intent)));
    }
    for criterion in &plan.task_criteria {
        violations.extend(flaw(criterion, &cx.spec.intent));
        if let Some(Check::CommandSucceeds { .. }) = &criterion.check {
            violations.push(Violation::TaskCommand);
        }
    }
    violations
}

fn wrongly_kept<'a>(plan: &'a Plan, cx: &'a PlanContext) -> impl Iterator<Item = Violation> + 'a {
    let matched = |id: &SubTaskId| {
        let before = cx.previous.iter().flat_map(|previous| &previous.outcomes);
        before
            .chain(&cx.resumed)
            .any(|outcome| outcome.subtask_id == *id && outcome.status == OutcomeStatus::Matched)
    };
    let twice = |position: usize, id: &SubTaskId| plan.kept.iter().take(position).any(|other| other == id);
    let wrong = move |(position, id): &(usize, &SubTaskId)| !matched(id) || twice(*position, id);
    plan.kept.iter().enumerate().filter(wrong).map(|(_, id)| Violation::Kept { id: *id })
}

/// A criterion with a check can turn out false whatever its words are; one without must say something that
/// the intent does not.
fn flaw(criterion: &Criterion, intent: &str) -> Option<Violation> {
    let found = match &criterion.check {
        // The check for any output is a minimum, which code adds if there is no other criterion.
        Some(check @ Check::OutputMatches { pattern })
            if !check.is_any_output() && matches_any_text(pattern) =>
        {
            Err(Flaw::Vacuous { check: "output_matches" })
        }
        Some(check) => lint(check),
        None => lint_text(&criterion.text, intent),
    };
    found.err().map(|flaw| Violation::Criterion { flaw })
}

fn is_status(criterion: &Criterion) -> bool {
    matches!(criterion.check, Some(Check::ExitStatus { .. }))
}
