//! The model's turn: call a tool, answer, or give up. The schema offers only what is allowed at that turn.

use artoo_llm_client::JsonSchema;
use artoo_types::{Arguments, GaveUp, ToolName};
use serde_json::{Value, json};

use crate::endings::{self, ASK_USER, GIVE_UP};
use crate::{ToolSpec, User};

/// The longest answer in characters. A longer answer belongs in a file or in a tool's own output.
const MAX_ANSWER: usize = 16_000;
/// The same limit for a guided model, which tends not to stop.
const MAX_GUIDED_ANSWER: usize = 4_000;

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
    /// Ask the user this question.
    AskUser(String),
    /// Give up, with the reason.
    GiveUp(GaveUp),
}

impl Action {
    /// The schema of any turn with these tools. It is constant over an attempt, so that the provider's prompt
    /// cache stays valid.
    pub fn any(tools: &[ToolSpec], user: User) -> JsonSchema {
        let asking = match user {
            User::Present => Some(endings::asking(ASK_USER)),
            User::Absent => None,
        };
        let ends = [single("answer", MAX_ANSWER)].into_iter().chain(asking).chain([user.giving_up(GIVE_UP)]);
        named(tools.iter().map(tolerant_call).chain(ends).collect())
    }

    /// The schema of a turn of a guided model. An answer is not offered before the first call: a claim needs
    /// a tool result to rest on.
    pub fn schema(tools: &[ToolSpec], may_answer: bool, may_give_up: bool) -> JsonSchema {
        let mut turns: Vec<Value> = tools.iter().map(call).collect();
        if may_answer {
            turns.push(single("answer", MAX_GUIDED_ANSWER));
        }
        if may_give_up || turns.is_empty() {
            turns.push(single(GIVE_UP, 300));
        }
        named(turns)
    }

    /// Parses a turn that fits the schema; `None` for anything else.
    pub fn read(turn: &Value) -> Option<Self> {
        let text = |name: &str| turn.get(name).and_then(Value::as_str);
        if let Some(answer) = text("answer") {
            return Some(Self::Answer(answer.to_owned()));
        }
        if let Some(question) = text(ASK_USER) {
            return Some(Self::AskUser(question.to_owned()));
        }
        if turn.get(GIVE_UP).is_some() {
            return endings::gave_up(turn.as_object()?, GIVE_UP).map(Self::GiveUp);
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

/// [`call`] for a capable model, which is shown the form of a turn once and may write all of it for any tool: that the output
/// is no answer is true of each.
fn tolerant_call(tool: &ToolSpec) -> Value {
    let mut call = call(tool);
    if !tool.output_is_answer
        && let Some(properties) = call.get_mut("properties").and_then(Value::as_object_mut)
    {
        properties.insert("output_is_answer".to_owned(), json!({"const": false}));
    }
    call
}

fn named(turns: Vec<Value>) -> JsonSchema {
    JsonSchema { name: "action".to_owned(), schema: std::sync::Arc::new(json!({"anyOf": turns})) }
}

fn single(name: &str, max: usize) -> Value {
    json!({
        "type": "object",
        "properties": {name: {"type": "string", "minLength": 1, "maxLength": max}},
        "required": [name],
        "additionalProperties": false,
    })
}
