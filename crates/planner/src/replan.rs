//! Incremental replans: matched subtasks are kept with their outputs, and only the rest is planned again, in
//! another way.
//!
//! Source: `docs/deviations.md`, "Replans are incremental" (lesson N10: the ancestor ran matched subtasks
//! again) and "Another way".

use std::collections::BTreeMap;

use artoo_types::{
    ActionState, Criterion, OutcomeStatus, Plan, PlannedSubTask, SubTaskId, SubTaskOutcome, UnmetCriterion,
    same_intent,
};

use crate::{Author, PlanContext, PlanDraft, Previous, compile, compile::own_words};

/// Similarity from which two steps count as nearly the same, if the same way was a dead end twice: see
/// [`likeness`].
const NEARLY_THE_SAME: f64 = 0.85;

/// The next plan: the kept subtasks, and the new ones from the draft.
pub(crate) fn merged(previous: &Previous, draft: &PlanDraft, author: Author, cx: &PlanContext) -> Plan {
    let outcomes = previous.subtask_ids.iter().filter_map(|id| outcome(previous, *id));
    let kept: Vec<SubTaskId> =
        outcomes.filter(|outcome| stands(outcome, previous)).map(|outcome| outcome.subtask_id).collect();
    let mut draft = without(draft, previous.outcomes.iter().filter(|outcome| stands(outcome, previous)));
    if author == Author::Guided {
        draft = with_the_deed(draft, previous);
    }
    let (mut subtasks, mut task_criteria) = compile(&draft, &cx.spec, author, kept.len());
    if author == Author::Guided {
        keep_the_missed(&mut subtasks, previous);
    }
    for criterion in &previous.plan.task_criteria {
        if !task_criteria.contains(criterion) {
            task_criteria.push(criterion.clone());
        }
    }
    Plan { task_criteria, kept, ..Plan::new(cx.spec.task_id.clone(), cx.round, subtasks) }
}

/// Whether a step of the previous plan is kept: it matched, and no later finding contradicts it. If the
/// previous plan had a single step and the whole fell short, the step is not kept: the rejected answer would
/// become part of the next one.
pub(crate) fn stands(outcome: &SubTaskOutcome, previous: &Previous) -> bool {
    let is_alone = previous.subtask_ids.len() == 1;
    let speaks_against_it = |unmet: &UnmetCriterion| match unmet.subtask_id {
        Some(subtask_id) => subtask_id == outcome.subtask_id,
        None => is_alone,
    };
    outcome.status == OutcomeStatus::Matched && !previous.directive.unmet.iter().any(speaks_against_it)
}

/// Whether these subtasks are those of the previous plan that fell short. Steps are the same if their words
/// are, up to order, case and punctuation, and if they are checked in the same way; under `break_symmetry`
/// also if their words are nearly the same, however they are checked. A step that is only reworded fails
/// again. If the person has added something since, it is the way to something else, or there is a reason to
/// try again.
pub(crate) fn is_same(subtasks: &[PlannedSubTask], cx: &PlanContext) -> bool {
    let Some(previous) = cx.previous.as_ref().filter(|previous| previous.notes == cx.notes.len()) else {
        return false;
    };
    let is_stuck = match previous.directive.directive {
        ActionState::BreakSymmetry => true,
        ActionState::ChangeApproach | ActionState::ChangePath | ActionState::Refine => false,
    };
    let fell_short = |(_, id): &(&PlannedSubTask, &SubTaskId)| {
        outcome(previous, **id).is_some_and(|outcome| !stands(outcome, previous))
    };
    let own_ids = previous.subtask_ids.iter().skip(previous.plan.kept.len());
    let mut old: Vec<&PlannedSubTask> =
        previous.plan.subtasks.iter().zip(own_ids).filter(fell_short).map(|(subtask, _)| subtask).collect();
    let is_like = |new: &PlannedSubTask, old: &PlannedSubTask| {
        let (own, other) = (own_words(new), own_words(old));
        let same = same_intent(own, other) && new.success_criteria == old.success_criteria;
        same || (is_stuck && likeness(own, other) >= NEARLY_THE_SAME)
    };
    !old.is_empty()
        && old.len() == subtasks.len()
        && subtasks.iter().all(|new| {
            let found = old.iter().position(|old| is_like(new, old));
            found.map(|at| old.swap_remove(at)).is_some()
        })
}

/// Similarity of two texts from 0 to 1: the share of three-letter sequences that they have in common (Dice's
/// coefficient), word by word, regardless of order, case and punctuation. 0 if the texts differ in names or
/// numbers, since those distinguish things.
fn likeness(one: &str, other: &str) -> f64 {
    let (ones, others) = (words(one), words(other));
    let names = |words: &[String]| {
        let is_name = |word: &&String| !word.chars().all(char::is_alphabetic);
        let mut names: Vec<String> = words.iter().filter(is_name).cloned().collect();
        names.sort_unstable();
        names
    };
    if names(&ones) != names(&others) {
        return 0.0;
    }
    let (ones, others) = (sequences(&ones), sequences(&others));
    let common: usize = ones.iter().map(|(three, count)| *count.min(others.get(three).unwrap_or(&0))).sum();
    let all: usize = ones.values().chain(others.values()).sum();
    if all == 0 { 1.0 } else { 2.0 * common as f64 / all as f64 }
}

