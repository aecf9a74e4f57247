//! Incremental replans: what matched is kept with its output, and only the rest is planned again.
//!
//! Source: `docs/deviations.md`, "Replans are incremental" (lesson N10: the ancestor ran matched subtasks again).

use std::collections::BTreeSet;

use artoo_types::{
    Check, Criterion, OutcomeStatus, Plan, PlannedSubTask, SubTaskId, SubTaskOutcome, same_intent,
};

use crate::guided::deed;
use crate::{CompileOptions, PlanContext, PlanDraft, Previous, compile, compile::agreement};

/// Derivations of one answer: positions in the previous plan.
struct Family {
    intent: String,
    members: Vec<usize>,
}

/// Whether a model must plan anything. Where all that is missing is another derivation of an answer, code plans it.
pub(crate) fn needs_model(previous: &Previous) -> bool {
    let families = families(previous);
    let derivations: BTreeSet<usize> =
        families.iter().flat_map(|family| family.members.iter().copied()).collect();
    let lost = families.iter().any(|family| matched(family, previous).is_empty());
    let in_doubt = families.iter().any(|family| !agreed(family, previous));
    let single = |position: usize| !derivations.contains(&position) && !is_matched(previous, position);
    lost || (0..previous.subtask_ids.len()).any(single) || !in_doubt
}

/// Whether code plans another derivation of the answer that this subtask gave.
pub(crate) fn is_derived_again(previous: &Previous, subtask: SubTaskId) -> bool {
    families(previous).iter().any(|family| {
        let gave_it = |position: &usize| previous.subtask_ids.get(*position) == Some(&subtask);
        matched(family, previous).iter().any(gave_it) && !agreed(family, previous)
    })
}

/// The next plan: kept subtasks, the draft's new ones, and another derivation of each answer that is in doubt.
pub(crate) fn merged(
    previous: &Previous,
    draft: Option<&PlanDraft>,
    cx: &PlanContext,
    options: CompileOptions,
) -> Plan {
    let positions: Vec<usize> =
        (0..previous.subtask_ids.len()).filter(|position| is_matched(previous, *position)).collect();
    let kept: Vec<SubTaskId> =
        positions.iter().filter_map(|position| previous.subtask_ids.get(*position).copied()).collect();
    let (mut subtasks, mut task_criteria) = match draft {
        Some(draft) => {
            let mut draft = without_the_done(draft, previous);
            if options.guided {
                draft = deed::with_the_missed(draft, previous);
            }
            compile(&draft, &cx.spec, options, kept.len())
        }
        None => (Vec::new(), Vec::new()),
    };
    if options.guided {
        keep_the_missed(&mut subtasks, previous);
    }
    for family in families(previous) {
        let new_positions: Vec<usize> = matched(&family, previous)
            .iter()
            .filter_map(|old| positions.iter().position(|position| position == old))
            .collect();
        if new_positions.is_empty() {
            // None of them matched: the draft plans the question anew.
            continue;
        }
        let mut members = new_positions.clone();
        if !agreed(&family, previous) {
            members.push(kept.len() + subtasks.len());
            subtasks.push(another(&family, previous, new_positions));
        }
        task_criteria.push(agreement(&family.intent, members));
    }
    let carried: Vec<Criterion> =
        carried(previous).filter(|criterion| !task_criteria.contains(criterion)).collect();
    task_criteria.extend(carried);
    Plan {
        memory: artoo_types::PlanMemory::default(),
        task_id: cx.spec.task_id.clone(),
        round: cx.round,
        task_criteria,
        subtasks,
        kept,
    }
}

