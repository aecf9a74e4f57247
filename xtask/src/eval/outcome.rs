//! What `artoo run --json` said, folded from its lines.

use std::collections::{BTreeMap, BTreeSet};

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
    /// Who decided what the end rests on.
    pub judged: Judged,
    /// Where a question was derived twice: the answer of the first derivation, if it met its own criteria. A run without a second one
    /// would have ended with it as accepted.
    #[serde(default)]
    pub first_answer: Option<String>,
}

/// How many criteria were decided by whom, of those that count at the end: the last verdict on each, of the subtasks that the last plan
/// has. What was replanned away decided nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Judged {
    /// By a check or a rule in code.
    pub by_code: u64,
    /// By a model that read.
    pub by_model: u64,
}

/// Who decided, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecidedBy {
    /// Code, every criterion.
    Checks,
    /// A model, at least one criterion.
    Model,
    /// There was no criterion: the answer was given without a plan, or the run ended before anything was judged.
    Nobody,
}

impl Judged {
    /// Who decided.
    pub(crate) fn decided_by(self) -> DecidedBy {
        match self {
            Self { by_code: 0, by_model: 0 } => DecidedBy::Nobody,
            Self { by_model: 0, .. } => DecidedBy::Checks,
            Self { .. } => DecidedBy::Model,
        }
    }
}

impl Outcome {
    /// Whether the run claims that every criterion is met.
    pub(crate) fn accepted(&self) -> bool {
        self.directive == "accept"
    }
}

/// Reads the lines of a run. Lines of unknown types are ignored, as the format demands.
pub(crate) fn fold(lines: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let mut verdicts = Verdicts::default();
    let mut first = First::NotPlanned;
    let mut plans = 0_u64;
    for line in lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        if let Some(id) = line.get("run_id").and_then(Value::as_str) {
            outcome.run_id = id.to_owned();
        }
        match line.get("type").and_then(Value::as_str) {
            Some("plan.proposed") => {
                plans = plans.saturating_add(1);
                verdicts.replan(&line);
                first = first.planned(&line);
            }
            Some("verdict") => verdicts.add(&line),
            Some("subtask.finished") => first = first.finished(&line),
            Some("run.finished") => finish(&mut outcome, &line),
            _ => {}
        }
    }
    outcome.replans = plans.saturating_sub(1);
    outcome.judged = verdicts.judged();
    outcome.first_answer = first.answer();
    outcome
}

/// The first derivation of the one question that a run's first plan derives twice.
#[derive(Debug)]
enum First {
    NotPlanned,
    Awaited,
    Ended(Option<String>),
}

impl First {
    fn planned(self, line: &Value) -> Self {
        let subtasks = line.get("subtasks").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let again = |subtask: &Value| subtask.get("independent_of") == Some(&serde_json::json!([0]));
        match (self, subtasks) {
            (Self::NotPlanned, [_, second]) if again(second) => Self::Awaited,
            // Another plan: a later answer is not the first.
            (Self::NotPlanned | Self::Awaited, _) => Self::Ended(None),
            (ended @ Self::Ended(_), _) => ended,
        }
    }

    fn finished(self, line: &Value) -> Self {
        match self {
            Self::Awaited => {
                let matched = line.get("status").and_then(Value::as_str) == Some("matched");
                Self::Ended(line.get("output").filter(|_| matched).map(as_text))
            }
            Self::NotPlanned | Self::Ended(_) => self,
        }
    }

    fn answer(self) -> Option<String> {
        match self {
            Self::NotPlanned | Self::Awaited => None,
            Self::Ended(answer) => answer,
        }
    }
}

/// The verdicts that count so far: by subtask (none for the task) and criterion, whether a model gave it.
#[derive(Debug, Default)]
struct Verdicts(BTreeMap<(Option<String>, String), bool>);

impl Verdicts {
    fn replan(&mut self, line: &Value) {
        let kept: BTreeSet<&str> = line
            .get("kept")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        self.0.retain(|(subtask, _), _| subtask.as_deref().is_some_and(|id| kept.contains(id)));
    }

