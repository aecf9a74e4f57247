//! What `artoo run --json` said, folded from its lines.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The end of a run, as far as the table needs it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// `accept`, `success` or `abandon`; the kind of error where there is none; empty where the run never ended.
    pub directive: String,
    /// What the user reads as the answer.
    pub answer: String,
    /// Model calls.
    pub calls: u64,
    /// Tokens read by the model.
    pub prompt_tokens: u64,
    /// Tokens written by it.
    pub completion_tokens: u64,
    /// How often the plan was changed.
    #[serde(default)]
    pub replans: u64,
    /// From the request to the result.
    pub seconds: f64,
    /// The run's id.
    pub run_id: String,
    /// How sure it says it is, from 0 to 1, where it says so.
    #[serde(default)]
    pub confidence: Option<f64>,
}

impl Outcome {
    /// Whether the run claims that every criterion is met.
    pub(crate) fn accepted(&self) -> bool {
        self.directive == "accept"
    }

    /// Whether the run came to an end that it decided: a crash or a time-out refuses nothing.
    pub(crate) fn is_decided(&self) -> bool {
        ["accept", "success", "abandon"].contains(&self.directive.as_str())
    }
}

/// Reads the lines of a run. Lines of unknown types are ignored, as the format demands.
pub(crate) fn fold(lines: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let mut plans = 0_u64;
    for line in lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        if let Some(id) = line.get("run_id").and_then(Value::as_str) {
            outcome.run_id = id.to_owned();
        }
        match line.get("type").and_then(Value::as_str) {
            Some("plan.proposed") => plans = plans.saturating_add(1),
            Some("run.finished") => finish(&mut outcome, &line),
            _ => {}
        }
    }
    outcome.replans = plans.saturating_sub(1);
    outcome
}

fn finish(outcome: &mut Outcome, line: &Value) {
    let number = |pointer: &str| line.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
    outcome.directive = match line.get("directive").and_then(Value::as_str) {
        Some(directive) => directive.to_owned(),
        None => "error".to_owned(),
    };
    let output = line.get("output").map(as_text).unwrap_or_default();
    outcome.answer =
        if output.trim().is_empty() { line.get("summary").map(as_text).unwrap_or_default() } else { output };
    outcome.calls = number("/usage/calls");
    outcome.prompt_tokens = number("/usage/prompt_tokens");
    outcome.completion_tokens = number("/usage/completion_tokens");
    outcome.seconds = number("/elapsed_ms") as f64 / 1000.0;
    outcome.confidence = line.pointer("/confidence/value").and_then(Value::as_f64);
}

/// A deliverable as text: strings as they are, lists line by line, everything else as JSON.
fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(as_text).collect::<Vec<_>>().join("\n"),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_last_line_is_the_outcome() {
        let lines = [
            json!({"v": 1, "type": "run.started", "run_id": "r1"}),
            json!({"v": 1, "type": "something.new", "run_id": "r1"}),
            json!({"v": 1, "type": "run.finished", "run_id": "r1", "directive": "accept", "summary": "Counted.",
                   "output": "5 files", "elapsed_ms": 1500, "confidence": {"value": 0.75, "least": 0.5, "why": "x"},
                   "usage": {"calls": 3, "prompt_tokens": 700, "completion_tokens": 90}}),
        ];
        let text = lines.map(|line| line.to_string()).join("\n");
        let expected = Outcome {
            directive: "accept".to_owned(),
            answer: "5 files".to_owned(),
            calls: 3,
            prompt_tokens: 700,
            completion_tokens: 90,
            replans: 0,
            seconds: 1.5,
            run_id: "r1".to_owned(),
            confidence: Some(0.75),
        };
        assert_eq!(fold(&text), expected);
        assert!(fold(&text).accepted());
    }

    #[test]
    fn every_plan_but_the_first_is_a_replan() {
        let plans =
            |count: usize| vec![json!({"type": "plan.proposed", "kept": []}).to_string(); count].join("\n");
        assert_eq!([0, 1, 3].map(|count| fold(&plans(count)).replans), [0, 0, 2]);
    }

    #[test]
    fn a_run_without_an_end_claims_nothing() {
        let outcome = fold("not JSON\n{\"type\":\"run.started\",\"run_id\":\"r1\"}\n");
        assert_eq!((outcome.directive.as_str(), outcome.accepted()), ("", false));
    }

    #[test]
    fn lists_are_read_line_by_line() {
        let line =
            json!({"type": "run.finished", "directive": "success", "output": ["a", "b"], "summary": "s"});
        assert_eq!(fold(&line.to_string()).answer, "a\nb");
        let line = json!({"type": "run.finished", "directive": null, "output": null, "summary": "s"});
        assert_eq!(
            (fold(&line.to_string()).answer, fold(&line.to_string()).directive),
            ("s".into(), "error".into())
        );
    }
}
