//! Scripted model of the benchmark: answers the 11 calls of the job, for the floor and for artoo.
//!
//! Plan three subtasks; in each: a call, an answer from its output, a verdict. The floor merges with its 11th
//! call; artoo merges by code, and its 11th call judges the whole: which words of the request are met, and by
//! which call. Both are five calls deep.

use serde_json::{Value, json};

/// The kind of work in each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// `sh -c "printf word"`.
    Shell,
    /// `read_file`, within the process.
    ReadFile,
}

/// The user's request to artoo.
pub(crate) const REQUEST: &str = "Print the words alpha, beta and gamma, each with its own command.";
const WORDS: [&str; 3] = ["alpha", "beta", "gamma"];

/// The model's answer to a request with the schema of this name. `turns` are the messages, each with whether
/// the model itself wrote it.
pub(crate) fn answer<'a>(schema: &str, turns: impl Iterator<Item = (bool, &'a str)>, work: Work) -> String {
    let turns: Vec<(bool, &str)> = turns.collect();
    let value = match schema {
        "plan" => plan(),
        "action" if turns.iter().any(|(own, _)| *own) => json!({"answer": word(&turns)}),
        "action" => action(word(&turns), work),
        "verdict" | "task_verdict" => {
            json!({"reason": "the output shows the word", "verdict": "pass", "class": "logical"})
        }
        "parts" => {
            json!({"parts": [{"quote": REQUEST, "reason": "the outputs show the words", "call": 1, "verdict": "pass"}]})
        }
        "merge" => json!({"answer": WORDS.join(", ")}),
        other => json!({"error": format!("the job has no call for {other:?}")}),
    };
    value.to_string()
}

/// The answer to a request of the chat completions format.
pub(crate) fn answer_http(body: &Value) -> String {
    let schema =
        body.pointer("/response_format/json_schema/name").and_then(Value::as_str).unwrap_or_default();
    answer(schema, contents(body), Work::Shell)
}

/// The content of a chat completions request, message by message.
pub(crate) fn contents(body: &Value) -> impl Iterator<Item = (bool, &str)> {
    let messages = body.get("messages").and_then(Value::as_array).into_iter().flatten();
    messages.map(|message| {
        let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default();
        (text("role") == "assistant", text("content"))
    })
}

fn plan() -> Value {
    let criteria = json!([{"text": "The output is the word that was asked for", "check": "none"}]);
    let subtask = |word: &&str| json!({"intent": format!("Print the word {word}"), "sequence": 1, "kind": "find_out", "criteria": criteria});
    let subtasks: Vec<Value> = WORDS.iter().map(subtask).collect();
    json!({"subtasks": subtasks})
}

fn action(word: &str, work: Work) -> Value {
    let (tool, arguments) = match work {
        Work::Shell => ("shell", json!({"command": format!("printf {word}")})),
        Work::ReadFile => ("read_file", json!({"path": format!("{word}.txt")})),
    };
    json!({"tool": tool, "arguments": arguments, "output_is_answer": false})
}

/// The word of a step.
fn word(turns: &[(bool, &str)]) -> &'static str {
    let asked = |word: &&&str| turns.iter().any(|(_, text)| text.contains(&format!("the word {word}")));
    WORDS.iter().find(asked).copied().unwrap_or("nothing")
}