    fn add(&mut self, line: &Value) {
        let text = |key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
        let by_model = !matches!(text("judge").as_deref(), Some("check" | "rule"));
        self.0.insert((text("subtask_id"), text("criterion").unwrap_or_default()), by_model);
    }

    fn judged(&self) -> Judged {
        let count = |wanted: bool| self.0.values().filter(|by_model| **by_model == wanted).map(|_| 1).sum();
        Judged { by_code: count(false), by_model: count(true) }
    }
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
                   "output": "5 files", "elapsed_ms": 1500,
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
            judged: Judged::default(),
            first_answer: None,
        };
        assert_eq!(fold(&text), expected);
        assert!(fold(&text).accepted());
    }

    fn verdict(subtask: Option<&str>, criterion: &str, judge: &str) -> Value {
        let mut line = json!({"type": "verdict", "criterion": criterion, "judge": judge});
        if let Some(id) = subtask {
            line["subtask_id"] = id.into();
        }
        line
    }

    fn judged(lines: &[Value]) -> (Judged, DecidedBy) {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        let judged = fold(&lines.join("\n")).judged;
        (judged, judged.decided_by())
    }

    #[test]
    fn the_last_verdict_on_a_criterion_counts() {
        let plan = json!({"type": "plan.proposed", "kept": []});
        let lines = [plan.clone(), verdict(Some("a"), "c", "rule"), verdict(Some("a"), "c", "check")];
        assert_eq!(judged(&lines), (Judged { by_code: 1, by_model: 0 }, DecidedBy::Checks));
        let lines = [plan.clone(), verdict(Some("a"), "c", "check"), verdict(None, "c", "model")];
        assert_eq!(judged(&lines), (Judged { by_code: 1, by_model: 1 }, DecidedBy::Model));
        assert_eq!(judged(&[plan]), (Judged::default(), DecidedBy::Nobody));
    }

    #[test]
    fn every_plan_but_the_first_is_a_replan() {
        let plans =
            |count: usize| vec![json!({"type": "plan.proposed", "kept": []}).to_string(); count].join("\n");
        assert_eq!([0, 1, 3].map(|count| fold(&plans(count)).replans), [0, 0, 2]);
    }

    #[test]
    fn what_was_replanned_away_decides_nothing() {
        let lines = [
            json!({"type": "plan.proposed", "kept": []}),
            verdict(Some("kept"), "c", "check"),
            verdict(Some("dropped"), "c", "model"),
            verdict(None, "t", "model"),
            json!({"type": "plan.proposed", "kept": ["kept"]}),
            verdict(Some("new"), "c", "check"),
            verdict(None, "t", "check"),
        ];
        assert_eq!(judged(&lines), (Judged { by_code: 3, by_model: 0 }, DecidedBy::Checks));
    }

    #[test]
    fn a_judge_that_is_not_known_is_not_taken_for_a_check() {
        let lines = [verdict(Some("a"), "c", "crowd")];
        assert_eq!(judged(&lines).1, DecidedBy::Model);
    }

    #[test]
    fn the_first_of_two_derivations_is_kept() {
        let plan = |second: Value| json!({"type": "plan.proposed", "kept": [], "subtasks": [{}, second]});
        let twice = || plan(json!({"independent_of": [0]}));
        let ended = |status: &str, output: &str| json!({"type": "subtask.finished", "status": status, "output": output});
        let first = |lines: &[Value]| {
            fold(&lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")).first_answer
        };
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(first(&[twice(), ended("matched", "7"), ended("matched", "8")]), said("7"));
        assert_eq!(first(&[twice(), ended("failed", "7"), ended("matched", "8")]), None);
        assert_eq!(first(&[twice(), twice(), ended("matched", "8")]), None);
        assert_eq!(first(&[plan(json!({})), ended("matched", "7"), twice(), ended("matched", "8")]), None);
        assert_eq!(first(&[twice(), ended("matched", "7"), twice(), ended("matched", "8")]), said("7"));
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
