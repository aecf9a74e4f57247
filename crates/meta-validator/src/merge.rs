//! Merges the outputs of subtasks by code: their data, never prose about it.

use std::collections::{BTreeMap, BTreeSet};

use artoo_types::{Check, Criterion, SubTaskOutcome};
use serde_json::{Map, Value};

/// The combined output of matched outcomes.
///
/// Derivations of the same answer count once, with the answer that two of them gave, in the place of the
/// first of them. A single output is returned as it is; several become an object from intent to output, in
/// the plan's order; none is null.
pub fn merge(outcomes: &[SubTaskOutcome], task_criteria: &[Criterion]) -> Value {
    let mut parts: Vec<(&str, Value)> = distinct(outcomes, task_criteria)
        .into_iter()
        .map(|part| (part.outcome.intent.as_str(), part.output))
        .collect();
    match parts.len() {
        0 | 1 => parts.pop().map_or(Value::Null, |(_, output)| output),
        _ => Value::Object(labelled(parts)),
    }
}

/// An outcome whose output counts.
pub(crate) struct Distinct<'a> {
    /// The outcome.
    pub(crate) outcome: &'a SubTaskOutcome,
    /// Its output, or the answer on which it agrees with another derivation.
    pub(crate) output: Value,
}

/// The outcomes whose outputs count, with derivations of the same answer counted once.
pub(crate) fn distinct<'a>(outcomes: &'a [SubTaskOutcome], task_criteria: &[Criterion]) -> Vec<Distinct<'a>> {
    let mut answers: BTreeMap<usize, Value> = BTreeMap::new();
    let mut repeated = BTreeSet::new();
    for criterion in task_criteria {
        let Some(Check::SameAnswer { subtasks }) = &criterion.check else { continue };
        let members: BTreeSet<usize> =
            subtasks.iter().copied().filter(|position| *position < outcomes.len()).collect();
        let Some(first) = members.first().copied() else { continue };
        let given: Vec<&str> =
            members.iter().filter_map(|position| outcomes.get(*position)?.output.as_str()).collect();
        if let Some(answer) = artoo_checks::agreed_answer(&given) {
            answers.insert(first, Value::String(answer.to_owned()));
        }
        repeated.extend(members.into_iter().filter(|position| *position != first));
    }
    let counts = |(position, _): &(usize, &SubTaskOutcome)| !repeated.contains(position);
    let part = |(position, outcome): (usize, &'a SubTaskOutcome)| Distinct {
        outcome,
        output: answers.remove(&position).unwrap_or_else(|| outcome.output.clone()),
    };
    outcomes.iter().enumerate().filter(counts).map(part).collect()
}

/// Builds the object. Duplicate intents are numbered, so that no output is lost.
fn labelled(parts: Vec<(&str, Value)>) -> Map<String, Value> {
    let mut map = Map::new();
    for (intent, output) in parts {
        let mut label = intent.to_owned();
        let mut number = 2;
        while map.contains_key(&label) {
            label = format!("{intent} ({number})");
            number += 1;
        }
        map.insert(label, output);
    }
    map
}

#[cfg(test)]
mod tests {
    use artoo_types::Mode;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn outcome(intent: &str, output: &str) -> SubTaskOutcome {
        crate::conformance::outcome(0, intent, output)
    }

    fn same(subtasks: &[usize]) -> Criterion {
        let check = Some(Check::SameAnswer { subtasks: subtasks.to_vec() });
        Criterion { text: "they agree".to_owned(), mode: Mode::Verifiable, check }
    }

    #[test]
    fn merging() {
        assert_eq!(merge(&[outcome("count", "3")], &[]), json!("3"));
        assert_eq!(merge(&[outcome("a", "1"), outcome("a", "2")], &[]), json!({"a": "1", "a (2)": "2"}));
        let twice = [outcome("count", "3 files"), outcome("largest", "b.txt"), outcome("count", "3")];
        assert_eq!(merge(&twice, &[same(&[0, 2])]), json!({"count": "3", "largest": "b.txt"}));
        assert_eq!(merge(&twice[..1], &[same(&[0, 2])]), json!("3 files"));
        let third = [outcome("count", "4"), outcome("count", "3"), outcome("count", "3")];
        assert_eq!(merge(&third, &[same(&[0, 1, 2])]), json!("3"));
        assert_eq!(merge(&[], &[]), json!(null));
        // A dangling reference loses no output, and answers that disagree stay what was given first.
        assert_eq!(merge(&twice[..1], &[same(&[7, 0])]), json!("3 files"));
        assert_eq!(merge(&third[..2], &[same(&[1, 0])]), json!("4"));
    }

    proptest! {
        /// Every output is included once, except derivations that repeat another.
        #[test]
        fn nothing_is_lost(count in 1usize..6, families in prop::collection::vec(prop::collection::vec(0usize..8, 0..4), 0..3)) {
            let outcomes: Vec<_> = (0..count).map(|n| outcome(&format!("step {}", n % 3), &format!("out{n}.txt"))).collect();
            let criteria: Vec<_> = families.iter().map(|members| same(members)).collect();
            let merged = merge(&outcomes, &criteria).to_string();
            for (position, outcome) in outcomes.iter().enumerate() {
                let repeats = families.iter().any(|family| {
                    family.contains(&position) && family.iter().any(|other| *other < position)
                });
                prop_assert_eq!(merged.contains(outcome.output.as_str().unwrap()), !repeats, "{}", merged);
            }
        }
    }
}
