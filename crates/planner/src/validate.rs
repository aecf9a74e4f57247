//! The plan validator: rules that no plan may break, whoever made it.

use artoo_checks::{Flaw, lint, lint_text};
use artoo_types::{BlockedTarget, Check, Criterion, Plan, ToolName};

use crate::PlanContext;

/// The most subtasks of a plan, second derivations included.
const MAX_SUBTASKS: usize = 256;

/// A rule that a plan breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// It has no subtask and keeps none.
    #[error("it has no subtask")]
    Empty,
    /// It has too many.
    #[error("it has {count} subtasks; at most {MAX_SUBTASKS} are run")]
    TooMany {
        /// How many.
        count: usize,
    },
    /// A subtask says nothing.
    #[error("subtask {position} has no intent")]
    NoIntent {
        /// Which, from 0.
        position: usize,
    },
    /// A subtask's group is 0 (lesson N2).
    #[error("subtask {position} has sequence 0; groups are numbered from 1")]
    NoGroup {
        /// Which, from 0.
        position: usize,
    },
    /// A subtask has no criterion.
    #[error("subtask {position} has no criterion")]
    NoCriterion {
        /// Which, from 0.
        position: usize,
    },
    /// A criterion cannot be used.
    #[error("{flaw}")]
    Criterion {
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// A reference to subtasks points nowhere, or not backwards.
    #[error("subtask {position} refers to a subtask that does not come before it")]
    Reference {
        /// Which, from 0.
        position: usize,
    },
    /// It names a tool that the directive blocks.
    #[error("it uses the blocked tool {tool}")]
    BlockedTool {
        /// The tool.
        tool: ToolName,
    },
    /// It names an input that the directive blocks.
    #[error("it repeats a call that failed: {} {}", .target.tool, .target.target)]
    BlockedTarget {
        /// The input.
        target: BlockedTarget,
    },
}

/// Every rule that `plan` breaks; empty for a usable plan.
///
/// Source: specification v0.8, "R2 plan validator"; `docs/deviations.md`, "Criteria" and "Blocked sets".
pub fn validate(plan: &Plan, cx: &PlanContext) -> Vec<Violation> {
    let mut violations = Vec::new();
    if plan.subtasks.is_empty() && plan.kept.is_empty() {
        violations.push(Violation::Empty);
    }
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
        }
        violations.extend(subtask.success_criteria.iter().filter_map(|criterion| flaw(criterion, &subtask.intent)));
        let own = plan.kept.len() + position;
        let backwards = |other: &usize| *other < own && earlier_group(plan, *other, subtask.sequence);
        if !subtask.independent_of.iter().all(backwards) {
            violations.push(Violation::Reference { position });
        }
    }
    let counted = plan.kept.len() + plan.subtasks.len();
    for criterion in &plan.task_criteria {
        violations.extend(flaw(criterion, &cx.spec.intent));
        if let Some(Check::SameAnswer { subtasks }) = &criterion.check
            && subtasks.iter().any(|position| *position >= counted)
        {
            violations.push(Violation::Reference { position: counted });
        }
    }
    if let Some(previous) = &cx.previous {
        let directive = &previous.directive;
        let words = |text: &str, tool: &ToolName| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == tool.as_str());
        for tool in &directive.blocked_tools {
            if plan.subtasks.iter().any(|subtask| words(&subtask.context, tool)) {
                violations.push(Violation::BlockedTool { tool: tool.clone() });
            }
        }
        for target in &directive.blocked_targets {
            let repeats = |text: &str| !target.target.is_empty() && text.contains(&target.target);
            if plan.subtasks.iter().any(|subtask| repeats(&subtask.context)) {
                violations.push(Violation::BlockedTarget { target: target.clone() });
            }
        }
    }
    violations
}

fn earlier_group(plan: &Plan, position: usize, sequence: u32) -> bool {
    match position.checked_sub(plan.kept.len()) {
        None => true,
        Some(own) => plan.subtasks.get(own).is_some_and(|other| other.sequence < sequence),
    }
}

/// A criterion with a check can turn out false whatever its words are; without one, its words must say something new.
fn flaw(criterion: &Criterion, intent: &str) -> Option<Violation> {
    let found = match &criterion.check {
        Some(check) => lint(check),
        None => lint_text(&criterion.text, intent),
    };
    found.err().map(|flaw| Violation::Criterion { flaw })
}
