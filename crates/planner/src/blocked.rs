//! What memory and a directive block, enforced where a plan is made. The executor enforces it once more, at the call.

use artoo_types::{BlockedApproach, BlockedTarget, GuardAction, Plan, PlanDirective, PlannedSubTask};

use crate::{PlanContext, Violation, recalled::guards};

/// What the plan names although memory forbids it or the directive blocks it: the specification's MUST NOT set. What the request itself names is no choice of the plan; there the
/// executor's refusal at the call is what counts.
///
/// Source: `docs/deviations.md`, "Blocked sets" and "Blocked programs".
pub(crate) fn violations(plan: &Plan, cx: &PlanContext) -> Vec<Violation> {
    let chosen = |asks: &dyn Fn(&str) -> bool| {
        let in_plan = |subtask: &PlannedSubTask| asks(&subtask.intent) || asks(&subtask.context);
        !asks(&cx.spec.intent) && plan.subtasks.iter().any(in_plan)
    };
    let mut violations: Vec<Violation> = guards(&cx.memory)
        .into_iter()
        .filter(|guard| guard.action == GuardAction::Refuse)
        .filter(|guard| chosen(&|text: &str| names_call(text, &guard.target)))
        .map(|guard| Violation::Remembered { rule: guard.because.first().copied(), target: guard.target })
        .collect();
    if let Some(previous) = &cx.previous {
        violations.extend(directed(plan, cx, &previous.directive, &chosen));
    }
    violations
}

/// Whether a step asks for something that the request does not.
type Chosen<'a> = &'a dyn Fn(&dyn Fn(&str) -> bool) -> bool;

fn directed(plan: &Plan, cx: &PlanContext, directive: &PlanDirective, chosen: Chosen<'_>) -> Vec<Violation> {
    let tools = directive
        .blocked_tools
        .iter()
        .filter(|tool| chosen(&|text: &str| asks_for_tool(text, tool.as_str())))
        .map(|tool| Violation::BlockedTool { tool: tool.clone() });
    let programs = directive
        .blocked_programs
        .iter()
        .filter(|blocked| chosen(&|text: &str| asks_for(text, &blocked.program)))
        .map(|program| Violation::BlockedProgram { program: program.clone() });
    let targets = directive
        .blocked_targets
        .iter()
        .filter(|target| chosen(&|text: &str| names(text, &target.target)))
        .map(|target| Violation::BlockedTarget { target: target.clone() });
    let approaches = directive
        .blocked_approaches
        .iter()
        .filter(|blocked| plan.subtasks.iter().any(|subtask| repeats(subtask, blocked, cx)))
        .map(|approach| Violation::BlockedApproach { approach: approach.clone() });
    tools.chain(programs).chain(targets).chain(approaches).collect()
}

/// Whether a subtask says that it does again, with this tool, what failed with it. Where it does not name the tool, nobody can tell
/// before the call, and there the executor does: to refuse the plan would end a run that may still find another input. A step
/// that is the whole request has no other words, and a further derivation has other means by rule.
fn repeats(subtask: &PlannedSubTask, blocked: &BlockedApproach, cx: &PlanContext) -> bool {
    subtask.independent_of.is_empty()
        && asks_for_tool(&subtask.intent, blocked.tool.as_str())
        && blocked.is_for(&subtask.intent)
        && !blocked.is_for(&cx.spec.intent)
}

/// Whether a text names this very call: a whole command, or an input and the tool for it. A file alone may be looked at by other means.
fn names_call(text: &str, call: &BlockedTarget) -> bool {
    let is_command = call.target.contains(char::is_whitespace);
    names(text, &call.target) && (is_command || asks_for_tool(text, call.tool.as_str()))
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

/// Words that say by what means.
const BY: [&str; 6] = ["with", "use", "using", "via", "run", "running"];

/// Whether a text asks for a program: within backquotes, or behind a word that says by what means. Programs are named like
/// ordinary words (`find`, `sort`), so the name alone says nothing.
fn asks_for(text: &str, program: &str) -> bool {
    let quoted = text.split('`').skip(1).step_by(2);
    let mut commands = quoted.map(|command| command.split_whitespace().next().unwrap_or_default());
    let words: Vec<String> = text.split_whitespace().map(bare).collect();
    commands.any(|command| command == program)
        || words
            .windows(2)
            .any(|pair| matches!(pair, [by, named] if BY.contains(&by.as_str()) && named == program))
}

/// Whether a text asks for a tool: as for a program, or by calling it one ("the search tool", "with the shell."). Tools are named like
/// ordinary words, too ("search the folder"), unless there is an underscore in the name.
fn asks_for_tool(text: &str, tool: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).map(|word| bare(word)).unwrap_or_default();
    let is_called_one = |at: usize| {
        let (before, after) = (word(at.checked_sub(1)), word(at.checked_add(1)));
        let ends = words.get(at).is_some_and(|word| word.ends_with(['.', ',', ';', ':', '!', '?']))
            || matches!(after.as_str(), "" | "and" | "to");
        let by_the = before == "the" && BY.contains(&word(at.checked_sub(2)).as_str());
        before == "tool" || after == "tool" || (by_the && ends)
    };
    (tool.contains('_') && names(text, tool))
        || asks_for(text, tool)
        || (0..words.len()).any(|at| word(Some(at)) == tool && is_called_one(at))
}

/// A word without the marks around it, in small letters.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}
