//! The parts of an answer: what each step found or was observed to change.

use std::{collections::BTreeMap, path::Path};

use artoo_types::{Criterion, FileChange, SubTaskOutcome};
use serde_json::Value;

/// The maximum number of listed changes of one step. A command may write thousands of files.
const CHANGES_LISTED: usize = 20;

/// The contribution of one step.
pub(crate) struct Part<'a> {
    /// The intent of the step.
    pub(crate) intent: &'a str,
    /// Its output; empty for a step that only changed something, since its text is a remark that was not
    /// judged.
    pub(crate) output: String,
    /// The observed changes, one per line.
    pub(crate) changes: Vec<String>,
}

impl Part<'_> {
    fn of(outcome: &SubTaskOutcome) -> Part<'_> {
        let changes = changes(outcome);
        let looked_at = &outcome.criteria;
        let is_a_deed = !looked_at.is_empty() && looked_at.iter().all(Criterion::is_about_a_deed);
        let output = if is_a_deed && !changes.is_empty() { String::new() } else { text(&outcome.output) };
        Part { intent: &outcome.intent, output, changes }
    }

    /// The output and the changes as one text.
    pub(crate) fn text(&self) -> String {
        let output = Some(self.output.trim()).filter(|output| !output.is_empty());
        output.into_iter().chain(self.changes.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
    }
}

/// The parts of the answer, in the plan's order.
pub(crate) fn parts(outcomes: &[SubTaskOutcome]) -> Vec<Part<'_>> {
    outcomes.iter().map(Part::of).collect()
}

/// The output of the last step, if it only summarises the steps before it and looked at nothing itself.
pub(crate) fn summed_up(outcomes: &[SubTaskOutcome]) -> Option<String> {
    let (last, before) = outcomes.split_last()?;
    let looked = last.tool_calls.iter().any(|call| call.showed() || call.changed_files());
    let summary = text(&last.output);
    (!before.is_empty() && !looked && !summary.trim().is_empty()).then_some(summary)
}

/// The parts as they are, as a list; what several steps put out alike stands there once. Numbers before them would be read as figures of
/// the answer.
pub(crate) fn listed(parts: &[Part<'_>]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for text in parts.iter().map(Part::text) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let items: Vec<String> = texts.iter().map(|text| format!("- {}", text.replace('\n', "\n  "))).collect();
    items.join("\n")
}

/// A value as text; empty for null.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// The net changes of all calls of a step.
fn changes(outcome: &SubTaskOutcome) -> Vec<String> {
    let mut net: BTreeMap<&Path, FileChange> = BTreeMap::new();
    for file in outcome.tool_calls.iter().flat_map(|call| &call.files) {
        if let Some(change) = file.after(net.remove(file.path.as_path())) {
            net.insert(&file.path, change);
        }
    }
    let more = net.len().saturating_sub(CHANGES_LISTED);
    let mut lines: Vec<String> = net.values().take(CHANGES_LISTED).map(FileChange::line).collect();
    if more > 0 {
        lines.push(format!("[... {more} more files ...]"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use artoo_types::{Check, FileChangeKind, ToolCall};

    use super::*;
    use crate::conformance::outcome;

    fn called(files: &[(&str, FileChangeKind)]) -> ToolCall {
        let file = |(path, change): &(&str, FileChangeKind)| FileChange::new(path, *change);
        ToolCall {
            files: files.iter().map(file).collect(),
            ..artoo_judging::conformance::call(1, "3\n", true)
        }
    }

    fn deed() -> Criterion {
        Criterion::checked("a.txt is there", Check::FileExists { path: "a.txt".into() })
    }

    /// The text of a change is a remark that was not judged: the observed changes are reported instead.
    #[test]
    fn a_deed_is_what_was_seen_to_change() {
        use FileChangeKind::{Changed, Created, Deleted};
        let made = SubTaskOutcome {
            criteria: vec![deed()],
            tool_calls: vec![
                called(&[("/w/a.txt", Created), ("/w/tmp", Created)]),
                called(&[("/w/a.txt", Changed), ("/w/tmp", Deleted), ("/w/b.txt", Deleted)]),
            ],
            ..outcome(1, "Write a.txt", "I also wrote c.txt")
        };
        let told = vec!["created: /w/a.txt".to_owned(), "deleted: /w/b.txt".to_owned()];
        let of = |outcome: SubTaskOutcome| {
            let outcomes = [outcome];
            let found = parts(&outcomes);
            (found[0].output.clone(), found[0].changes.clone())
        };
        assert_eq!(of(made.clone()), (String::new(), told.clone()));
        // A judged answer beside the change counts, and so does the text if no change was observed.
        let judged = Criterion { check: None, ..deed() };
        let both = SubTaskOutcome { criteria: vec![deed(), judged], ..made.clone() };
        assert_eq!(of(both), ("I also wrote c.txt".to_owned(), told));
        let unseen = SubTaskOutcome { tool_calls: vec![called(&[])], ..made };
        assert_eq!(of(unseen), ("I also wrote c.txt".to_owned(), Vec::new()));
    }

    #[test]
    fn outputs_stand_in_a_list_without_numbers_and_plan_texts() {
        let outcomes = [outcome(1, "Count the files", "3"), outcome(2, "List them", "a.txt\nb.txt")];
        assert_eq!(listed(&parts(&outcomes)), "- 3\n- a.txt\n  b.txt");
        let alike = [
            outcome(1, "Count the files", "3"),
            outcome(2, "List them", "a"),
            outcome(3, "Count again", "3"),
        ];
        assert_eq!(listed(&parts(&alike)), "- 3\n- a");
    }

    #[test]
    fn a_step_that_looked_at_nothing_sums_up() {
        let looked = SubTaskOutcome { tool_calls: vec![called(&[])], ..outcome(1, "Count", "3") };
        let summed = outcome(2, "Say it", "3, and that is all");
        assert_eq!(summed_up(&[looked.clone(), summed.clone()]).as_deref(), Some("3, and that is all"));
        assert_eq!(summed_up(&[summed.clone(), looked]), None);
        assert_eq!(summed_up(&[summed]), None, "of one step nothing is summed up");
    }
}
