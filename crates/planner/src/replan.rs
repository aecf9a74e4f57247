//! Incremental replans: matched subtasks are kept with their outputs, and only the rest is planned again, in
//! another way.
//!
//! Source: `docs/deviations.md`, "Replans are incremental" (lesson N10: the ancestor ran matched subtasks
//! again) and "Another way".

use std::collections::{BTreeMap, BTreeSet};

use artoo_types::{
    ActionState, Criterion, OutcomeStatus, Plan, PlanDirective, PlannedSubTask, PrevDirective, SubTaskId,
    SubTaskOutcome, UnmetCriterion, same_intent,
};

use crate::{Author, PlanContext, PlanDraft, Previous, Violation, compile, compile::own_words};

/// Similarity from which two steps count as nearly the same, if the same way was a dead end twice: see
/// [`likeness`].
const NEARLY_THE_SAME: f64 = 0.85;
/// Similarity from which two words count as forms of one.
const SAME_WORD: f64 = 0.5;

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
    if !supersedes(&draft, &kept) {
        let ends = last_stands(previous);
        let earlier = previous.plan.task_criteria.iter().filter(|one| ends || !one.of_last_step);
        let still: Vec<Criterion> = earlier.filter(|one| !task_criteria.contains(one)).cloned().collect();
        task_criteria.extend(still);
    }
    Plan { task_criteria, kept, ..Plan::new(cx.spec.task_id.clone(), cx.round, subtasks) }
}

/// Whether the criteria of a new plan take the place of those that the earlier plan set for the task: it plans everything anew, and
/// says itself what must be true. A criterion that was wrong would otherwise fail every later plan. The whole is judged by the request in
/// either case.
fn supersedes(draft: &PlanDraft, kept: &[SubTaskId]) -> bool {
    kept.is_empty() && draft.subtasks.iter().any(|step| !step.criteria.is_empty())
}

/// Whether the step that ended the previous plan is kept.
fn last_stands(previous: &Previous) -> bool {
    let own_ids = previous.subtask_ids.iter().skip(previous.plan.kept.len());
    let last = previous.plan.subtasks.iter().zip(own_ids).max_by_key(|(subtask, _)| subtask.sequence);
    last.and_then(|(_, id)| outcome(previous, *id)).is_some_and(|outcome| stands(outcome, previous))
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

/// How these subtasks repeat those of the previous plan that fell short, if they do.
///
/// What a plan would do decides: its steps, with their kinds and groups, what they name, and how they are checked.
/// Wording is no difference, and a single other word may be one: "the word error" and "the word warning" are two
/// plans. After two dead ends, two rounds that failed in the same way, a plan that only says the same in nearly the
/// same words is no other way either. If the person has added something since, any plan is the way to something
/// else, or there is a reason to try again.
pub(crate) fn repeats(subtasks: &[PlannedSubTask], cx: &PlanContext) -> Option<Violation> {
    let previous = cx.previous.as_ref().filter(|previous| previous.notes == cx.notes.len())?;
    let fell_short = |(_, id): &(&PlannedSubTask, &SubTaskId)| {
        outcome(previous, **id).is_some_and(|outcome| !stands(outcome, previous))
    };
    let own_ids = previous.subtask_ids.iter().skip(previous.plan.kept.len());
    let old: Vec<&PlannedSubTask> =
        previous.plan.subtasks.iter().zip(own_ids).filter(fell_short).map(|(subtask, _)| subtask).collect();
    let (old, new) = (in_groups(&old), in_groups(&subtasks.iter().collect::<Vec<_>>()));
    if old.is_empty() {
        None
    } else if pairs_off(&new, &old, does_the_same) {
        Some(Violation::SamePlan)
    } else if is_second_dead_end(&previous.directive) && pairs_off(&new, &old, is_reworded) {
        Some(Violation::NearlySamePlan)
    } else {
        None
    }
}

/// Whether the round before the previous plan failed in the same way as that plan: nothing came nearer, and the
/// failures speak against the way. The first `break_symmetry` of a run has no round before it.
pub(crate) fn is_second_dead_end(directive: &PlanDirective) -> bool {
    directive.directive == ActionState::BreakSymmetry && directive.prev_directive != PrevDirective::Init
}

/// The subtasks with their groups, numbered anew from 0.
fn in_groups<'a>(subtasks: &[&'a PlannedSubTask]) -> Vec<(usize, &'a PlannedSubTask)> {
    let groups: BTreeSet<u32> = subtasks.iter().map(|subtask| subtask.sequence).collect();
    let group = |subtask: &&'a PlannedSubTask| {
        (groups.iter().take_while(|group| **group < subtask.sequence).count(), *subtask)
    };
    subtasks.iter().map(group).collect()
}

