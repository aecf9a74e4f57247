//! The model's turn: call a tool, answer, or give up. The schema offers only what is allowed at that turn.

use artoo_llm_client::JsonSchema;
use artoo_types::{Arguments, GaveUp, GiveUpKind, ToolName};
use serde_json::{Value, json};

use crate::ToolSpec;

/// The longest answer in characters. A longer answer belongs in a file or in a tool's own output.
const MAX_ANSWER: usize = 16_000;
/// The same limit for a guided model, which tends not to stop.
const MAX_GUIDED_ANSWER: usize = 4_000;

/// The [`GiveUpKind`] for a problem that an answer from the person would solve.
const NEEDS_PERSON: &str = "needs_person";

/// One turn of the model.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Call a tool.
    Call {
        /// The tool.
        tool: ToolName,
        /// Its arguments.
        arguments: Arguments,
        /// Whether the tool's output, unchanged, becomes the subtask's output.
        output_is_answer: bool,
    },
    /// Answer: the results so far contain the answer.
    Answer(String),
    /// Give up, with the reason.
    GiveUp(GaveUp),
}

impl Action {
    /// The schema of any turn with these tools. It is constant over an attempt, so that the provider's prompt
    /// cache stays valid.
    pub fn any(tools: &[ToolSpec]) -> JsonSchema {
        let turns: Vec<Value> =
            tools.iter().map(call).chain([single("answer", MAX_ANSWER), give_up()]).collect();
        named(turns)
    }

    /// The schema of a turn of a guided model. An answer is not offered before the first call: a claim needs
    /// a tool result to rest on.
    pub fn schema(tools: &[ToolSpec], may_answer: bool, may_give_up: bool) -> JsonSchema {
        let mut turns: Vec<Value> = tools.iter().map(call).collect();
        if may_answer {
            turns.push(single("answer", MAX_GUIDED_ANSWER));
        }
        if may_give_up || turns.is_empty() {
            turns.push(single("give_up", 300));
        }
        named(turns)
    }

    /// Parses a turn that fits the schema; `None` for anything else.
    pub fn read(turn: &Value) -> Option<Self> {
        let text = |name: &str| turn.get(name).and_then(Value::as_str);
        if let Some(answer) = text("answer") {
            return Some(Self::Answer(answer.to_owned()));
        }
        if let Some(reason) = text("give_up") {
            let needs_person = text("kind") == Some(NEEDS_PERSON);
            let kind = if needs_person { GiveUpKind::NeedsPerson } else { GiveUpKind::Impossible };
            let question = text("question").filter(|question| !question.trim().is_empty()).map(str::to_owned);
            return Some(Self::GiveUp(GaveUp { kind, reason: reason.to_owned(), question }));
        }
        Some(Self::Call {
            tool: ToolName::new(text("tool")?),
            arguments: turn.get("arguments")?.as_object()?.clone(),
            output_is_answer: turn.get("output_is_answer").and_then(Value::as_bool).unwrap_or(false),
        })
    }
}

fn call(tool: &ToolSpec) -> Value {
    let (name, arguments) = (tool.name.as_str(), tool.arguments.as_ref());
    let (properties, required) = if tool.output_is_answer {
        (
            json!({"tool": {"const": name}, "arguments": arguments, "output_is_answer": {"type": "boolean"}}),
            json!(["tool", "arguments", "output_is_answer"]),
        )
    } else {
        (json!({"tool": {"const": name}, "arguments": arguments}), json!(["tool", "arguments"]))
    };
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn named(turns: Vec<Value>) -> JsonSchema {
    JsonSchema { name: "action".to_owned(), schema: std::sync::Arc::new(json!({"anyOf": turns})) }
}

/// The reason comes first and is sufficient; the other fields are for giving up with a question.
fn give_up() -> Value {
    json!({
        "type": "object",
        "properties": {
            "give_up": {"type": "string", "minLength": 1, "maxLength": 300},
            "kind": {"enum": ["impossible", NEEDS_PERSON]},
            "question": {"type": "string", "maxLength": 300},
        },
        "required": ["give_up"],
        "additionalProperties": false,
    })
}

fn single(name: &str, max: usize) -> Value {
    json!({
        "type": "object",
        "properties": {name: {"type": "string", "minLength": 1, "maxLength": max}},
        "required": [name],
        "additionalProperties": false,
    })
}