/// Whether these subtasks are those of the plan before that did not match, in the same order, up to the words' order and case, and checked
/// in the same way. What is only worded otherwise fails again.
pub(crate) fn is_same(subtasks: &[PlannedSubTask], previous: &Previous) -> bool {
    let failed = previous.outcomes.iter().filter(|outcome| outcome.status != OutcomeStatus::Matched);
    let same = |(new, old): (&PlannedSubTask, &SubTaskOutcome)| {
        same_intent(&new.intent, &old.intent) && new.success_criteria == old.criteria
    };
    let failed: Vec<&SubTaskOutcome> = failed.collect();
    !failed.is_empty() && failed.len() == subtasks.len() && subtasks.iter().zip(failed).all(same)
}

/// Whatever the new plan says, what the one before had to make is looked at: a replan changes the way, not the aim.
fn keep_the_missed(subtasks: &mut [PlannedSubTask], previous: &Previous) {
    let is_deed =
        |subtask: &&mut PlannedSubTask| subtask.success_criteria.iter().any(Criterion::is_about_a_deed);
    let Some(last) = subtasks.iter_mut().filter(is_deed).max_by_key(|subtask| subtask.sequence) else {
        return;
    };
    for criterion in deed::missed(previous) {
        if !last.success_criteria.contains(&criterion) {
            last.success_criteria.push(criterion);
        }
    }
}

/// A model may plan again what it was told is done; that is kept, and not run again.
fn without_the_done(draft: &PlanDraft, previous: &Previous) -> PlanDraft {
    let done = |intent: &str| {
        let matched = previous.outcomes.iter().filter(|outcome| outcome.status == OutcomeStatus::Matched);
        matched.into_iter().any(|outcome| words(&outcome.intent).eq(words(intent)))
    };
    PlanDraft::of(draft.subtasks.iter().filter(|subtask| !done(&subtask.intent)).cloned().collect())
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn another(family: &Family, previous: &Previous, independent_of: Vec<usize>) -> PlannedSubTask {
    let template = family.members.iter().find_map(|position| {
        let id = previous.subtask_ids.get(*position)?;
        previous.outcomes.iter().find(|outcome| outcome.subtask_id == *id)
    });
    PlannedSubTask {
        sequence: 1,
        intent: family.intent.clone(),
        context: String::new(),
        success_criteria: template.map(|outcome| outcome.criteria.clone()).unwrap_or_default(),
        independent_of,
    }
}

/// Task criteria of the previous plan that are not about derivations.
fn carried(previous: &Previous) -> impl Iterator<Item = Criterion> + '_ {
    let kept = |criterion: &&Criterion| !matches!(criterion.check, Some(Check::SameAnswer { .. }));
    previous.plan.task_criteria.iter().filter(kept).cloned()
}

fn families(previous: &Previous) -> Vec<Family> {
    let family = |criterion: &Criterion| match &criterion.check {
        Some(Check::SameAnswer { subtasks }) => {
            let first = subtasks.first().and_then(|position| previous.subtask_ids.get(*position))?;
            let outcome = previous.outcomes.iter().find(|outcome| outcome.subtask_id == *first)?;
            Some(Family { intent: outcome.intent.clone(), members: subtasks.clone() })
        }
        Some(_) | None => None,
    };
    previous.plan.task_criteria.iter().filter_map(family).collect()
}

fn matched(family: &Family, previous: &Previous) -> Vec<usize> {
    family.members.iter().copied().filter(|position| is_matched(previous, *position)).collect()
}

fn agreed(family: &Family, previous: &Previous) -> bool {
    let answers: Vec<&str> = matched(family, previous)
        .into_iter()
        .filter_map(|position| outcome(previous, position)?.output.as_str())
        .collect();
    artoo_checks::agreed_answer(&answers).is_some()
}

fn is_matched(previous: &Previous, position: usize) -> bool {
    outcome(previous, position).is_some_and(|outcome| outcome.status == OutcomeStatus::Matched)
}

fn outcome(previous: &Previous, position: usize) -> Option<&SubTaskOutcome> {
    let id = previous.subtask_ids.get(position)?;
    previous.outcomes.iter().find(|outcome| outcome.subtask_id == *id)
}
