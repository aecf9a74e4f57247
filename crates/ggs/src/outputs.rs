//! The outputs that a run delivers.

use artoo_types::{OutcomeStatus, PartialOutput, SubTaskOutcome};
use serde_json::{Value, json};

/// Whether an output is worth delivering: anything but null and blank text. An empty list is an answer.
/// ```
/// use artoo_ggs::is_deliverable;
/// use serde_json::json;
/// assert!(is_deliverable(&json!([])) && is_deliverable(&json!(0)) && is_deliverable(&json!("x")));
/// assert!(!is_deliverable(&json!(null)) && !is_deliverable(&json!("  \n")));
/// ```
pub fn is_deliverable(output: &Value) -> bool {
    match output {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => true,
    }
}

/// All outputs, each labelled with whether it was checked and matched; matched ones first.
///
/// Source: `docs/deviations.md`, "Success" and "Abandon": partial outputs are always delivered.
pub fn partial_outputs<'a>(outcomes: impl IntoIterator<Item = &'a SubTaskOutcome>) -> Vec<PartialOutput> {
    let mut partial: Vec<_> = outcomes
        .into_iter()
        .filter(|outcome| is_deliverable(&outcome.output))
        .map(|outcome| PartialOutput {
            subtask_id: outcome.subtask_id,
            intent: outcome.intent.clone(),
            status: standing(outcome),
            output: outcome.output.clone(),
        })
        .collect();
    partial.sort_by_key(|output| output.status != OutcomeStatus::Matched);
    partial
}

/// A matched subtask whose passes were revoked, because its answer is contradicted, is not delivered as
/// checked.
fn standing(outcome: &SubTaskOutcome) -> OutcomeStatus {
    let doubted = outcome.criteria_verdicts.iter().any(|verdict| !verdict.passed());
    match outcome.status {
        OutcomeStatus::Matched if doubted => OutcomeStatus::Failed,
        status @ (OutcomeStatus::Matched
        | OutcomeStatus::Failed
        | OutcomeStatus::Skipped
        | OutcomeStatus::Unjudged) => status,
    }
}

/// The outputs as one deliverable: a single one unchanged, several as a list that says for each what it
/// answers and whether it matched, none as null.
pub fn combined_output<'a>(outputs: impl IntoIterator<Item = &'a PartialOutput>) -> Value {
    let outputs: Vec<_> = outputs.into_iter().collect();
    match outputs.as_slice() {
        [] => Value::Null,
        [only] => only.output.clone(),
        several => several
            .iter()
            .map(|part| json!({ "intent": part.intent, "status": part.status, "output": part.output }))
            .collect(),
    }
}
