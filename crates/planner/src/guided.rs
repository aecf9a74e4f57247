//! Guided planning, for weak models only: used if the model's profile says `guided`.
//!
//! The guards, each with its cost and its reason:
//!
//! - A prompt with examples, and a narrow schema. Cost: twice the prompt; no room for long steps, and no way
//!   to give up. Reason: a small model copies a form correctly and invents none.
//! - The request in English comes first, with the names of what is there covered ([`MaskedNames`](crate::masked_names::MaskedNames)). Cost: 20 tokens.
//!   Reason: asked for an order in its own words, a small model writes that of an example, and it translates names;
//!   of 37 requests in seven languages it loses none of the names so.
//! - A step that is the whole plan is the request itself, with the request in English beside it
//!   ([`compile()`](crate::compile())). Cost: a line. Reason: a small model loses conditions when it restates.
//! - A plan that changes anything is one step ([`as_one_change`]). Cost: no plans of several changes. Reason: it
//!   makes a file in one step and writes it in another at the same time, and each does the whole.
//! - No criteria are asked for. Cost: criteria that were intended. Reason: it writes patterns that right answers do
//!   not match, the state before the step, or the paths of an example. What is done is derived in two ways and
//!   seen, and the whole is judged anyway.
//! - What had to be made still has to be made after a replan ([`replan`](crate::replan)). Cost: a criterion
//!   that the new way does not need. Reason: it plans a question in place of the change that failed.

use std::sync::Arc;

use artoo_llm_client::JsonSchema;
use serde_json::{Value, json};

use crate::PlanDraft;

/// The constant part of the planning prompt, in full and with examples.
pub const GUIDED_PROMPT: &str = include_str!("../prompts/guided.md");

/// Checks whose values a small model copies from its prompt, or guesses.
const WIDE_CHECKS: [&str; 8] = [
    "file_exists",
    "file_absent",
    "file_contains",
    "file_unchanged",
    "file_json",
    "table",
    "same_lines",
    "command_succeeds",
];

/// The plan schema of a capable model: nothing is restated, and each step has criteria.
pub(crate) fn capable_schema(all: &JsonSchema) -> JsonSchema {
    let mut schema = Value::clone(&all.schema);
    if let Some(fields) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
        fields.shift_remove("english");
    }
    let required = schema.pointer_mut("/properties/subtasks/items/required").and_then(Value::as_array_mut);
    if let Some(required) = required {
        required.push(json!("criteria"));
    }
    JsonSchema { name: all.name.clone(), schema: Arc::new(schema) }
}

/// The draft as one step where it changes anything: the first change.
pub(crate) fn as_one_change(draft: PlanDraft) -> PlanDraft {
    let mut draft = draft;
    let first = draft.subtasks.iter().position(|step| !step.kind.is_find_out());
    if let Some(first) = first.filter(|_| draft.subtasks.len() > 1) {
        let together: Vec<&str> = draft.subtasks.iter().map(|step| step.intent.trim()).collect();
        let intent = together.join("; ");
        draft.subtasks = vec![draft.subtasks.swap_remove(first)];
        draft.subtasks.iter_mut().for_each(|step| step.intent.clone_from(&intent));
    }
    draft
}

/// The plan schema with bounds that keep a small model brief, without [`WIDE_CHECKS`], and without giving up,
/// which a small model does at the first doubt.
pub(crate) fn schema(wide: &JsonSchema) -> JsonSchema {
    let mut schema = Value::clone(&wide.schema);
    if let Some(fields) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
        fields.shift_remove("give_up");
        if let Some(english) = fields.get_mut("english").and_then(Value::as_object_mut) {
            english.insert("type".to_owned(), json!("string"));
        }
    }
    let step = "/properties/subtasks/items/properties";
    let mut set = |path: &str, key: &str, value: u32| {
        if let Some(object) = schema.pointer_mut(path).and_then(Value::as_object_mut) {
            object.insert(key.to_owned(), json!(value));
        }
    };
    set("/properties/english", "maxLength", 400);
    set("/properties/subtasks", "minItems", 1);
    set("/properties/subtasks", "maxItems", 6);
    set(&format!("{step}/intent"), "maxLength", 300);
    set(&format!("{step}/sequence"), "maximum", 6);
    set(&format!("{step}/criteria"), "maxItems", 3);
    let mut forms = schema.pointer_mut(&format!("{step}/criteria/items/oneOf")).and_then(Value::as_array_mut);
    let is_narrow = |form: &Value| {
        let check = form.pointer("/properties/check/const").and_then(Value::as_str);
        !check.is_some_and(|check| WIDE_CHECKS.contains(&check))
    };
    forms.iter_mut().for_each(|forms| forms.retain(is_narrow));
    for fields in forms.into_iter().flatten().filter_map(|form| form.get_mut("properties")) {
        for (name, most) in [("text", 160), ("value", 120)] {
            if let Some(field) = fields.get_mut(name).and_then(Value::as_object_mut) {
                field.insert("maxLength".to_owned(), json!(most));
            }
        }
    }
    JsonSchema { name: wide.name.clone(), schema: Arc::new(schema) }
}
