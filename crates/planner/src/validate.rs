//! The plan validator: rules that no plan may break, whoever made it.

use artoo_checks::{Flaw, lint, lint_text};
use artoo_types::{
    BlockedProgram, BlockedTarget, Check, Criterion, OutcomeStatus, Plan, PlannedSubTask, SubTaskId, ToolName,
};

use crate::{PlanContext, deed};

/// The most subtasks of a plan, second derivations included.
const MAX_SUBTASKS: usize = 256;

/// A rule that a plan breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// It has no subtask of its own. A plan that only keeps what is done would be accepted without what is missing.
    #[error("it has no subtask that is not done already")]
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
    /// It keeps a subtask that is not a matched one of the plan before, or keeps one twice. The gate would wait for it forever.
    #[error("it keeps {id}, which is not a matched subtask of the plan before")]
    Kept {
        /// Which.
        id: SubTaskId,
    },
    /// A subtask's criterion compares derivations, which only the task's criteria can.
    #[error("subtask {position} compares answers of several subtasks; only the whole task can")]
    Level {
        /// Which, from 0.
        position: usize,
    },
    /// The request asks to make or change something, and nothing in the plan looks at what was made.
    #[error("the request asks to make or change something; no subtask is of kind create or change")]
    NoDeed,
    /// It names a tool that the directive blocks.
    #[error("it uses the blocked tool {tool}")]
    BlockedTool {
        /// The tool.
        tool: ToolName,
    },
    /// It asks for a program that the directive blocks.
    #[error("it uses the blocked program {}", .program.program)]
    BlockedProgram {
        /// The program, with the tool that starts it.
        program: BlockedProgram,
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
    if plan.subtasks.is_empty() {
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
        }
        violations
            .extend(subtask.success_criteria.iter().filter_map(|criterion| flaw(criterion, &subtask.intent)));
        let compares = |criterion: &Criterion| matches!(criterion.check, Some(Check::SameAnswer { .. }));
        if subtask.success_criteria.iter().any(compares) {
            violations.push(Violation::Level { position });
        }
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
    let planned = plan.subtasks.iter().flat_map(|subtask| &subtask.success_criteria);
    if deed::is_asked_for(&cx.spec.intent) && !deed::is_looked_at(planned.chain(&plan.task_criteria), cx) {
        violations.push(Violation::NoDeed);
    }
    violations.extend(blocked(plan, cx));
    violations
}

fn wrongly_kept<'a>(plan: &'a Plan, cx: &'a PlanContext) -> impl Iterator<Item = Violation> + 'a {
    let matched = |id: &SubTaskId| {
        let outcomes = cx.previous.iter().flat_map(|previous| &previous.outcomes);
        outcomes
            .into_iter()
            .any(|outcome| outcome.subtask_id == *id && outcome.status == OutcomeStatus::Matched)
    };
    let twice = |position: usize, id: &SubTaskId| plan.kept.iter().take(position).any(|other| other == id);
    let wrong = move |(position, id): &(usize, &SubTaskId)| !matched(id) || twice(*position, id);
    plan.kept.iter().enumerate().filter(wrong).map(|(_, id)| Violation::Kept { id: *id })
}

/// What the plan names although the directive blocks it. What the request itself names is no choice of the plan; there the
/// executor's refusal at the call is what counts.
fn blocked<'a>(plan: &'a Plan, cx: &'a PlanContext) -> impl Iterator<Item = Violation> + 'a {
    let chosen = move |name: &str| {
        let in_plan =
            |subtask: &PlannedSubTask| names(&subtask.intent, name) || names(&subtask.context, name);
        !names(&cx.spec.intent, name) && plan.subtasks.iter().any(in_plan)
    };
    let directives = || cx.previous.iter().map(|previous| &previous.directive);
    let tools =
        directives().flat_map(|directive| &directive.blocked_tools).filter(move |tool| chosen(tool.as_str()));
    let targets = directives()
        .flat_map(|directive| &directive.blocked_targets)
        .filter(move |target| chosen(&target.target));
    let tools = tools.map(|tool| Violation::BlockedTool { tool: tool.clone() });
    let asked_for = move |program: &str| {
        let in_plan = |subtask: &PlannedSubTask| {
            asks_for(&subtask.intent, program) || asks_for(&subtask.context, program)
        };
        !asks_for(&cx.spec.intent, program) && plan.subtasks.iter().any(in_plan)
    };
    let programs = directives()
        .flat_map(|directive| &directive.blocked_programs)
        .filter(move |blocked| asked_for(&blocked.program))
        .map(|program| Violation::BlockedProgram { program: program.clone() });
    tools.chain(programs).chain(targets.map(|target| Violation::BlockedTarget { target: target.clone() }))
}

/// Whether a text holds these words by themselves, not as a part of others.
fn names(text: &str, words: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    words.contains(in_word)
        && text.match_indices(words).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text.get(at + words.len()..).and_then(|after| after.chars().next());
            !before.is_some_and(in_word) && !after.is_some_and(in_word)
        })
}

/// Whether a text asks for a program: within backquotes, or behind a word that says by what means. Programs are named like
/// ordinary words (`find`, `sort`), so the name alone says nothing.
fn asks_for(text: &str, program: &str) -> bool {
    const BY: [&str; 6] = ["with", "use", "using", "via", "run", "running"];
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let quoted = text.split('`').skip(1).step_by(2);
    let mut commands = quoted.map(|command| command.split_whitespace().next().unwrap_or_default());
    let words: Vec<String> = text.split_whitespace().map(bare).collect();
    commands.any(|command| command == program)
        || words
            .windows(2)
            .any(|pair| matches!(pair, [by, named] if BY.contains(&by.as_str()) && named == program))
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
