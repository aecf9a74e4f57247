//! Models that are scripted.

use artoo_llm_http::doubles::{Call, Reply};
use serde_json::{Value, json};

/// One step of a script: what is understood, what is planned, what is done.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// What the request is understood as, where there are earlier ones; as it was said, where nothing stands here.
    pub(crate) understood: Option<&'static str>,
    /// What is planned.
    pub(crate) intent: &'static str,
    /// What kind of work it is.
    pub(crate) kind: &'static str,
    /// What has to be so.
    pub(crate) criterion: Value,
    /// The command.
    pub(crate) command: String,
    /// Whether what it puts out is the answer; otherwise another command follows.
    pub(crate) is_answer: bool,
}

/// Questions about the letters: a number is the answer.
pub(crate) fn counts(intent: &'static str, command: impl Into<String>) -> Step {
    let criterion = json!({"text": "The output is a number", "check": "output_number"});
    Step { understood: None, intent, kind: "find_out", criterion, command: command.into(), is_answer: true }
}

/// What is asked for where a command is wanted.
pub(crate) const ACTION: &str = "action";

/// What is asked for: the name of the schema; empty where words are.
pub(crate) fn asked(call: &Call) -> &str {
    call.body.pointer("/response_format/json_schema/name").and_then(Value::as_str).unwrap_or_default()
}

/// What the model says to this call in this step. Its judges pass what an output bears out.
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

/// What the person said last, where there are earlier turns.
fn newest(call: &Call) -> String {
    let messages = call.body.get("messages").and_then(Value::as_array).into_iter().flatten();
    let text =
        messages.filter_map(|message| message.get("content")?.as_str()).next_back().unwrap_or_default();
    text.rsplit_once("Newest message: ").map_or(text, |(_, newest)| newest).to_owned()
}
