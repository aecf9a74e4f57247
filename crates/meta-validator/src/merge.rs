//! Merges the outputs of subtasks by code: their data, never prose about it.

use artoo_types::SubTaskOutcome;
use serde_json::{Map, Value};

/// The combined output of matched outcomes.
///
/// A single output is returned as it is; several become an object from intent to output, in the plan's order;
/// none is null.
pub fn merge(outcomes: &[SubTaskOutcome]) -> Value {
    match outcomes {
        [] => Value::Null,
        [only] => only.output.clone(),
        several => Value::Object(labelled(several)),
    }
}

/// Builds the object. Duplicate intents are numbered, so that no output is lost.
fn labelled(outcomes: &[SubTaskOutcome]) -> Map<String, Value> {
    let mut map = Map::new();
    for SubTaskOutcome { intent, output, .. } in outcomes {
        let mut label = intent.clone();
        let mut number = 2;
        while map.contains_key(&label) {
            label = format!("{intent} ({number})");
            number += 1;
        }
        map.insert(label, output.clone());
    }
    map
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn outcome(intent: &str, output: &str) -> SubTaskOutcome {
        crate::conformance::outcome(0, intent, output)
    }

    #[test]
    fn merging() {
        assert_eq!(merge(&[outcome("count", "3")]), json!("3"));
        assert_eq!(merge(&[outcome("a", "1"), outcome("a", "2")]), json!({"a": "1", "a (2)": "2"}));
        assert_eq!(merge(&[]), json!(null));
    }

    proptest! {
        #[test]
        fn nothing_is_lost(count in 1usize..6) {
            let outcomes: Vec<_> = (0..count).map(|n| outcome(&format!("step {}", n % 3), &format!("out{n}.txt"))).collect();
            let merged = merge(&outcomes).to_string();
            for outcome in outcomes {
                prop_assert!(merged.contains(outcome.output.as_str().unwrap()), "{}", merged);
            }
        }
    }
}
