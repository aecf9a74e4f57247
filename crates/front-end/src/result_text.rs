//! The result of a run as text, with its label before it.

use artoo_runtime::events::Event;
use artoo_types::{OutcomeStatus, PartialOutput, short_id};
use serde_json::Value;

use crate::Worth;

/// The result of a run as Markdown. The label of anything that is not confirmed stands before the answer, always. `None` for every event
/// but a run's last.
pub fn result_text(event: &Event) -> Option<String> {
    let Event::RunFinished { error, summary, output, partial, unused_notes, .. } = event else {
        return None;
    };
    let answer = value_text(output);
    let summary = summary.trim();
    let mut parts: Vec<String> = Vec::new();
    match Worth::of(event)? {
        Worth::Command => parts.extend([Some(summary.to_owned()), answer].into_iter().flatten()),
        Worth::Accepted => {
            parts.extend(answer);
            parts.push(format!("✓ **Done.** {summary}"));
        }
        Worth::Unconfirmed(confidence) => {
            parts.push(format!("~ **NOT CONFIRMED.** {}", confidence.why));
            parts.extend(answer);
        }
        Worth::Knowledge => {
            parts.push(format!("~ **Not checked.** {summary}"));
            parts.extend(answer);
        }
        Worth::Incomplete => {
            parts.push(format!("~ **Not complete.** {summary}"));
            parts.extend(answer);
            parts.extend(partial.iter().filter_map(part));
        }
        Worth::Unfinished => {
            parts.push(format!("✗ **Not finished.** {summary}"));
            parts.extend(partial.iter().filter_map(part));
        }
        Worth::Fault => {
            let fault = error.as_ref();
            let message = fault.map_or(summary, |fault| fault.message.as_str());
            let hint = fault.and_then(|fault| fault.hint.as_deref());
            let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            parts.push(format!("✗ **Ended by a fault.** {message}{hint}"));
            parts.extend(partial.iter().filter_map(part));
        }
    }
    parts.extend(unused_notes.iter().map(|note| format!("Not taken into account: {note}")));
    parts.retain(|part| !part.trim().is_empty());
    Some(parts.join("\n\n"))
}

/// The output of a step, with how far it was judged.
fn part(part: &PartialOutput) -> Option<String> {
    let label = match part.status {
        OutcomeStatus::Matched => "checked",
        OutcomeStatus::Failed => "NOT checked: a claim of a failed step",
        OutcomeStatus::Skipped => "not worked on",
        OutcomeStatus::Unjudged => "NOT judged",
    };
    Some(format!("{} ({label}):\n\n{}", part.intent, value_text(&part.output)?))
}

fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.trim_end().to_owned()).filter(|text| !text.is_empty()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(_) | Value::Object(_) => {
            let json = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
            Some(format!("```json\n{json}\n```"))
        }
    }
}

/// How the changes of a run are taken back, in words for a person; `None` where it changed no file.
pub fn undo_text(event: &Event, run: artoo_types::RunId) -> Option<String> {
    let Event::RunFinished { files, build_output, .. } = event else { return None };
    let changed = !files.is_empty() || !build_output.is_empty();
    changed.then(|| format!("To take the changes back, undo run {}.", short_id(run)))
}
