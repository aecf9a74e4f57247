//! What judges answer: the verdicts, and the schemas for them.
//!
//! Each object of a schema is flat, closed and has all its keys, of which those that are not always needed may be null,
//! so that every provider can enforce it. What is missing or too much in an answer is no fault: see
//! [`ask_alone`](artoo_llm_client::ask_alone).

use std::sync::Arc;

use artoo_llm_client::JsonSchema;
use artoo_types::FailureClass;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The most parts of a request.
const MOST_PARTS: usize = 40;
/// The most quotations from which a figure follows.
const MOST_SOURCES: usize = 12;
/// The longest reason of a weak model, in characters. It writes until it is stopped.
const LONGEST_REASON: usize = 240;

/// The verdict on a criterion.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Answer {
    pub(crate) reason: String,
    pub(crate) verdict: Word,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) class: Option<Class>,
    /// The call that shows it, as the prompt numbers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<usize>,
    /// Which criterion it is of, where several are asked about, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) criterion: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Word {
    Pass,
    Fail,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Class {
    Logical,
    Environmental,
}

impl Class {
    /// The class of a failure; a model that names none has seen no fault of the computer.
    pub(crate) fn of_failure(class: Option<Self>) -> FailureClass {
        match class {
            Some(Self::Environmental) => FailureClass::Environmental,
            Some(Self::Logical) | None => FailureClass::Logical,
        }
    }
}

/// The verdict on a part of a request.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Part {
    pub(crate) quote: String,
    pub(crate) reason: String,
    #[serde(default)]
    pub(crate) call: Option<usize>,
    pub(crate) verdict: Word,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) class: Option<Class>,
    /// The evidence it follows from, verbatim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<Vec<String>>,
}

/// Verdicts on one criterion or, numbered, on several.
pub(crate) fn verdicts(count: usize) -> JsonSchema {
    let (name, schema) = match count {
        1 => ("verdict", closed(&verdict())),
        _ => ("verdicts", closed(&json!({"verdicts": numbered(count)}))),
    };
    JsonSchema { name: name.to_owned(), schema: Arc::new(schema) }
}

/// The verdict of a weak model on one criterion: short, and the number of a call only where there is a choice.
pub(crate) fn guided_verdict(has_choice: bool) -> JsonSchema {
    let mut schema = json!({
        "type": "object",
        "properties": {
            "reason": {"type": "string", "minLength": 1, "maxLength": LONGEST_REASON},
            "verdict": {"type": "string", "enum": ["pass", "fail"]},
            "class": {"type": "string", "enum": ["logical", "environmental"], "default": "logical"},
        },
        "required": ["reason", "verdict"],
        "additionalProperties": false,
    });
    if let Some(fields) =
        schema.pointer_mut("/properties").and_then(Value::as_object_mut).filter(|_| has_choice)
    {
        fields.insert("call".to_owned(), json!({"type": ["integer", "null"], "minimum": 1}));
    }
    JsonSchema { name: "verdict".to_owned(), schema: Arc::new(schema) }
}

/// Verdicts on the parts of a request, and on `further` criteria. With `sources`, a part may quote what it follows from.
pub(crate) fn parts(further: usize, sources: bool) -> JsonSchema {
    let mut part = json!({"quote": {"type": "string"}});
    if let (Some(part), Value::Object(verdict)) = (part.as_object_mut(), verdict()) {
        part.extend(verdict);
        if sources {
            let texts =
                json!({"type": ["array", "null"], "items": {"type": "string"}, "maxItems": MOST_SOURCES});
            part.insert("from".to_owned(), texts);
        }
    }
    let parts = json!({"type": "array", "items": closed(&part), "minItems": 1, "maxItems": MOST_PARTS});
    let whole = match further {
        0 => closed(&json!({"parts": parts})),
        _ => closed(&json!({"parts": parts, "verdicts": numbered(further)})),
    };
    JsonSchema { name: "parts".to_owned(), schema: Arc::new(whole) }
}

/// The keys of a verdict. The reason comes first, so that the verdict follows from it.
fn verdict() -> Value {
    json!({
        "reason": {"type": "string"},
        "verdict": {"type": "string", "enum": ["pass", "fail"]},
        "class": {"type": ["string", "null"], "enum": ["logical", "environmental", null]},
        "call": {"type": ["integer", "null"]},
    })
}

fn numbered(count: usize) -> Value {
    let mut one = json!({"criterion": {"type": ["integer", "null"], "minimum": 1, "maximum": count}});
    if let (Some(one), Value::Object(verdict)) = (one.as_object_mut(), verdict()) {
        one.extend(verdict);
    }
    json!({"type": "array", "items": closed(&one), "minItems": count, "maxItems": count})
}

/// The schema of an object with exactly these properties.
fn closed(properties: &Value) -> Value {
    let names: Vec<&String> = properties.as_object().into_iter().flat_map(|fields| fields.keys()).collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}

/// Puts verdicts in the order of their criteria. Those without a number are in order already. `false` if they are not
/// one for each of `count` criteria.
pub(crate) fn in_order(verdicts: &mut [Answer], count: usize) -> bool {
    if verdicts.iter().all(|verdict| verdict.criterion.is_none()) {
        (1..).zip(verdicts.iter_mut()).for_each(|(number, verdict)| verdict.criterion = Some(number));
    }
    verdicts.sort_by_key(|verdict| verdict.criterion);
    verdicts.iter().map(|verdict| verdict.criterion).eq((1..=count).map(Some))
}

#[cfg(test)]
#[path = "answer_schema_tests.rs"]
mod tests;
