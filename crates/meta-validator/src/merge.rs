//! Merging outputs by code: the data that the subtasks put out, never prose about it.

use std::collections::BTreeSet;

use artoo_types::{Check, Criterion, SubTaskOutcome};
use serde_json::{Map, Value};

/// The combined output of matched outcomes.
///
/// Derivations of the same answer count once, with the answer that two of them gave. A single output is itself; several are an
/// object from intent to output, in the plan's order.
pub fn merge(outcomes: &[SubTaskOutcome], task_criteria: &[Criterion]) -> Value {
    let mut agreed: Vec<(usize, Value)> = Vec::new();
    let mut derivations = BTreeSet::new();
    for criterion in task_criteria {
        let Some(Check::SameAnswer { subtasks }) = &criterion.check else { continue };
        let given: Vec<&str> =
            subtasks.iter().filter_map(|position| outcomes.get(*position)?.output.as_str()).collect();
        let Some(first) = subtasks.first() else { continue };
        let answer = artoo_checks::agreed_answer(&given).or_else(|| given.first().copied());
        agreed.push((*first, answer.map_or(Value::Null, |answer| Value::String(answer.to_owned()))));
        derivations.extend(subtasks.iter().copied());
    }
    let mut parts: Vec<(String, Value)> = Vec::new();
    for (position, outcome) in outcomes.iter().enumerate() {
        if let Some((_, answer)) = agreed.iter().find(|(first, _)| *first == position) {
            parts.push((outcome.intent.clone(), answer.clone()));
        } else if !derivations.contains(&position) {
            parts.push((outcome.intent.clone(), outcome.output.clone()));
        }
    }
    match parts.len() {
        1 => parts.pop().map_or(Value::Null, |(_, output)| output),
        _ => Value::Object(labelled(parts)),
    }
}

/// Equal intents get a number, so that no output is lost.
fn labelled(parts: Vec<(String, Value)>) -> Map<String, Value> {
    let mut map = Map::new();
    for (intent, output) in parts {
        let mut label = intent.clone();
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
    use artoo_types::{Mode, OutcomeStatus, RunId, SubTaskId};
    use serde_json::json;

    use super::*;

    fn outcome(intent: &str, output: &str) -> SubTaskOutcome {
        SubTaskOutcome {
            subtask_id: SubTaskId::new(uuid::Uuid::nil()),
            parent_task_id: RunId::OPERATOR,
            sequence: 1,
            intent: intent.to_owned(),
            criteria: Vec::new(),
            status: OutcomeStatus::Matched,
            output: json!(output),
            failure_reason: None,
            gap_trajectory: Vec::new(),
            criteria_verdicts: Vec::new(),
            tool_calls: Vec::new(),
        }
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
    }
}
