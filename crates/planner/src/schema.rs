//! The schemas of the planner's questions. Each is flat and names every key as required, so that a strict server can hold
//! the model to it; what the model does not need is null.

use std::sync::Arc;

use artoo_llm_client::JsonSchema;
use serde_json::{Map, Value, json};

/// The checks of a criterion, in the order of the prompt.
const CHECKS: [&str; 11] = [
    "none",
    "output_number",
    "output_matches",
    "file_exists",
    "file_absent",
    "file_unchanged",
    "file_contains",
    "file_json",
    "table",
    "same_lines",
    "command_succeeds",
];

/// Those that a short plan does without.
const LONG_CHECKS: [&str; 3] = ["file_json", "table", "same_lines"];

/// The kinds of a step.
pub(crate) const KINDS: [&str; 4] = ["find_out", "create", "change", "link"];

/// The schema of a whole plan.
pub(crate) fn plan() -> JsonSchema {
    let (text, number) = (nullable("string"), nullable("integer"));
    let columns = json!({"type": ["array", "null"], "items": {"type": "string"}});
    let criterion =
        [("columns", columns), ("min_rows", number.clone()), ("max_rows", number)].into_iter().collect();
    let step = object(vec![
        ("intent", json!({"type": "string"})),
        ("sequence", json!({"type": "integer"})),
        ("kind", one_of(&KINDS)),
        ("criteria", list(criterion_of(&CHECKS, criterion))),
    ]);
    named("plan", object(vec![("subtasks", list(step)), ("ask", text.clone()), ("give_up", text)]))
}

/// The schema of the short question: what is to be done, in one of these words.
pub(crate) fn short(words: &[&str]) -> JsonSchema {
    let checks: Vec<&str> = CHECKS.into_iter().filter(|check| !LONG_CHECKS.contains(check)).collect();
    let criteria = list(criterion_of(&checks, Vec::new()));
    named("plan", object(vec![("do", one_of(words)), ("criteria", criteria), ("text", nullable("string"))]))
}

/// The schema of a weak model, which has no way to give up, since it does so at the first doubt, and knows of no links.
pub(crate) fn guided() -> JsonSchema {
    let kind = one_of(&["find_out", "create", "change"]);
    let steps =
        json!({"type": "array", "items": object(vec![("kind", kind)]), "minItems": 1, "maxItems": 12});
    let english = json!({"type": "string", "minLength": 1, "maxLength": 400});
    named("plan", object(vec![("english", english), ("subtasks", steps)]))
}

/// A criterion with these checks, and what some of them need beside the path and the value.
fn criterion_of(checks: &[&str], more: Vec<(&'static str, Value)>) -> Value {
    let text = nullable("string");
    let common = vec![
        ("text", json!({"type": "string"})),
        ("check", one_of(checks)),
        ("path", text.clone()),
        ("value", text),
    ];
    object(common.into_iter().chain(more).collect())
}

fn named(name: &str, schema: Value) -> JsonSchema {
    JsonSchema { name: name.to_owned(), schema: Arc::new(schema) }
}

/// An object with exactly these keys.
fn object(keys: Vec<(&str, Value)>) -> Value {
    let required: Vec<&str> = keys.iter().map(|(name, _)| *name).collect();
    let required = json!(required);
    let properties: Map<String, Value> =
        keys.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn one_of(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

fn nullable(kind: &str) -> Value {
    json!({"type": [kind, "null"]})
}