/// Whether each item has a partner of its own among the others, and none is left over.
fn pairs_off<T>(items: &[T], others: &[T], is_like: impl Fn(&T, &T) -> bool) -> bool {
    let mut others: Vec<&T> = others.iter().collect();
    items.len() == others.len()
        && items.iter().all(|item| {
            let found = others.iter().position(|other| is_like(item, other));
            found.map(|at| others.swap_remove(at)).is_some()
        })
}

type Grouped<'a> = (usize, &'a PlannedSubTask);

/// Whether two steps would do the same.
fn does_the_same((group, one): &Grouped<'_>, (other_group, other): &Grouped<'_>) -> bool {
    let (own, others) = (own_words(one), own_words(other));
    group == other_group
        && one.kind == other.kind
        && same_intent(own, others)
        && names(own) == names(others)
        && pairs_off(&one.success_criteria, &other.success_criteria, asks_the_same)
}

/// Whether two criteria are checked in the same way, or are the same words for a reader.
fn asks_the_same(one: &Criterion, other: &Criterion) -> bool {
    match (&one.check, &other.check) {
        (Some(check), Some(other)) => check == other,
        (None, None) => same_intent(&one.text, &other.text),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// Whether a step is another one in nearly the same words, however it is checked: none of its words stands in the
/// place of another one.
fn is_reworded((group, one): &Grouped<'_>, (other_group, other): &Grouped<'_>) -> bool {
    let (own, others) = (own_words(one), own_words(other));
    group == other_group
        && one.kind == other.kind
        && names(own) == names(others)
        && likeness(&words(own), &words(others)) >= NEARLY_THE_SAME
        && !has_a_word_replaced(words(own), words(others))
}

/// Whether both have a word that the other one has in no form.
fn has_a_word_replaced(ones: Vec<String>, mut others: Vec<String>) -> bool {
    let mut is_alone = |word: &String| {
        let in_a_form =
            |other: &String| likeness(std::slice::from_ref(word), std::slice::from_ref(other)) >= SAME_WORD;
        let found =
            others.iter().position(|other| other == word).or_else(|| others.iter().position(in_a_form));
        found.map(|at| others.swap_remove(at)).is_none()
    };
    // Each word takes its partner away, so all of them are looked at.
    let is_one_alone = ones.iter().filter(|word| is_alone(word)).count() > 0;
    is_one_alone && !others.is_empty()
}

/// What a text names, in its order: words that are not of letters alone, such as files and numbers.
fn names(text: &str) -> Vec<&str> {
    artoo_text::spaced_words(text).filter(|word| !word.chars().all(char::is_alphabetic)).collect()
}

/// Similarity of two texts from 0 to 1: the share of three-letter sequences that they have in common (Dice's
/// coefficient), word by word, regardless of order, case and punctuation.
fn likeness(ones: &[String], others: &[String]) -> f64 {
    let (ones, others) = (sequences(ones), sequences(others));
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
    use artoo_types::{Check, Mode, StepKind};
    use proptest::prelude::*;

    use super::*;

    fn step(intent: &str) -> PlannedSubTask {
        PlannedSubTask::new(1, intent, vec![Criterion::new("It is right", Mode::Plausible)])
    }

    /// What would be done decides, not how it is put. The specification's case e20 is the pair of "error" and "warning".
    #[test]
    fn a_step_is_what_it_would_do() {
        let words = [
            ("Count the files in docs", "in Docs: count the files!", true),
            ("数一数文件", "数一数文件。", true),
            (
                "Count the lines of app.log with the word error",
                "Count the lines of app.log with the word warning",
                false,
            ),
            ("Count all the files in docs by name", "Count all the files in docs by its name", false),
            ("Add up column 2 of a.csv", "Add up column 2 of b.csv", false),
            ("Show the first 10 lines", "Show the first 20 lines", false),
            // The same words, and the other way round.
            ("Copy a.txt to b.txt", "Copy b.txt to a.txt", false),
        ];
        for (one, other, same) in words {
            assert_eq!(does_the_same(&(0, &step(one)), &(0, &step(other))), same, "{one} / {other}");
        }
        let one = step("Mend it");
        let exists =
            |path: &str, text: &str| Criterion::checked(text, Check::FileExists { path: path.into() });
        let with = |criteria: Vec<Criterion>| PlannedSubTask { success_criteria: criteria, ..one.clone() };
        let reader = |text: &str| Criterion::new(text, Mode::Plausible);
        let criteria = [
            (vec![exists("a", "a is there")], vec![exists("a", "There is a")], true),
            (vec![exists("a", "it is there")], vec![exists("b", "it is there")], false),
            (vec![exists("a", "x"), exists("b", "y")], vec![exists("b", "y"), exists("a", "x")], true),
            (vec![exists("a", "x")], vec![exists("a", "x"), exists("b", "y")], false),
            (vec![exists("a", "x")], vec![reader("x")], false),
            (vec![reader("It is polite.")], vec![reader("it is polite")], true),
            (vec![reader("It is polite")], vec![reader("It is short")], false),
        ];
        for (ones, others, same) in criteria {
            let found = does_the_same(&(0, &with(ones.clone())), &(0, &with(others.clone())));
            assert_eq!(found, same, "{ones:?} / {others:?}");
        }
        let deed = PlannedSubTask { kind: StepKind::Change, ..one.clone() };
        assert!(!does_the_same(&(0, &one), &(0, &deed)));
        assert!(!does_the_same(&(0, &one), &(1, &one)), "before or after another step");
    }

    #[test]
    fn groups_are_numbered_anew() {
        let steps = [2, 7, 7].map(|sequence| PlannedSubTask { sequence, ..step("Look") });
        let groups: Vec<usize> =
            in_groups(&steps.iter().collect::<Vec<_>>()).iter().map(|(group, _)| *group).collect();
        assert_eq!(groups, [0, 1, 1]);
    }

    #[test]
    fn what_is_reworded_has_no_word_in_the_place_of_another() {
        let table = [
            ("Count the files in docs", "in Docs: count the files", true),
            ("Count all the files in docs by name", "Count all the files in docs by its name", true),
            (
                "Count the file of each folder that is here",
                "Count the files of each folder that is here",
                true,
            ),
            ("Laske kansion tiedostot ja kerro määrä", "Laske kansion tiedostot ja kerro määrä nyt", true),
            ("Laske kansion docs tiedostot yhteen", "laske docs-kansion tiedostot yhteen", false),
            ("Count the files with a listing", "Sum up the sizes that du tells", false),
            (
                "Count the lines of the log that hold the word error and give the number",
                "Count the lines of the log that hold the word warning and give the number",
                false,
            ),
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
            for (one, other) in [(one, other), (other, one)] {
                assert_eq!(is_reworded(&(0, &step(one)), &(0, &step(other))), near, "{one} / {other}");
            }
        }
    }

    proptest! {
        #[test]
        fn likeness_is_a_share_and_knows_no_order(one in "[a-zä ]{0,40}", other in "\\PC{0,40}") {
            let (ones, others) = (words(&one), words(&other));
            let found = likeness(&ones, &others);
            prop_assert!((0.0..=1.0).contains(&found));
            prop_assert_eq!(found, likeness(&others, &ones));
            let turned: Vec<&str> = one.split_whitespace().rev().collect();
            prop_assert_eq!(likeness(&ones, &words(&turned.join("  ").to_uppercase().to_lowercase())), 1.0);
        }

        /// A step is itself, and is nearly itself, and neither depends on which one is asked about.
        #[test]
        fn sameness_is_mutual(one in "[a-c1. ]{1,12}", other in "[a-c1. ]{1,12}") {
            let (one, other) = (step(&one), step(&other));
            let (one, other) = ((0, &one), (0, &other));
            prop_assert!(does_the_same(&one, &one) && is_reworded(&one, &one));
            prop_assert_eq!(does_the_same(&one, &other), does_the_same(&other, &one));
        }
    }
}
