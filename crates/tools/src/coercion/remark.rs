//! Arguments that say something about a call and nothing to the tool.

use artoo_types::ToolName;
use serde_json::Value;

/// How much an unknown name resembles a known one that is missing, from which on it may be a misspelling of it.
const MISSPELT: f64 = 0.85;

/// Names under which other programs' tools take remarks about a call, in lower case and without separators: what it is
/// for, and how it is to be shown. Nothing here could narrow or change what a call does.
const REMARKS: [&str; 34] = [
    "analysis",
    "comment",
    "comments",
    "confidence",
    "description",
    "explain",
    "explanation",
    "goal",
    "intent",
    "intention",
    "justification",
    "meta",
    "note",
    "notes",
    "progress",
    "purpose",
    "rationale",
    "reason",
    "reasoning",
    "reasons",
    "requiresapproval",
    "safetoautorun",
    "securityrisk",
    "summary",
    "taskprogress",
    "thinking",
    "thought",
    "thoughts",
    "title",
    "toolaction",
    "toolcallid",
    "toolsummary",
    "waitforprevioustools",
    "why",
];

/// Whether an argument that the tool does not know can be left out: it says nothing, or is a remark, or names the tool
/// itself. `absent` are the known names that are not given: what resembles one of them may be meant as it.
pub(super) fn is_remark(name: &str, value: &Value, absent: &[&str], tool: Option<&ToolName>) -> bool {
    if absent.iter().any(|known| strsim::jaro_winkler(known, name) > MISSPELT) {
        return false;
    }
    let says_nothing = match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) | Value::Number(_) => false,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    };
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let names_tool = tool.is_some_and(|tool| value.as_str() == Some(tool.as_str()));
    says_nothing || names_tool || REMARKS.contains(&plain.as_str())
}
