//! Scripted models.

use artoo_llm_http::doubles::{Call, Reply};
use serde_json::{Value, json};

/// One step of a script: the understood request, the plan, the command.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The understood request, if there are earlier ones; the literal request if `None`.
    pub(crate) understood: Option<&'static str>,
    /// The planned intent.
    pub(crate) intent: &'static str,
    /// The kind of work.
    pub(crate) kind: &'static str,
    /// The criterion.
    pub(crate) criterion: Value,
    /// The command.
    pub(crate) command: String,
    /// Whether its output is the answer; otherwise another command follows.
    pub(crate) is_answer: bool,
}

/// Questions about the letters, with a number as the answer.
pub(crate) fn counts(intent: &'static str, command: impl Into<String>) -> Step {
    let criterion = json!({"text": "The output is a number", "check": "output_number"});
    Step { understood: None, intent, kind: "find_out", criterion, command: command.into(), is_answer: true }
}

/// The schema that requests a command.
pub(crate) const ACTION: &str = "action";

/// The name of the requested schema; empty for free text.
pub(crate) fn asked(call: &Call) -> &str {
    call.body.pointer("/response_format/json_schema/name").and_then(Value::as_str).unwrap_or_default()
}

/// The model's reply to this call in this step. Its judges pass what an output supports.
pub(crate) fn says(call: &Call, step: &Step) -> Reply {
    let Step { understood, intent, kind, criterion, command, is_answer } = step;
    let as_understood = || understood.map_or_else(|| newest(call), str::to_owned);
    match asked(call) {
        "resolved_request" => Reply::text(json!({"intent": as_understood()}).to_string()),
        "resolved_or_open" => Reply::text(json!({"questions": [], "intent": as_understood()}).to_string()),
        "plan" => {
            let subtask = json!({"intent": intent, "sequence": 1, "kind": kind, "criteria": [criterion]});
            Reply::text(json!({"subtasks": [subtask]}).to_string())
        }
        ACTION => {
            let action =
                json!({"tool": "shell", "arguments": {"command": command}, "output_is_answer": is_answer});
            Reply::text(action.to_string())
        }
        _ => Reply::text(artoo_evaluation::learn::model::answer(&call.body)),
    }
}

/// The number in letters. Figures have a meaning: a run whose outputs differ in figures alone is ended, and one that takes up
/// no figure of its request is not accepted.
pub(crate) fn word(number: u64) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

/// The person's last message, if there are earlier turns.
fn newest(call: &Call) -> String {
    let messages = call.body.get("messages").and_then(Value::as_array).into_iter().flatten();
    let text =
        messages.filter_map(|message| message.get("content")?.as_str()).next_back().unwrap_or_default();
    text.rsplit_once("Newest message: ").map_or(text, |(_, newest)| newest).to_owned()
}