/// The words of a text in lower case, with punctuation only inside words.
fn words(text: &str) -> Vec<String> {
    artoo_text::spaced_words(text).map(str::to_lowercase).collect()
}

/// The count of each three-letter sequence, word boundaries included.
fn sequences(words: &[String]) -> BTreeMap<[char; 3], usize> {
    let mut sequences = BTreeMap::new();
    for word in words {
        let letters: Vec<char> = std::iter::once(' ').chain(word.chars()).chain([' ']).collect();
        for three in letters.windows(3) {
            if let Ok(three) = <[char; 3]>::try_from(three) {
                *sequences.entry(three).or_default() += 1;
            }
        }
    }
    sequences
}

/// The draft with its last step turned into a change, if none is one and a change fell short: a small model
/// that failed to make something tends to plan a question instead.
fn with_the_deed(draft: PlanDraft, previous: &Previous) -> PlanDraft {
    let mut draft = draft;
    let short = previous.outcomes.iter().filter(|outcome| !stands(outcome, previous));
    let missed = short.map(|outcome| outcome.kind).find(|kind| !kind.is_find_out());
    if let Some(kind) = missed
        && draft.subtasks.iter().all(|subtask| subtask.kind.is_find_out())
        && let Some(last) = draft.subtasks.iter_mut().max_by_key(|subtask| subtask.sequence)
    {
        last.kind = kind;
    }
    draft
}

/// Carries over the checks of what the previous plan had to make, whatever the new plan says: a replan
/// changes the way, not the aim.
fn keep_the_missed(subtasks: &mut [PlannedSubTask], previous: &Previous) {
    let deeds = subtasks.iter_mut().filter(|subtask| !subtask.kind.is_find_out());
    let Some(last) = deeds.max_by_key(|subtask| subtask.sequence) else { return };
    let short = previous.outcomes.iter().filter(|outcome| !stands(outcome, previous));
    for criterion in short.flat_map(|outcome| &outcome.criteria) {
        if criterion.is_about_a_deed() && !last.success_criteria.contains(criterion) {
            last.success_criteria.push(Criterion::clone(criterion));
        }
    }
}

/// The draft without finished steps: a model may plan again what it was told is kept, and that is not run
/// again.
pub(crate) fn without<'a>(
    draft: &PlanDraft,
    done: impl Iterator<Item = &'a SubTaskOutcome> + Clone,
) -> PlanDraft {
    let is_done = |intent: &str| done.clone().any(|outcome| words(&outcome.intent) == words(intent));
    let subtasks = draft.subtasks.iter().filter(|subtask| !is_done(&subtask.intent)).cloned().collect();
    PlanDraft { english: draft.english.clone(), ..PlanDraft::of(subtasks) }
}

fn outcome(previous: &Previous, id: SubTaskId) -> Option<&SubTaskOutcome> {
    previous.outcomes.iter().find(|outcome| outcome.subtask_id == id)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn likeness_is_of_words_in_any_language() {
        let table = [
            ("Count the files in docs", "in Docs: count the files", true),
            ("Laske kansion docs tiedostot yhteen", "laske docs-kansion tiedostot yhteen", false),
            ("Laske kansion tiedostot ja kerro määrä", "Laske kansion tiedostot ja kerro määrä nyt", true),
            ("数一数文件", "数一数文件。", true),
            ("Count the files with a listing", "Sum up the sizes that du tells", false),
            // Names and numbers carry the meaning.
            (
                "Add up the second column of the table a.csv",
                "Add up the second column of the table b.csv",
                false,
            ),
            (
                "Show the first 10 lines of the long report",
                "Show the first 20 lines of the long report",
                false,
            ),
        ];
        for (one, other, near) in table {
            assert_eq!(
                likeness(one, other) >= NEARLY_THE_SAME,
                near,
                "{one} / {other}: {}",
                likeness(one, other)
            );
        }
    }

    proptest! {
        #[test]
        fn likeness_is_a_share_and_knows_no_order(one in "[a-zä ]{0,40}", other in "\\PC{0,40}") {
            let found = likeness(&one, &other);
            prop_assert!((0.0..=1.0).contains(&found));
            prop_assert_eq!(found, likeness(&other, &one));
            let turned: Vec<&str> = one.split_whitespace().rev().collect();
            prop_assert_eq!(likeness(&one, &turned.join("  ").to_uppercase().to_lowercase()), 1.0);
        }
    }
}
